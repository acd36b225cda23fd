"""Where we may write, and what is there now."""

import hashlib
import os
import stat
from pathlib import Path

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.kit.attributes import whose
from skillopt_sleep.kit.files import read_plain

LIVE_BYTES = 1024 * 1024  # more than any agent would read

_ANY_WRITE = 0o222


def digest(data: bytes | None) -> str:
    """SHA-256 in hex; empty for a file that doesn't exist."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def writable(path: Path, *, root: Path) -> Path:
    """The real file behind the path, links followed; UnsafePath unless it is one we may write inside of the root.

    It is a regular file of its own, or it doesn't exist yet; its missing folders are made at adoption.
    """
    base, target = _resolve(root, strict=True), _resolve(path, strict=False)
    if target == base or not target.is_relative_to(base):
        raise UnsafePath(
            f"{path} leads to {target}, outside of {root}", remedy=f"make it a plain file inside of {root}"
        )
    if ".git" in target.relative_to(base).parts:
        raise UnsafePath(f"{path} leads into git's own folder", remedy=f"make it a plain file inside of {root}")
    info = _stat(path, target)
    if info is None:
        _refuse_missing(path, target)
    else:
        _refuse_odd(path, info)
        if lost := whose(target):
            raise UnsafePath(
                f"{path} can't be replaced: {lost}", remedy="make it your own file, or exclude the project"
            )
    folder = _nearest_folder(target)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnsafePath(f"{path} is in a read-only folder", remedy=f"make {folder} writable")
    return target


def read_live(target: Path) -> bytes | None:
    """The bytes of the file, None where there is none; UnsafePath where it isn't a plain file or can't be read."""
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
            remedy=f"put a plain file of at most {LIVE_BYTES >> 20} MiB there that you may read",
        ) from error


def missing_folders(target: Path) -> tuple[Path, ...]:
    """The parent folders that don't exist yet, outermost first."""
    return tuple(reversed([folder for folder in target.parents if not folder.exists()]))


def _resolve(path: Path, *, strict: bool) -> Path:
    if not path.is_absolute():
        raise UnsafePath(f"{path} isn't an absolute path", remedy="name the whole path")
    try:
        return path.resolve(strict=strict)
    except (OSError, RuntimeError) as error:
        raise UnsafePath(f"{path} can't be followed: {error}", remedy="mend the link or the folder") from error


def _stat(path: Path, target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsafePath(f"{path} can't be looked at: {error.strerror}", remedy="check its folder") from error


def _refuse_missing(path: Path, target: Path) -> None:
    if path.is_symlink():
        raise UnsafePath(f"{path} is a link to {target}, which doesn't exist", remedy="mend or remove the link")
    if not _nearest_folder(target).is_dir():
        raise UnsafePath(f"{path} has a file where its folder should be", remedy="move that file away")


def _refuse_odd(path: Path, info: os.stat_result) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise UnsafePath(f"{path} isn't a plain file", remedy="put a plain file there, or exclude the project")
    if info.st_nlink > 1:
        raise UnsafePath(
            f"{path} is hard-linked to {info.st_nlink - 1} other name(s), which would fall out of step",
            remedy="make it a file of its own: copy it and move the copy over it",
        )
    if not info.st_mode & _ANY_WRITE or not os.access(path, os.W_OK):
        raise UnsafePath(f"{path} is read-only", remedy="make it writable if it may be changed")


def _nearest_folder(target: Path) -> Path:
    return next(folder for folder in target.parents if folder.exists())
