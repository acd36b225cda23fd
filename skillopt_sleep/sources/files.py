"""Finding and reading the session files of a source."""

import os
from collections.abc import Callable, Iterator, Sequence

from skillopt_sleep.protocols import Reading, Stamp

NO_STAMP = Stamp(0, 0, 0)


def find_sessions(folder: str) -> Iterator[tuple[str, Stamp]]:
    """Every regular `.jsonl` file below the folder with its stamp; links, pipes and devices are no files of ours."""
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    inner: list[str] = []
    with entries:
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
                elif entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    yield entry.path, Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
            except OSError:
                continue
    for path in inner:
        yield from find_sessions(path)


def read_each(
    paths: Sequence[str], parse: Callable[[str], tuple[Stamp, Reading]]
) -> Iterator[tuple[str, Stamp, Reading]]:
    """Parse these files, in order; one that can't be read is answered with the reason."""
    for path in paths:
        try:
            stamp, reading = parse(path)
        except OSError as error:
            stamp, reading = stamp_of(path), Reading(unreadable=error.strerror or str(error))
        yield path, stamp, reading


def stamp_of(path: str) -> Stamp:
    """The stamp of the name itself, so that what it leads to is not asked again until the name changes."""
    try:
        found = os.lstat(path)
    except OSError:
        return NO_STAMP
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
