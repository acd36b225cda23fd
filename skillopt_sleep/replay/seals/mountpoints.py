"""Make the folders onto which something is mounted, in a tree that somebody else may have filled.

A program that mounts below such a tree may be led out of it by a symbolic link that stands where the folder should be
(CVE-2026-87766 in bubblewrap before 0.12). So we make each such folder ourselves, before, one name at a time and
without following any link; where a link or a file is in the way, nothing is started. Nobody can change the tree
between this and the mount: what ran in it has ended, and what will run in it hasn't begun.
"""

import os
import stat
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from skillopt_sleep.errors import SealBroken

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_mount_point(top: Path, inside: PurePosixPath, *, lower: Path | None = None, is_folder: bool = True) -> None:
    """Make this folder (or empty file) below `top`, as it is seen with the layer `lower` below it.

    Raises SealBroken if a link or a file is in the way.
    """
    names = inside.parts
    if not names or inside.is_absolute() or ".." in names:
        raise SealBroken(f"{inside} is not a path below {top}")
    try:
        with ExitStack() as opened:
            _walk(opened, top, lower, names, is_folder=is_folder)
    except OSError as error:
        raise SealBroken(f"nothing can be mounted on {inside} in the copy: {error.strerror}") from error


def _walk(opened: ExitStack, top: Path, lower: Path | None, names: tuple[str, ...], *, is_folder: bool) -> None:
    folder = _open(opened, str(top))
    below = None if lower is None else _open(opened, str(lower))
    for place, name in enumerate(names, 1):
        is_last = place == len(names)
        shown = _mode(below, name)
        wanted = stat.S_IFDIR if is_folder or not is_last else stat.S_IFREG
        _make(folder, name, wanted, shown)
        if is_last:
            return
        folder = _open(opened, name, folder)
        below = None if below is None or shown is None else _open(opened, name, below)


def _make(folder: int, name: str, wanted: int, shown: int | None) -> None:
    """Make the folder or file, unless it is there; `shown` is what the layer below has under this name."""
    mode = _mode(folder, name)
    for found in (mode, shown if mode is None else None):
        if found is not None and stat.S_IFMT(found) != wanted:
            raise SealBroken(
                f"something else is named {name} in the copy, where a {_NOUNS[wanted]} has to be mounted"
            )
    if mode is not None:
        return
    if wanted == stat.S_IFDIR:
        os.mkdir(name, 0o755, dir_fd=folder)
    elif shown is None:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))


_NOUNS = {stat.S_IFDIR: "folder", stat.S_IFREG: "file"}


def _open(opened: ExitStack, name: str, folder: int | None = None) -> int:
    handle = os.open(name, _FOLDER, dir_fd=folder)
    opened.callback(os.close, handle)
    return handle


def _mode(folder: int | None, name: str) -> int | None:
    """Return what stands under this name, without following a link; None if nothing does."""
    if folder is None:
        return None
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
