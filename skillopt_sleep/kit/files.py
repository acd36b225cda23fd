"""Reading what others may have made with care, and writing so that a crash leaves the old bytes or the new ones."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from skillopt_sleep.kit.attributes import Attributes, copy_on_a_mac, give

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
_EVERYBODY = 0o666
# What a folder says that holds something, or isn't a folder any more: it is somebody's.
_SOMEBODYS = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


def private_dir(path: Path) -> Path:
    """Make the folder and its missing parents, readable by the owner only; return it."""
    missing = [p for p in (path, *path.parents) if not p.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=PRIVATE_DIR, exist_ok=True)
    return path


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the bytes of a file of our own in one step, for its owner only; `durable` outlives a loss of power.

    The folder must exist. Raises OSError and leaves the old file where anything fails.
    """
    _replace(path, data, mode=PRIVATE_FILE, finish=lambda made: made.chmod(PRIVATE_FILE), durable=durable)


def write_as(path: Path, data: bytes, attributes: Attributes | None) -> None:
    """Replace the bytes of a user's file in one step; the attributes are those it has then, all of them.

    None makes a new file, as the user's umask and the folder have it. The folder must exist. Raises OSError, or
    UnsafePath where the attributes can't be given, and leaves the old file.
    """

    def finish(made: Path) -> None:
        if attributes is not None:
            if path.exists():
                copy_on_a_mac(path, made)
            give(made, attributes, name=path)

    _replace(path, data, mode=_EVERYBODY if attributes is None else PRIVATE_FILE, finish=finish, durable=True)


def remove_empty(folders: Sequence[str]) -> tuple[str, ...]:
    """Remove these folders, outermost first, where they are empty; returns those that the disk keeps all the same."""
    if any(Path(folder).is_symlink() for folder in folders):
        return ()  # what is below it by now is somebody's
    for index in reversed(range(len(folders))):
        try:
            Path(folders[index]).rmdir()
        except FileNotFoundError:
            continue
        except OSError as error:
            return () if error.errno in _SOMEBODYS else tuple(folders[: index + 1])
    return ()


def _replace(path: Path, data: bytes, *, mode: int, finish: Callable[[Path], None], durable: bool) -> None:
    # Sweeps after a kill know such a file by its name. The kernel takes the umask off the mode: nobody has to ask it.
    half = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            finish(half)
            if durable:
                os.fsync(file.fileno())
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
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
