"""Read files of unknown origin safely; write so that a crash leaves either the old bytes or the new ones."""

import errno
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600

# A file that became a link, a pipe or a device since we looked must neither be followed nor block us.
PLAIN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# The errors for a folder that isn't empty, or is no longer a folder: then somebody uses it.
_IN_USE = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}
ROOM = "make room there, then do the same again"
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your quota of the disk is used up"}
# SQLite doesn't always say why a write failed. If there is less room than this, that was why.
_LEAST_ROOM = 64 * 1024


@contextmanager
def locked(file: Path, taken: Callable[[], Exception], *, seconds: float = 0.0) -> Generator[None]:
    """Hold a lock; raise what `taken` returns if another process still holds it after so many seconds."""
    import filelock

    lock = filelock.FileLock(file, timeout=seconds, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise taken() from error
    try:
        yield
    finally:
        lock.release()


def is_locked(file: Path) -> bool:
    """Return whether a process holds this lock now, without creating its file."""
    if not file.exists():
        return False
    try:
        with locked(file, TimeoutError):
            return False
    except TimeoutError:
        return True


def private_dir(path: Path) -> Path:
    """Create the folder and its missing parents, readable by the owner only, and return it."""
    missing = itertools.takewhile(lambda folder: not folder.exists(), (path, *path.parents))
    for folder in reversed(list(missing)):
        folder.mkdir(mode=PRIVATE_DIR, exist_ok=True)
    return path


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the bytes of a file of our own in one step, readable by its owner only.

    `durable`: the new bytes survive a loss of power. The folder must exist. Raises OSError and leaves the old file if
    anything fails.
    """
    replace_bytes(path, data, mode=PRIVATE_FILE, finish=lambda new: new.chmod(PRIVATE_FILE), durable=durable)


def remove_empty(folders: Sequence[str]) -> tuple[str, ...]:
    """Remove those of these folders that are empty; return those that the disk refused to remove.

    Each is given before those inside of it.
    """
    if any(Path(folder).is_symlink() for folder in folders):
        return ()  # what is below a link belongs to somebody else
    for index in reversed(range(len(folders))):
        try:
            Path(folders[index]).rmdir()
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno in _IN_USE:
                continue
            return tuple(folders[: index + 1])
    return ()


def replace_bytes(
    path: Path, data: bytes, *, mode: int, finish: Callable[[Path], None], durable: bool = True
) -> None:
    """Replace a file in one step by a new one, on which `finish` is called before it takes the old one's place."""
    # The name marks it for clean-up after a kill. The kernel applies the umask to the mode, so we needn't read it.
    half_written = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(half_written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            finish(half_written)
            if durable:
                os.fsync(file.fileno())
        half_written.replace(path)
    except BaseException:
        half_written.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename in this folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_plain(path: Path, *, most: int, inside: Path | None = None) -> bytes:
    """Read a plain file of at most `most` bytes, without ever blocking.

    Links are followed, but not out of the folder `inside` if one is given. Raises OSError (for a missing file
    FileNotFoundError), whose strerror says what is wrong.
    """
    try:
        target = path.resolve(strict=True)
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
    if inside is not None and not target.is_relative_to(inside.resolve()):
        raise OSError(errno.EPERM, f"it leads outside of {inside}")
    # A device or a pipe isn't even opened: opening it alone can have an effect.
    _refuse_unless_plain(target.lstat())
    with os.fdopen(os.open(target, PLAIN_FLAGS), "rb") as file:
        info = os.fstat(file.fileno())
        _refuse_unless_plain(info)
        data = file.read(most + 1) if info.st_size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return data


def readable(path: Path, *, most: int, inside: Path | None = None) -> bytes:
    """Read a plain file as `read_plain` does; b"" if it can't be read."""
    try:
        return read_plain(path, most=most, inside=inside)
    except (OSError, ValueError):  # a path with a NUL
        return b""


def _refuse_unless_plain(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EINVAL, "it isn't a plain file")


def worded(error: "OSError | sqlite3.Error", *, remedy: str, place: Path | None = None) -> tuple[str, str]:
    """Return what happened at the place and what to do about it: `remedy`, unless the disk is full."""
    if isinstance(error, OSError):
        where = str(place or error.filename or "the disk")
        full = _FULL.get(error.errno or 0, "")
        reason = error.strerror or str(error)
    else:
        where = str(place or "the store")
        full = _FULL[errno.ENOSPC] if _has_no_room(error, place) else ""
        reason = str(error)
    if full:
        return f"{where}: {full}", ROOM
    return f"{where}: {reason}", remedy


def _has_no_room(error: "sqlite3.Error", place: Path | None) -> bool:
    """Tell whether SQLite failed because the disk is full, by its own message or by the free space."""
    import sqlite3

    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code not in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN} or place is None:
        return code == sqlite3.SQLITE_FULL
    for folder in place.parents:
        if folder.is_dir():
            return shutil.disk_usage(folder).free < _LEAST_ROOM
    return False
