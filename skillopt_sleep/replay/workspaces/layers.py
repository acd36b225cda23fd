"""Read the upper layer of an overlay, which the kernel wrote: what is new there, and what it hides of the base."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.replay.workspaces.entries import Limits
from skillopt_sleep.replay.workspaces.walk import lookup, walk

# As the kernel names them, mounted by a person or by root.
OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")
_WHITEOUT = ("user.overlay.whiteout", "trusted.overlay.whiteout")


def touched_in_layers(upper: Path, lower: Path, limits: Limits) -> dict[bytes, os.stat_result | None]:
    """Return the files and links that the upper layer has, and those of the base that it hides, as None."""
    found = walk(upper, limits)
    touched: dict[bytes, os.stat_result | None] = {}
    hidden: list[bytes] = []
    for path, info in found.files.items():
        if is_whiteout(upper, path, info):
            hidden.append(path)
        else:
            touched[path] = info
            hidden.append(path)  # a folder of the base at this path is hidden, too
    for path in found.folders:
        below = lookup(lower, path)
        if below is not None and (not stat.S_ISDIR(below.st_mode) or is_opaque(upper, path)):
            hidden.append(path)
    for path in hidden:
        for gone in _files_at(lower, path, limits):
            touched.setdefault(gone, None)
    return touched


def is_whiteout(upper: Path, path: bytes, info: os.stat_result) -> bool:
    """Tell whether this stands for a deleted file or folder."""
    if stat.S_ISCHR(info.st_mode):
        return info.st_rdev == 0
    if not stat.S_ISREG(info.st_mode) or info.st_size:
        return False
    return any(_attribute(upper, path, name) is not None for name in _WHITEOUT)


def is_opaque(upper: Path, path: bytes) -> bool:
    """Tell whether a folder hides all that the base has in it."""
    return any(_attribute(upper, path, name) == b"y" for name in OPAQUE)


def _attribute(upper: Path, path: bytes, name: str) -> bytes | None:
    if hasattr(os, "getxattr"):
        with suppress(OSError):
            return os.getxattr(os.path.join(os.fsencode(upper), path), name, follow_symlinks=False)  # noqa: PTH118
    return None


def _files_at(lower: Path, path: bytes, limits: Limits) -> list[bytes]:
    """Return the file at this path of the base, or all below the folder there."""
    info = lookup(lower, path)
    if info is None:
        return []
    if not stat.S_ISDIR(info.st_mode):
        return [path]
    return list(walk(lower, limits, start=path).files)
