"""Find and read the session files of a source."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import Reading, Stamp

Given = TypeVar("Given")
Found = TypeVar("Found")

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})

NO_STAMP = Stamp(0, 0, 0)


def ignore(_folder: str, _reason: str) -> None:
    """Ignore a folder that can't be listed."""


def find_sessions(
    folder: str, unlisted: Unlisted = ignore, *, endings: tuple[str, ...] = (".jsonl",)
) -> Iterator[tuple[str, Stamp]]:
    """Yield every regular file with such an ending below the folder, with its stamp; no links, pipes or devices.

    `unlisted` is called with each folder that exists but can't be listed, and the reason.
    """
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            with os.scandir(here) as listed:
                entries = [entry for entry in listed if _is_encodable(entry.name)]
        except OSError as error:
            _tell(here, error, unlisted)
            continue
        for entry in entries:
            if entry.name.endswith(endings) and (stamp := _stamp(entry, here, unlisted)):
                yield entry.path, stamp
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def _stamp(entry: "os.DirEntry[str]", folder: str, unlisted: Unlisted) -> Stamp | None:
    """Return the stamp of a regular file, or None for anything else and what can't be looked at."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        # A folder's names may be readable although its files are not.
        _tell(folder, error, unlisted)
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns)


def _tell(folder: str, error: OSError, unlisted: Unlisted) -> None:
    if error.errno not in _GONE:
        unlisted(folder, error.strerror or str(error))


def _is_encodable(name: str) -> bool:
    """Return whether a name is in the system's encoding; one that isn't can't be stored, and isn't an agent's."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_each(
    paths: Sequence[str], parse: Callable[[str], tuple[Stamp, Reading]]
) -> Iterator[tuple[str, Stamp, Reading]]:
    """Parse these files in order; for one that can't be read the reading holds the reason."""
    for path in paths:
        stamp, reading = _read(parse, path)
        yield path, stamp, reading


def _read(parse: Callable[[str], tuple[Stamp, Reading]], path: str) -> tuple[Stamp, Reading]:
    found = read_or_say_why(parse, path)
    return (stamp_of(path), Reading(unreadable=f"{path}: {found}")) if isinstance(found, str) else found


def read_or_say_why(read: Callable[[Given], Found], given: Given) -> Found | str:
    """Return what is read, or why it can't be: what one file holds never ends the reading of all."""
    try:
        return read(given)
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:  # noqa: BLE001 - the boundary
        return f"a bug: {type(error).__name__}: {error}"


def stamp_of(path: str) -> Stamp:
    """Return the stamp of the name itself, so that a link is looked at again only if the link changes."""
    try:
        status = os.lstat(path)
    except OSError:
        return NO_STAMP
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns)
