"""Copy a whole folder, and tell how a copy differs from it."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.kit.files import PLAIN_FLAGS
from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.trees import remove_tree
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.entries import Limits
from skillopt_sleep.replay.workspaces.layers import OPAQUE, is_opaque, is_whiteout
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.walk import MOST_TIMES, Found, lookup, walk

_SECONDS = 300.0
_CHUNK = 1024 * 1024
_NOTHING = bytes(_CHUNK)
_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
# Both share the blocks of a file where the file system can, and never its inode.
_COPY = ("cp", "-c", "-R", "-p") if sys.platform == "darwin" else ("cp", "-R", "-p", "--reflink=auto")


def copy_base(base: Path, target: Path, limits: Limits) -> None:
    """Copy a base, which is ours, to a new folder."""
    target.mkdir()
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    with suppress(OSError):
        argv = [*_COPY, f"{base}/.", str(target)]
        ran = run(argv, stdin=b"", cwd=target, environ=environ, timeout=_SECONDS)
        if ran.status == 0 and not ran.stopped:
            return
    copy_left(base, target, limits)


def copy_both(base: Path, upper: Path, target: Path, limits: Limits) -> None:
    """Copy to a new folder what a base looks like under this upper layer."""
    copy_base(base, target, limits)
    found = walk(upper, limits)
    for path in found.folders:
        below = lookup(target, path)
        if below is not None and (not stat.S_ISDIR(below.st_mode) or is_opaque(upper, path)):
            _remove(target, path)
    for path in found.files:
        _remove(target, path)
    copy_left(upper, target, limits)


def _remove(folder: Path, path: bytes) -> None:
    info = lookup(folder, path)
    if info is None:
        return
    name = folder / os.fsdecode(path)
    if stat.S_ISDIR(info.st_mode):
        remove_tree(name)
    else:
        name.unlink()


def copy_left(source: Path, target: Path, limits: Limits, *, marks: bool = False) -> None:
    """Copy into a folder what a program left in another; raise WorkspaceRefused if it is too much.

    What is neither a folder, a file nor a link is left out, but for the marks of an upper layer if they are wanted.
    Two names of one file become two files, so that nothing is shared.
    """
    found = walk(source, limits)
    size = sum(info.st_size for info in found.files.values() if stat.S_ISREG(info.st_mode))
    if size > MOST_TIMES * limits.size:
        raise WorkspaceRefused(NoWorkspace.TOO_LARGE, source, why=f"it has {size // 1024**2:,} MiB")
    _make_folders(source, target, found, marks=marks)
    for path, info in found.files.items():
        old, new = _paths(source, target, path)
        if stat.S_ISLNK(info.st_mode):
            os.symlink(os.readlink(old), new)  # noqa: PTH115, PTH211
        elif stat.S_ISREG(info.st_mode) and not is_whiteout(source, path, info):
            _copy_file(old, new, info)
        elif marks:
            # Also for a pipe or device: without it a file of the base would be there again.
            os.mknod(new, stat.S_IFCHR, os.makedev(0, 0))


def _make_folders(source: Path, target: Path, found: Found, *, marks: bool) -> None:
    for path, info in found.folders.items():
        _, new = _paths(source, target, path)
        os.makedirs(new, exist_ok=True)  # noqa: PTH103
        os.chmod(new, stat.S_IMODE(info.st_mode) | stat.S_IRWXU)  # noqa: PTH101
        if marks and is_opaque(source, path):
            os.setxattr(new, OPAQUE[0], b"y")


def _copy_file(old: bytes, new: bytes, info: os.stat_result) -> None:
    """Copy the bytes, the mode and the time of a plain file; one that can't be read is left out."""
    try:
        handle = os.open(old, PLAIN_FLAGS)
    except PermissionError:
        os.chmod(old, stat.S_IRUSR | stat.S_IWUSR)  # noqa: PTH101
        handle = os.open(old, PLAIN_FLAGS)
    with os.fdopen(handle, "rb") as reader, os.fdopen(os.open(new, _WRITE_NEW, 0o600), "wb") as writer:
        left = info.st_size
        while left and (chunk := reader.read(min(_CHUNK, left))):
            if chunk == _NOTHING[: len(chunk)]:
                writer.seek(len(chunk), os.SEEK_CUR)  # a hole takes no room, and needn't in the copy
            else:
                writer.write(chunk)
            left -= len(chunk)
        writer.truncate()
    os.chmod(new, stat.S_IMODE(info.st_mode) & 0o777)  # noqa: PTH101
    os.utime(new, ns=(info.st_atime_ns, info.st_mtime_ns))


def touched_in_whole(copy: Path, base: Path, limits: Limits) -> dict[bytes, os.stat_result | None]:
    """Return all files and links of the copy, and those of the base that it lacks, as None."""
    touched: dict[bytes, os.stat_result | None] = dict.fromkeys(walk(base, limits).files)
    touched.update(walk(copy, limits).files)
    return touched


def _paths(source: Path, target: Path, path: bytes) -> tuple[bytes, bytes]:
    return os.path.join(os.fsencode(source), path), os.path.join(os.fsencode(target), path)  # noqa: PTH118
