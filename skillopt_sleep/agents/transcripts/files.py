"""Finding and reading the session files of a source."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from skillopt_sleep.agents.transcripts.shared import can_share, read_shared
from skillopt_sleep.protocols import Unlisted
from skillopt_sleep.records import Reading, Stamp

# This runs over every session there is, every night: a handle spares the system the way to each name anew, and a
# tuple made directly spares half of what a named one costs.
_BY_HANDLE = os.scandir in os.supports_fd
_FORMAT = stat.S_IFMT(0xFFFF)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
_stamp: Callable[[type[Stamp], tuple[int, int, int]], Stamp] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

NO_STAMP = Stamp(0, 0, 0)
LARGE = 64 * 1024 * 1024  # parsing this takes some 60 ms, making the processes 10
_WORKERS = 4


def unheard(_folder: str, _reason: str) -> None:
    """For those who needn't know which folders can't be listed."""


def find_sessions(folder: str, unlisted: Unlisted = unheard) -> Iterator[tuple[str, Stamp]]:
    """Every regular `.jsonl` file below the folder with its stamp; links, pipes and devices are no files of ours.

    `unlisted` hears of each folder that is there but can't be listed, and why.
    """
    found: list[tuple[str, Stamp]] = []
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
                folders += _look(here, entries, found, unlisted)
        except OSError as error:
            _tell(here, error, unlisted)
        finally:
            if isinstance(handle, int):
                os.close(handle)
    return iter(found)


def _tell(folder: str, error: OSError, unlisted: Unlisted) -> None:
    if error.errno not in _GONE:
        unlisted(folder, error.strerror or str(error))


def _look(
    folder: str, entries: "Iterator[os.DirEntry[str]]", found: list[tuple[str, Stamp]], unlisted: Unlisted
) -> list[str]:
    """Add the folder's session files to what was found; the folders in it."""
    prefix = folder + os.sep
    inner: list[str] = []
    add = found.append
    for entry in entries:
        name = entry.name
        if not (name.isascii() or _is_text(name)):
            continue
        if name.endswith(".jsonl"):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                # A folder may let its names be seen, and none of its files.
                _tell(folder, error, unlisted)
                continue
            if status.st_mode & _FORMAT == stat.S_IFREG:
                add((prefix + name, _stamp(Stamp, (status.st_ino, status.st_size, status.st_mtime_ns))))
                continue
        if entry.is_dir(follow_symlinks=False):
            inner.append(prefix + name)
    return inner


def _is_text(name: str) -> bool:
    """Whether a name can be written down: one that isn't in the system's encoding can't, and no agent gives such."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_each(
    paths: Sequence[str], parse: Callable[[str], tuple[Stamp, Reading]], *, large: int = LARGE
) -> Iterator[tuple[str, Stamp, Reading]]:
    """Parse these files, in order; one that can't be read is answered with the reason.

    From `large` bytes on, processes share the work where there are processors for them.
    """
    read = partial(_read, parse)
    workers = min(os.cpu_count() or 1, _WORKERS)
    if workers > 1 and len(paths) > 1 and _holds(paths, large) and can_share():
        found = read_shared(paths, read, workers=workers)
    else:
        found = map(read, paths)
    for path, (stamp, reading) in zip(paths, found, strict=True):
        yield path, stamp, reading


def _read(parse: Callable[[str], tuple[Stamp, Reading]], path: str) -> tuple[Stamp, Reading]:
    try:
        return parse(path)
    except OSError as error:
        return stamp_of(path), Reading(unreadable=f"{path}: {error.strerror or error}")


def _holds(paths: Sequence[str], size: int) -> bool:
    """Whether these files together have so many bytes; stops looking as soon as they have."""
    return any(held >= size for held in accumulate(stamp_of(path).size for path in paths))


def stamp_of(path: str) -> Stamp:
    """The stamp of the name itself, so that what it leads to is not asked again until the name changes."""
    try:
        found = os.lstat(path)
    except OSError:
        return NO_STAMP
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
