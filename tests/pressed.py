"""The installed command on a terminal of some width, with a person who reads before they press a key."""

import os
import re
import select
import struct
import subprocess
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from tests.command import PROGRAM, Home

SECONDS = 300.0
NOTHING: Mapping[str, str] = {}
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_STEP = 0.05
_QUIET = 0.15


class Pressed:
    """A running command; `shown` is all that it printed so far, without colours."""

    def __init__(
        self, home: Home, *arguments: str, columns: int = 100, environment: Mapping[str, str] = NOTHING
    ) -> None:
        import fcntl
        import pty
        import termios

        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self._process = subprocess.Popen(
            [str(PROGRAM), *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**home.environment, "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment},
            cwd=home.folder,
            start_new_session=True,
            # Ctrl-C reaches the program only from the terminal it belongs to.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
        )
        os.close(slave)
        self._said = b""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def raw(self) -> str:
        """All that it printed, colours too."""
        return self._said.decode(errors="replace")

    @property
    def shown(self) -> str:
        """All that it printed, without colours."""
        return _STYLE.sub("", self.raw).replace("\r\n", "\n")

    def until(self, words: str) -> str:
        """Wait for these words and a moment of silence; return what was printed since the last time."""
        end = time.monotonic() + SECONDS
        while words not in self.shown[self._seen :]:
            if time.monotonic() > end or not self._read(_STEP):
                raise AssertionError(f"{words!r} isn't in: {self.shown[self._seen :]}")
        while self._read(_QUIET, once=True):
            pass
        part, self._seen = self.shown[self._seen :], len(self.shown)
        return part

    def press(self, keys: str) -> None:
        """Type these keys."""
        os.write(self._master, keys.encode())

    def kill(self, how: int) -> None:
        """End the command by this signal."""
        self._process.send_signal(how)
        self._process.wait()

    def ended(self) -> int:
        """Wait for the end, and return the exit code."""
        while self._read(SECONDS, once=True):
            pass
        return self._process.wait(SECONDS)

    def _read(self, seconds: float, *, once: bool = False) -> bool:
        """Read what is there; return False at the end, or if nothing came and only `once` was asked for."""
        if not select.select([self._master], [], [], seconds)[0]:
            return not once
        try:
            part = os.read(self._master, 65_536)
        except OSError:
            return False  # the other end is closed
        self._said += part
        return bool(part)
