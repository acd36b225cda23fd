"""Read files of unknown origin safely; write so that a crash leaves either the old bytes or the new ones."""

import errno
import itertools
import os
import secrets
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.kit.attributes import Attributes, copy_on_a_mac, give

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600

# A file that became a link, a pipe or a device since we looked must neither be followed nor block us.
PLAIN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_EVERYBODY = 0o666
# The errors for a folder that isn't empty, or is no longer a folder: then somebody uses it.
_IN_USE = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


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
    _replace(path, data, mode=PRIVATE_FILE, finish=lambda new: new.chmod(PRIVATE_FILE), durable=durable)


def write_as(path: Path, data: bytes, attributes: Attributes | None) -> None:
    """Replace the bytes of a user's file in one step, and give it exactly these attributes.

    Without attributes the file gets those of any new one, by the user's umask and the folder. The folder must exist.
    Raises OSError, or UnsafePath if the attributes can't be given, and leaves the old file.
    """

    def finish(new: Path) -> None:
        if attributes is None:
            return
        if path.exists():
            copy_on_a_mac(path, new)
        give(new, attributes, name=path)

    mode = _EVERYBODY if attributes is None else PRIVATE_FILE
    _replace(path, data, mode=mode, finish=finish, durable=True)


@contextmanager
def kept_open(path: Path) -> Generator[Callable[[], bytes | None]]:
    """Hold a file open while it is replaced or removed, and yield what reads the bytes that it had in the end.

    It returns None where that can't be told: without a file, and on Windows, where an open file isn't replaced.
    """
    if os.name != "posix" or not path.exists():
        yield lambda: None
        return
    with os.fdopen(os.open(path, PLAIN_FLAGS), "rb") as file:
        yield file.read


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


def _replace(path: Path, data: bytes, *, mode: int, finish: Callable[[Path], None], durable: bool) -> None:
    # The name marks it for clean-up after a kill. The kernel applies the umask to the mode, so we needn't read it.
    half_written = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(half_written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
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
    """Make a rename in this folder durable, if the platform can."""
    if os.name != "posix":
        return
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
