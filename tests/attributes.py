"""What a file has beside its bytes, set and seen as people and their systems set it."""

import os
import stat
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
needs_attributes = pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")

ACCESS_LIST = "system.posix_acl_access"
STRANGER = 54321
_NOBODY = 0xFFFFFFFF


def access_list(user: int) -> bytes:
    """An access list that lets one more user read, as the kernel takes it."""
    entries = [(0x01, 6, _NOBODY), (0x02, 4, user), (0x04, 4, _NOBODY), (0x10, 4, _NOBODY), (0x20, 0, _NOBODY)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def decorate(path: Path) -> None:
    """Give a file attributes of every kind that its owner can give it."""
    path.chmod(0o640)
    os.setxattr(path, "user.comment", b"mine \x00\xff")
    os.setxattr(path, ACCESS_LIST, access_list(STRANGER))


def seen(path: Path) -> tuple[int, int, int, dict[str, bytes]]:
    """Owner, group, mode and extended attributes."""
    info = path.stat()
    extended = {name: os.getxattr(path, name) for name in os.listxattr(path) if name != "security.selinux"}
    return info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode), extended


def open_to_strangers(folder: Path) -> None:
    """Let every user write to all below a folder of a test, and come there."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    everybodys = Path(tempfile.gettempdir())
    for parent in folder.parents:
        if parent != everybodys and parent.is_relative_to(everybodys):
            parent.chmod(0o711)


def as_stranger(action: Callable[[], str]) -> str:
    """What the action says in a process of a user who owns nothing here, or the error it ends with."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(STRANGER)
            os.setuid(STRANGER)
            os.write(writing, action().encode())
        except BaseException as error:  # noqa: BLE001
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    return said
