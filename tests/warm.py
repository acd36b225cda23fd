"""Run the command in a process that a warm server forks; see `tests.warm_server`."""

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from tests import warm_server
from tests.warm_server import ANSWER

ROOT = Path(__file__).parents[1]

# What Python and libraries read only when they start.
COLD = (
    "PYTHON",
    "LC_",
    "LANG",
    "TZ",
    "FORCE_COLOR",
    "PY_COLORS",
    "TERMINAL_WIDTH",
    "GITHUB_ACTIONS",
    "TYPER",
    "_TYPER",
)
CAN_FORK = sys.platform == "linux"


def can_run(environment: Mapping[str, str]) -> bool:
    """Whether a command with these variables can be forked: none of them matters to Python's start."""
    return CAN_FORK and not any(name.startswith(COLD) for name in environment)


def run(
    arguments: Sequence[str], environment: Mapping[str, str], cwd: Path, timeout: float
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end, as subprocess.run does."""
    told = json.dumps({"arguments": list(arguments), "environment": dict(environment), "cwd": str(cwd)}).encode()
    out, err = _Pipe(), _Pipe()
    answer, theirs = socket.socketpair()
    with answer, theirs:
        server = _server(os.getpid())
        server.send(told, (theirs.fileno(), out.written, err.written))
        theirs.close()
        out.begin()
        err.begin()
        answer.settimeout(timeout)
        begun = answer.recv(ANSWER.size, socket.MSG_WAITALL)
        if not begun:
            server.fail()
        (process,) = ANSWER.unpack(begun)
        try:
            (code,) = ANSWER.unpack(answer.recv(ANSWER.size, socket.MSG_WAITALL))
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(arguments), timeout) from None
    return subprocess.CompletedProcess(list(arguments), code, out.text(timeout), err.text(timeout))


class _Pipe:
    """Collects what is written into a pipe until everybody closed it."""

    def __init__(self) -> None:
        self._read, self.written = os.pipe()
        self._bytes = b""
        self._thread = threading.Thread(target=self._collect, daemon=True)

    def begin(self) -> None:
        """Leave the writing to the command."""
        os.close(self.written)
        self._thread.start()

    def text(self, timeout: float) -> str:
        """What was written, as text."""
        self._thread.join(timeout)
        assert not self._thread.is_alive(), "what the command started keeps its output open"
        return self._bytes.decode().replace("\r\n", "\n").replace("\r", "\n")

    def _collect(self) -> None:
        with open(self._read, "rb") as file:  # noqa: PTH123 - it has a number, not a name
            self._bytes = file.read()


class _Server:
    """A warm server, which ends with this process."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", warm_server.__file__],
                stdin=theirs.fileno(),
                # A pipe, as a command's output is one: Python makes its streams when it starts.
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={"PATH": os.environ["PATH"]},
                cwd=ROOT,
            )
        atexit.register(self._end)

    def send(self, told: bytes, files: Sequence[int]) -> None:
        """Ask for a command."""
        try:
            socket.send_fds(self._control, [told], files)
        except BrokenPipeError:
            self.fail()

    def fail(self) -> NoReturn:
        """Say what the server said before it ended."""
        said, _ = self._process.communicate()
        raise RuntimeError(f"the server of commands ended:\n{said.decode()}")

    def _end(self) -> None:
        self._control.close()
        self._process.communicate()


@functools.cache
def _server(_process: int) -> _Server:
    return _Server()
