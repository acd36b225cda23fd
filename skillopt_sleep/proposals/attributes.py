"""Replace a user's file and keep what it has besides its bytes: owner, group, mode, access list, attributes."""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.kit.files import PLAIN_FLAGS, PRIVATE_FILE, replace_bytes

# Attributes that the system gives every file by itself: labels by the policy of the folder, checksums that only the
# kernel writes, and where a cluster keeps the blocks. A copy rightly has its own.
_BY_THE_SYSTEM = ("security.selinux", "security.SMACK64", "security.ima", "security.evm")
_BY_THE_DISK = ("trusted.SGI_", "lustre.")
_REFUSALS = {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP}
_EVERYBODY = 0o666
_APPLE_ACL = 1 << 0
_APPLE_EXTENDED = 1 << 2


class Attributes(NamedTuple):
    """The attributes of one file; `extended` holds its access lists too, as the kernel stores them."""

    mode: int
    owner: int
    group: int
    extended: dict[str, bytes]


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
    replace_bytes(path, data, mode=mode, finish=finish)


@contextmanager
def kept_open(path: Path) -> Generator[Callable[[], bytes | None]]:
    """Hold a file open while it is replaced or removed, and yield what reads the bytes that it had in the end.

    It returns None without a file.
    """
    if not path.exists():
        yield lambda: None
        return
    with os.fdopen(os.open(path, PLAIN_FLAGS), "rb") as file:
        yield file.read


def attributes_of(path: Path) -> Attributes:
    """Return the attributes of the file; raise UnsafePath if any of them can't be read."""
    try:
        info = path.lstat()
        extended = _extended(path)
    except OSError as error:
        raise UnsafePath(
            f"{path}: its owner, mode and attributes can't be read: {error.strerror}", remedy="check its permissions"
        ) from error
    return Attributes(mode=stat.S_IMODE(info.st_mode), owner=info.st_uid, group=info.st_gid, extended=extended)


def give(new: Path, attributes: Attributes, *, name: Path) -> None:
    """Give a new file exactly these attributes.

    Raises UnsafePath if that can't be done. Its message calls the file by `name`, which it will have in the end.
    """
    try:
        info = new.stat()
        if (info.st_uid, info.st_gid) != (attributes.owner, attributes.group):
            os.chown(new, attributes.owner, attributes.group)
        _give_extended(new, attributes.extended)
        new.chmod(attributes.mode)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
    result = attributes_of(new)
    if (result.owner, result.group) != (attributes.owner, attributes.group):
        raise _cannot_keep(name, "owner or group")
    if result.extended != attributes.extended:
        raise _cannot_keep(name, "access list or extended attributes")
    if result.mode != attributes.mode:
        raise _cannot_keep(name, "mode")


def whose(path: Path) -> str:
    """Return why a file that replaces this one couldn't have its owner and group, or "" if it could."""
    if os.geteuid() == 0:
        return ""
    info = path.lstat()
    if info.st_uid != os.geteuid():
        return "it belongs to another user, who would lose it"
    if info.st_gid not in {os.getegid(), *os.getgroups(), _inherited_group(path.parent)}:
        return "it is of a group that you aren't in, which would lose it"
    return ""


def copy_on_a_mac(old: Path, new: Path) -> None:
    """Copy the access list and extended attributes to a new file on macOS, where Python can't read them."""
    if sys.platform != "darwin":
        return
    system = ctypes.CDLL(None, use_errno=True)
    with old.open("rb") as source, new.open("rb+") as target:
        flags = ctypes.c_uint32(_APPLE_ACL | _APPLE_EXTENDED)
        # It leaves out by itself what the system sets, such as com.apple.provenance.
        if system.fcopyfile(source.fileno(), target.fileno(), None, flags) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(old))


def _inherited_group(folder: Path) -> int | None:
    """Return the group that a folder gives new files, or None if they get the creator's."""
    info = folder.stat()
    if sys.platform != "linux" or info.st_mode & stat.S_ISGID:
        return info.st_gid
    return None


def _extended(path: Path) -> dict[str, bytes]:
    if sys.platform != "linux":
        return {}
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
    extended: dict[str, bytes] = {}
    for name in names:
        if name not in _BY_THE_SYSTEM and not name.startswith(_BY_THE_DISK):
            extended[name] = os.getxattr(path, name, follow_symlinks=False)
    return extended


def _give_extended(new: Path, wanted: dict[str, bytes]) -> None:
    if sys.platform != "linux":
        return
    present = _extended(new)
    # A folder may give new files an access list.
    for name in present.keys() - wanted.keys():
        os.removexattr(new, name)
    for name, value in wanted.items():
        if present.get(name) != value:
            os.setxattr(new, name, value)


def _cannot_keep(name: Path, what: str) -> UnsafePath:
    return UnsafePath(
        f"{name}: its {what} can't be kept, so nothing was written",
        remedy="run the command as its owner, or make the file your own: copy it and move the copy over it",
    )
