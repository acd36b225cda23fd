"""Notices that the program's files were replaced while it waits, and goes on as the new one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import skillopt_sleep

WATCHED = ("__init__.py", "settings/__init__.py", "daemon/loop.py")
TRY_SECONDS = 60

Stamp = tuple[tuple[str, int, int], ...]


class Upgrade:
    """The program's files as they were at the start, and whether a whole new set stands in their place."""

    def __init__(self, package: Path | None = None) -> None:
        self._package = package or Path(skillopt_sleep.__file__).parent
        self._before = self._seen = self._stamp()

    def is_ready(self) -> bool:
        """Whether the files have changed, are at rest since the last look, and can be run."""
        seen, self._seen = self._seen, self._stamp()
        if self._seen in (self._before, ()) or self._seen != seen:
            return False
        if not _runs():
            self._before = self._seen  # what can't be run is asked again when it changes again
            return False
        return True

    def _stamp(self) -> Stamp:
        return tuple(sorted(self._files()))

    def _files(self) -> Iterator[tuple[str, int, int]]:
        for name in WATCHED:
            try:
                status = (self._package / name).stat()
            except OSError:
                continue
            yield name, status.st_ino, status.st_mtime_ns


def go_on_as_new() -> None:
    """Become the program as it is on disk now; the same process, for whoever looks after it."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def _runs() -> bool:
    """Whether the files on disk are a program."""
    try:
        ran = subprocess.run(
            [sys.executable, "-P", "-m", "skillopt_sleep", "--version"],
            capture_output=True,
            timeout=TRY_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0
