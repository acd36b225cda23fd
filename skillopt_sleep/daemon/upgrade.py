"""Notice that the program was upgraded while the daemon waits, and restart as the new version."""

import os
import subprocess
import sys
from pathlib import Path

import skillopt_sleep

WATCHED = ("__init__.py", "settings/__init__.py", "daemon/loop.py")
TRY_SECONDS = 60

Stamp = tuple[tuple[str, int, int], ...]


class Upgrade:
    """Compare the program's files with those of the start."""

    def __init__(self, package: Path | None = None) -> None:
        self._package = package or Path(skillopt_sleep.__file__).parent
        self._at_start = self._stamp()
        self._last_seen = self._at_start

    def is_ready(self) -> bool:
        """Return whether the files were replaced, stayed the same since the last call, and can be run."""
        before = self._last_seen
        current = self._stamp()
        self._last_seen = current
        if current in (self._at_start, ()) or current != before:
            return False
        if not _runs():
            self._at_start = current  # try again only after the next change
            return False
        return True

    def _stamp(self) -> Stamp:
        stamps: list[tuple[str, int, int]] = []
        for name in WATCHED:
            try:
                status = (self._package / name).stat()
            except OSError:
                continue
            stamps.append((name, status.st_ino, status.st_mtime_ns))
        return tuple(sorted(stamps))


def go_on_as_new() -> None:
    """Replace this process by the new version, keeping its process id for the service manager."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def _runs() -> bool:
    """Return whether the program on disk can be started."""
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
