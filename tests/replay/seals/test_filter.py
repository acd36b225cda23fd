"""The filter of system calls."""

import struct
from collections.abc import Iterator

import pytest

from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.replay.seals.filter import call_filter
from skillopt_sleep.replay.seals.machine import system_program
from tests.sealed import Place, a_place

pytestmark = pytest.mark.seal

X86, ARM = 0xC000003E, 0xC00000B7
ALLOW = 0x7FFF0000


def _verdict(program: bytes, machine: int, number: int, *arguments: int) -> int:
    """Run the filter as the kernel does."""
    record = struct.pack("=IIQ", number, machine, 0) + b"".join(
        struct.pack("=Q", value) for value in (*arguments, *[0] * 6)[:6]
    )
    at = accumulator = 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", record, value)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("name", "machine", "refused", "allowed"),
    [
        (
            "x86_64",
            X86,
            [(272, 0), (308, 0), (435, 0), (425, 0), (250, 0), (319, 0), (29, 0)],
            [(0, 0), (59, 0), (101, 0)],
        ),
        ("aarch64", ARM, [(97, 0), (268, 0), (435, 0), (425, 0), (219, 0), (279, 0), (194, 0)], [(63, 0), (221, 0)]),
    ],
)
def test_what_is_listed_is_refused_and_the_rest_is_not(
    name: str, machine: int, refused: list[tuple[int, int]], allowed: list[tuple[int, int]]
) -> None:
    program = call_filter(name)
    assert all(_verdict(program, machine, *call) != ALLOW for call in refused)
    assert all(_verdict(program, machine, *call) == ALLOW for call in allowed)


def test_a_process_may_be_made_but_no_namespace() -> None:
    program = call_filter("x86_64")
    assert _verdict(program, X86, 56, 0x01200011) == ALLOW
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert _verdict(program, X86, 56, flag | 17) != ALLOW


def test_sockets_of_other_families_and_typing_into_terminals_are_refused() -> None:
    program = call_filter("x86_64")
    assert [_verdict(program, X86, 41, family) == ALLOW for family in (1, 2, 10, 16)] == [True] * 4
    assert [_verdict(program, X86, 41, family) == ALLOW for family in (0, 3, 17, 38, 40, 44)] == [False] * 6
    assert _verdict(program, X86, 16, 0, 0x5401) == ALLOW
    assert ALLOW not in (_verdict(program, X86, 16, 0, 0x5412), _verdict(program, X86, 16, 0, 0x541C))


def test_calls_by_other_numbers_are_refused_whatever_they_are() -> None:
    program = call_filter("x86_64")
    assert _verdict(program, 0x40000003, 4) != ALLOW  # 32 bits
    assert _verdict(program, X86, 0x40000000 + 1) != ALLOW  # x32


def test_a_machine_whose_numbers_are_not_known_has_no_filter() -> None:
    assert call_filter("riscv64") == b""


@pytest.fixture
def place() -> Iterator[Place]:
    if system_program() is None:
        pytest.skip("bubblewrap isn't installed")
    with a_place(SEALS[0]) as made:
        yield made


def test_the_kernel_takes_it_and_refuses_by_it(place: Place) -> None:
    code = """
print(tried(lambda: socket.socket(40, 1).close()))
print(tried(lambda: os.close(os.memfd_create("x"))))
libc.syscall.restype = ctypes.c_long
print(tried(called, "syscall", given["keyctl"], 0, -3, 0))
master, slave = os.openpty()
print(tried(lambda: fcntl.ioctl(slave, 0x5412, b"x")))
"""
    import platform

    ran = place.python(code, keyctl=250 if platform.machine() == "x86_64" else 219)
    assert ran.stdout.count(b"refused") == 4, ran.stdout + ran.stderr
