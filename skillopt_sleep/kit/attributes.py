"""What a file has beside its bytes: owner, group, mode, access list and extended attributes, read and given."""

import ctypes
import errno
import os
import stat
import sys
from pathlib import Path

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.records import Record

# What the system gives every file by itself and takes from nobody: labels by the policy of the folder, sums of the
# bytes that only the kernel writes, and where a cluster keeps the blocks. A copy has its own, and has it rightly.
_BY_THE_SYSTEM = ("security.selinux", "security.SMACK64", "security.ima", "security.evm")
_BY_THE_DISK = ("trusted.SGI_", "lustre.")
_REFUSALS = {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP}
_APPLE_ACL, _APPLE_EXTENDED = 1 << 0, 1 << 2


class Attributes(Record, frozen=True, kw_only=True):
    """Access lists are among the extended ones, as the kernel has them."""

    mode: int
    owner: int
    group: int
    extended: dict[str, bytes]


def attributes_of(path: Path) -> Attributes:
    """What the file has; UnsafePath where that can't be read whole."""
    try:
        info, extended = path.lstat(), _extended(path)
    except OSError as error:
        raise UnsafePath(
            f"{path}: its owner, mode and attributes can't be read: {error.strerror}", remedy="check its permissions"
        ) from error
    return Attributes(mode=stat.S_IMODE(info.st_mode), owner=info.st_uid, group=info.st_gid, extended=extended)


def give(made: Path, attributes: Attributes, *, name: Path) -> None:
    """Give a new file exactly these; UnsafePath, which calls it by the name it will have, where it can't be done."""
    try:
        info = made.stat()
        if (info.st_uid, info.st_gid) != (attributes.owner, attributes.group):
            os.chown(made, attributes.owner, attributes.group)
        _give_extended(made, attributes.extended)
        made.chmod(attributes.mode)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
    now = attributes_of(made)
    if (now.owner, now.group) != (attributes.owner, attributes.group):
        raise _lost(name, "owner or group")
    if now.extended != attributes.extended:
        raise _lost(name, "access list or extended attributes")
    if now.mode != attributes.mode:
        raise _lost(name, "mode")


def whose(path: Path) -> str:
    """Why a file in place of this one couldn't be its owner's or group's; "" where it could."""
    if sys.platform == "win32" or os.geteuid() == 0:
        return ""
    info = path.lstat()
    if info.st_uid != os.geteuid():
        return "it belongs to another user, who would lose it"
    if info.st_gid not in {os.getegid(), *os.getgroups(), _group_given(path.parent)}:
        return "it is of a group that you aren't in, which would lose it"
    return ""


def copy_on_a_mac(old: Path, made: Path) -> None:
    """Give a new file the access list and extended attributes of another, where Python has no words for them."""
    if sys.platform != "darwin":
        return
    system = ctypes.CDLL(None, use_errno=True)
    with old.open("rb") as source, made.open("rb+") as target:
        flags = ctypes.c_uint32(_APPLE_ACL | _APPLE_EXTENDED)
        # It leaves out by itself what the system sets, such as com.apple.provenance.
        if system.fcopyfile(source.fileno(), target.fileno(), None, flags) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(old))


def _group_given(folder: Path) -> int | None:
    """The group that a folder gives what is made in it; None where that is the maker's."""
    info = folder.stat()
    return info.st_gid if sys.platform != "linux" or info.st_mode & stat.S_ISGID else None


def _extended(path: Path) -> dict[str, bytes]:
    if sys.platform != "linux":
        return {}
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
    kept = [one for one in names if one not in _BY_THE_SYSTEM and not one.startswith(_BY_THE_DISK)]
    if odd := next((one for one in kept if not one.isprintable()), None):
        raise UnsafePath(f"{path}: its attribute {odd!r} can't be written down", remedy="remove it: setfattr -x")
    return {one: os.getxattr(path, one, follow_symlinks=False) for one in kept}


def _give_extended(made: Path, wanted: dict[str, bytes]) -> None:
    if sys.platform != "linux":
        return
    now = _extended(made)
    # A folder may give what is made in it an access list.
    for name in now.keys() - wanted.keys():
        os.removexattr(made, name)
    for name, value in wanted.items():
        if now.get(name) != value:
            os.setxattr(made, name, value)


def _lost(name: Path, what: str) -> UnsafePath:
    return UnsafePath(
        f"{name}: its {what} can't be kept, so nothing was written",
        remedy="run the command as its owner, or make the file your own: copy it and move the copy over it",
    )
