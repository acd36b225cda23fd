"""The most that a copy may hold, the error where there can be none, and a look into folders that anybody may fill."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ItemError
from skillopt_sleep.records import NO_WORKSPACE_WORDS, NoWorkspace

MOST_TIMES = 4  # what an attempt leaves may be so many times larger than what a copy may begin with
_LONGEST_PATH = 2_048
_OPEN = 0o700


class CopyLimits(NamedTuple):
    """The most that one copy may hold."""

    files: int = 100_000
    size: int = 1024**3

    def refuse_more(self, files: int, size: int, *, where: object) -> None:
        """Raise WorkspaceRefused if these are too many files or bytes."""
        if files > self.files or size > self.size:
            why = f"more than {self.files:,} files or {self.size // 1024**2:,} MiB"
            raise WorkspaceRefused(NoWorkspace.TOO_LARGE, where, why=why)


class WorkspaceRefused(ItemError):
    """There is no copy of the repository; `code` says why, for the account."""

    def __init__(self, code: NoWorkspace, where: object, *, why: str = "", remedy: str = "") -> None:
        detail = f" ({why})" if why else ""
        super().__init__(f"{where}: {NO_WORKSPACE_WORDS[code]}{detail}", remedy=remedy)
        self.code = code


class Listing(NamedTuple):
    """What is in a folder, by the path below it: the folders, and all else."""

    folders: dict[bytes, os.stat_result]
    files: dict[bytes, os.stat_result]


def walk(top: Path, limits: CopyLimits, *, start: bytes = b"") -> Listing:
    """Return what is at and below `start` in the folder; raise WorkspaceRefused if it is too much or too deep.

    A folder that can't be read is opened to us: only throw-away copies have such folders.
    """
    found = Listing({}, {})
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for name, info in _entries(os.path.join(os.fsencode(top), at)):  # noqa: PTH118
            path = at + b"/" + name if at else name
            if stat.S_ISDIR(info.st_mode):
                found.folders[path] = info
                waiting.append(path)
            else:
                found.files[path] = info
            is_too_much = len(found.files) + len(found.folders) > MOST_TIMES * limits.files
            if is_too_much or len(path) > _LONGEST_PATH:
                raise WorkspaceRefused(NoWorkspace.TOO_LARGE, top, why="too many files, or too deep folders")
    return found


def lookup(top: Path, path: bytes) -> os.stat_result | None:
    """Return what is at this path below the folder, or None if nothing is, or only through a link."""
    at = os.fsencode(top)
    parts = path.split(b"/")
    try:
        for part in parts[:-1]:
            at = os.path.join(at, part)  # noqa: PTH118
            if not stat.S_ISDIR(os.lstat(at).st_mode):
                return None
        return os.lstat(os.path.join(at, parts[-1]))  # noqa: PTH118
    except OSError:
        return None


def _entries(folder: bytes) -> list[tuple[bytes, os.stat_result]]:
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except PermissionError:
        os.chmod(folder, _OPEN)  # noqa: PTH101
        names = os.listdir(folder)  # noqa: PTH208
    entries: list[tuple[bytes, os.stat_result]] = []
    for name in sorted(names):
        with suppress(FileNotFoundError):
            entries.append((name, os.lstat(os.path.join(folder, name))))  # noqa: PTH118
    return entries
