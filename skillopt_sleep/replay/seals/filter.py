"""Build the filter of system calls for a sealed program: what namespaces alone don't keep from it.

Namespaces leave a few ways out: a kernel of a virtual machine has sockets to its host (AF_VSOCK), keys of the
caller's session are inherited, text can be pushed into a terminal, and memory can be taken where no count sees it.
The kernel runs the filter for each call and refuses what is listed. The numbers are of Linux, for ever.
"""

import errno
import platform
import struct
from typing import NamedTuple

# One instruction: code, where to jump if true and if not, and a number.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24  # where in the call's record these are
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  # another set of numbers for the same calls, on x86-64

_NEW_NAMESPACE = 0x7E020000  # each CLONE_NEW… flag that clone takes
_FAMILIES = (1, 2, 10, 16)  # Unix, IPv4, IPv6, netlink: the network of the seal is empty anyway
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C


class _Machine(NamedTuple):
    """The numbers of one kind of processor."""

    audit: int
    clone: int
    socket: int
    ioctl: int
    memfd: int
    refused: tuple[int, ...]


# clone3, whose flags a filter can't see, and io_uring_setup, _enter and _register, which pass a filter by: these are
# answered as by an older kernel, where programs have another way.
_NEWER = (435, 425, 426, 427)
_MACHINES = {
    "x86_64": _Machine(
        audit=0xC000003E,
        clone=56,
        socket=41,
        ioctl=16,
        memfd=319,
        # unshare, setns, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, memfd_secret, shmget
        refused=(272, 308, 248, 249, 250, 321, 298, 323, 447, 29),
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        clone=220,
        socket=198,
        ioctl=29,
        memfd=279,
        refused=(97, 268, 217, 218, 219, 280, 241, 282, 447, 194),
    ),
}


def call_filter(machine: str = "") -> bytes:
    """Return the filter for this kind of processor, as the kernel reads it; empty if its numbers aren't known."""
    numbers = _MACHINES.get(machine or platform.machine())
    if numbers is None:
        return b""
    program = [
        *_load(_MACHINE),
        # Calls of another kind of processor (32 bits) have other numbers: none is let through.
        *[_instruction(_JUMP_EQUAL, numbers.audit, yes=1), _refuse(errno.ENOSYS)],
        *_load(_NUMBER),
    ]
    if numbers.audit == _MACHINES["x86_64"].audit:
        program += _when(_JUMP_AT_LEAST, _X32, errno.ENOSYS)
    for number in (*_NEWER, numbers.memfd):
        program += _when(_JUMP_EQUAL, number, errno.ENOSYS)
    for number in numbers.refused:
        program += _when(_JUMP_EQUAL, number, errno.EPERM)
    program += _with_argument(numbers.clone, _FIRST, _when(_JUMP_ANY_BIT, _NEW_NAMESPACE, errno.EPERM))
    program += _with_argument(
        numbers.ioctl,
        _SECOND,
        [*_when(_JUMP_EQUAL, _TIOCSTI, errno.EPERM), *_when(_JUMP_EQUAL, _TIOCLINUX, errno.EPERM)],
    )
    program += _with_argument(numbers.socket, _FIRST, _families())
    program += [_instruction(_RETURN, _ALLOW)]
    return b"".join(program)


def _families() -> list[bytes]:
    """Let sockets of these families through, and refuse all others."""
    rest = len(_FAMILIES)
    checks = [_instruction(_JUMP_EQUAL, family, yes=rest - place) for place, family in enumerate(_FAMILIES)]
    return [*checks, _refuse(errno.EAFNOSUPPORT)]


def _with_argument(number: int, place: int, then: list[bytes]) -> list[bytes]:
    """Check an argument of the call with this number, and load the call's number again."""
    inside = [*_load(place), *then, *_load(_NUMBER)]
    return [_instruction(_JUMP_EQUAL, number, no=len(inside)), *inside]


def _when(code: int, value: int, error: int) -> list[bytes]:
    return [_instruction(code, value, no=1), _refuse(error)]


def _load(place: int) -> list[bytes]:
    return [_instruction(_LOAD, place)]


def _refuse(error: int) -> bytes:
    return _instruction(_RETURN, _REFUSE | error)


def _instruction(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
