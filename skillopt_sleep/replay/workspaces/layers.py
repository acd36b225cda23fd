"""Share one read-only folder among many copies: each is a layer over it, in which stands only what was written."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.scratch import SCRATCH, prefix, remove_tree
from skillopt_sleep.replay.workspaces.limits import CopyLimits, lookup, walk

# As the kernel names them, mounted by a person or by root.
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")
_WHITEOUT = ("user.overlay.whiteout", "trusted.overlay.whiteout")
_SECONDS = 20.0
_TRY = """
cd "$1" && mkdir below upper work shown && echo 1 > below/file &&
mount -t overlay -o lowerdir=below,upperdir=upper,workdir=work,userxattr overlay shown && echo 2 > shown/file
"""


def layers_work(folder: Path) -> bool:
    """Try whether layers can be mounted in this folder, in a namespace of our own, as for a seal."""
    place = Path(tempfile.mkdtemp(prefix=prefix(SCRATCH), dir=folder))
    try:
        ran = run(
            ["unshare", "-U", "-r", "-m", "/bin/sh", "-c", _TRY, "sh", str(place)],
            stdin=b"",
            cwd=place,
            environ={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            timeout=_SECONDS,
        )
        return ran.status == 0 and (place / "upper" / "file").exists()
    except OSError:
        return False
    finally:
        remove_tree(place)


def hide_base(folder: Path) -> None:
    """Have a folder of an upper layer hide all that the base has at its place."""
    os.setxattr(folder, _OPAQUE[0], b"y")


def touched_in_layers(upper: Path, lower: Path, limits: CopyLimits) -> dict[bytes, os.stat_result | None]:
    """Return the files and links that the upper layer has, and those of the base that it hides, as None."""
    found = walk(upper, limits)
    touched: dict[bytes, os.stat_result | None] = {
        path: info for path, info in found.files.items() if not _is_whiteout(upper, path, info)
    }
    hidden = list(found.files)  # a folder of the base at the path of a file is hidden, too
    for path in found.folders:
        below = lookup(lower, path)
        if below is not None and (
            not stat.S_ISDIR(below.st_mode) or any(_attribute(upper, path, name) == b"y" for name in _OPAQUE)
        ):
            hidden.append(path)
    for path in hidden:
        for gone in _files_at(lower, path, limits):
            touched.setdefault(gone, None)
    return touched


def _is_whiteout(upper: Path, path: bytes, info: os.stat_result) -> bool:
    """Tell whether this stands for a deleted file or folder."""
    if stat.S_ISCHR(info.st_mode):
        return info.st_rdev == 0
    if not stat.S_ISREG(info.st_mode) or info.st_size:
        return False
    return any(_attribute(upper, path, name) is not None for name in _WHITEOUT)


def _attribute(upper: Path, path: bytes, name: str) -> bytes | None:
    if hasattr(os, "getxattr"):
        with suppress(OSError):
            return os.getxattr(os.path.join(os.fsencode(upper), path), name, follow_symlinks=False)  # noqa: PTH118
    return None


def _files_at(lower: Path, path: bytes, limits: CopyLimits) -> list[bytes]:
    """Return the file at this path of the base, or all below the folder there."""
    info = lookup(lower, path)
    if info is None:
        return []
    if not stat.S_ISDIR(info.st_mode):
        return [path]
    return list(walk(lower, limits, start=path).files)
