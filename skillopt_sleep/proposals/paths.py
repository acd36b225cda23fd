"""Check where we may write, and read what is there now."""

import hashlib
import os
import stat
from pathlib import Path

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.attributes import whose

LIVE_BYTES = 1024 * 1024  # more than any agent would read

_ANY_WRITE = 0o222


def digest(data: bytes | None) -> str:
    """Return the SHA-256 in hex; "" for a file that doesn't exist."""
    if data is None:
        return ""
    return hashlib.sha256(data).hexdigest()


def writable(path: Path, *, root: Path) -> Path:
    """Return the real file behind the path, links followed; raise UnsafePath unless we may write it inside the root.

    It is a regular file with a single name, or it doesn't exist yet; adoption creates its missing folders.
    """
    base = _resolve(root, strict=True)
    target = _resolve(path, strict=False)
    if target == base or not target.is_relative_to(base):
        raise UnsafePath(f"{path} leads to {target}, outside of {root}", remedy=f"make it a plain file inside {root}")
    if ".git" in target.relative_to(base).parts:
        raise UnsafePath(f"{path} leads into git's own folder", remedy=f"make it a plain file inside {root}")
    try:
        _refuse_odd(path, target, target.stat())
    except FileNotFoundError:
        _refuse_missing(path, target)
    except OSError as error:
        raise UnsafePath(f"{path} can't be read: {error.strerror}", remedy="check its folder") from error
    folder = _nearest_folder(target)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnsafePath(f"{path} is in a read-only folder", remedy=f"make {folder} writable")
    return target


def read_live(target: Path) -> bytes | None:
    """Return the bytes of the file, or None without one; raise UnsafePath unless it is a plain, readable file."""
    try:
        info = target.lstat()
        if not stat.S_ISREG(info.st_mode):
            raise UnsafePath(f"{target} isn't a plain file", remedy="put a plain file there")
        return read_plain(target, most=LIVE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsafePath(
            f"{target} can't be read: {error.strerror}",
            remedy=f"put a plain, readable file of at most {LIVE_BYTES >> 20} MiB there",
        ) from error


def numbered(name: str, index: int) -> str:
    """Return the name of what is kept of the first file of a proposal or of a further one, as in `before-2`."""
    return f"{name}-{index + 1}" if index else name


def _resolve(path: Path, *, strict: bool) -> Path:
    if not path.is_absolute():
        raise UnsafePath(f"{path} isn't an absolute path", remedy="give the full path")
    try:
        return path.resolve(strict=strict)
    except FileNotFoundError as error:
        raise UnsafePath(
            f"the folder {path} is gone",
            remedy="move it back; or take all rules out of a moved file: skillopt-sleep undo FILE --to 0",
        ) from error
    except (OSError, RuntimeError) as error:
        raise UnsafePath(f"{path} can't be followed: {error}", remedy="fix the link or the folder") from error


def _refuse_missing(path: Path, target: Path) -> None:
    if path.is_symlink():
        raise UnsafePath(f"{path} is a link to {target}, which doesn't exist", remedy="fix or remove the link")
    if not _nearest_folder(target).is_dir():
        raise UnsafePath(f"{path} has a file where its folder should be", remedy="move that file away")


def _refuse_odd(path: Path, target: Path, info: os.stat_result) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise UnsafePath(f"{path} isn't a plain file", remedy="put a plain file there, or exclude the project")
    if info.st_nlink > 1:
        raise UnsafePath(
            f"{path} is hard-linked to {info.st_nlink - 1} other name(s), which would keep the old text",
            remedy="unlink it: copy the file, then move the copy over it",
        )
    if not info.st_mode & _ANY_WRITE or not os.access(path, os.W_OK):
        raise UnsafePath(f"{path} is read-only", remedy="make it writable if skillopt-sleep may change it")
    problem = whose(target)
    if problem:
        raise UnsafePath(
            f"{path} can't be replaced: {problem}", remedy="make it your own file, or exclude the project"
        )


def _nearest_folder(target: Path) -> Path:
    return next(folder for folder in target.parents if folder.exists())
