"""Files that others may have made are read with care; what we write is whole, and only its owner can read it."""

import errno
import os
import stat
import tempfile
from pathlib import Path

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600

# What became a link, a pipe or a device since it was looked at must neither be followed nor block us.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def private_dir(path: Path) -> Path:
    """Make the folder and its missing parents, readable by the owner only; return it."""
    missing = [p for p in (path, *path.parents) if not p.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=PRIVATE_DIR, exist_ok=True)
    return path


def write_atomic(path: Path, data: bytes, *, mode: int = PRIVATE_FILE, durable: bool = True) -> None:
    """Replace the file's bytes in one step; `mode` is the mode of the new file; `durable` outlives a loss of power.

    The folder must exist. Raises OSError and leaves the old file where anything fails.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename in this folder durable, where the platform can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_plain(path: Path, *, most: int, inside: Path | None = None) -> bytes:
    """Read a plain file of at most `most` bytes, without ever blocking.

    Links are followed, but out of the folder `inside` where one is named. Raises OSError, FileNotFoundError among
    them, whose strerror says what is wrong.
    """
    try:
        target = path.resolve(strict=True)
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
    if inside is not None and not target.is_relative_to(inside.resolve()):
        raise OSError(errno.EPERM, f"it leads outside of {inside}")
    # A device or a pipe isn't even opened: that alone can have an effect.
    _refuse_odd(target.lstat())
    with os.fdopen(os.open(target, _FLAGS), "rb") as file:
        found = os.fstat(file.fileno())
        _refuse_odd(found)
        data = file.read(most + 1) if found.st_size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return data


def _refuse_odd(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it isn't a plain file")
