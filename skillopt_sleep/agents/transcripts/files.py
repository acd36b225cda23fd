"""Find and read the session files of a source."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence

from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import Hear, Reading, Stamp

# This runs over all sessions every night. With a handle the system needn't look up each path from the root, and a
# tuple made directly costs half of what a named one does.
_BY_HANDLE = os.scandir in os.supports_fd
_FORMAT = stat.S_IFMT(0xFFFF)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
_stamp: Callable[[type[Stamp], tuple[int, int, int]], Stamp] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

NO_STAMP = Stamp(0, 0, 0)


def ignore(_folder: str, _reason: str) -> None:
    """Ignore a folder that can't be listed."""


def find_sessions(
    folder: str, unlisted: Unlisted = ignore, *, endings: tuple[str, ...] = (".jsonl",)
) -> Iterator[tuple[str, Stamp]]:
    """Return every regular file with such an ending below the folder, with its stamp; no links, pipes or devices.

    `unlisted` is called with each folder that exists but can't be listed, and the reason.
    """
    files: list[tuple[str, Stamp]] = []
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            handle = os.open(here, _FOLDER) if _BY_HANDLE else here
        except OSError as error:
            _tell(here, error, unlisted)
            continue
        try:
            with os.scandir(handle) as entries:
                folders += _list_folder(here, entries, files, unlisted, endings)
        except OSError as error:
            _tell(here, error, unlisted)
        finally:
            if isinstance(handle, int):
                os.close(handle)
    return iter(files)


def _tell(folder: str, error: OSError, unlisted: Unlisted) -> None:
    if error.errno not in _GONE:
        unlisted(folder, error.strerror or str(error))


def _list_folder(
    folder: str,
    entries: "Iterator[os.DirEntry[str]]",
    files: list[tuple[str, Stamp]],
    unlisted: Unlisted,
    endings: tuple[str, ...],
) -> list[str]:
    """Add the folder's session files to `files`, and return the folders in it."""
    prefix = folder + os.sep
    inner: list[str] = []
    add = files.append
    for entry in entries:
        name = entry.name
        if not (name.isascii() or _is_encodable(name)):
            continue
        if name.endswith(endings):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                # A folder's names may be readable although its files are not.
                _tell(folder, error, unlisted)
                continue
            if status.st_mode & _FORMAT == stat.S_IFREG:
                add((prefix + name, _stamp(Stamp, (status.st_ino, status.st_size, status.st_mtime_ns))))
                continue
        if entry.is_dir(follow_symlinks=False):
            inner.append(prefix + name)
    return inner


def _is_encodable(name: str) -> bool:
    """Return whether a name is in the system's encoding; one that isn't can't be stored, and isn't an agent's."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_each(
    paths: Sequence[str],
    parse: Callable[[str], tuple[Stamp, Reading]],
    hear: Hear | None = None,
) -> Iterator[tuple[str, Stamp, Reading]]:
    """Parse these files in order; for one that can't be read the reading holds the reason.

    If `hear` is given, the rules read each session too.
    """
    for path in paths:
        stamp, reading = _read(parse, hear, path)
        yield path, stamp, reading


def _read(parse: Callable[[str], tuple[Stamp, Reading]], hear: Hear | None, path: str) -> tuple[Stamp, Reading]:
    try:
        stamp, reading = parse(path)
        return stamp, reading.heard_by(hear) if hear else reading
    except OSError as error:
        because = error.strerror or str(error)
    except Exception as error:  # noqa: BLE001 - the boundary: what one file holds never ends the reading of all
        because = f"a bug: {type(error).__name__}: {error}"
    return stamp_of(path), Reading(unreadable=f"{path}: {because}")


def stamp_of(path: str) -> Stamp:
    """Return the stamp of the name itself, so that a link is looked at again only if the link changes."""
    try:
        status = os.lstat(path)
    except OSError:
        return NO_STAMP
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns)
