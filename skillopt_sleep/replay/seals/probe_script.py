"""Try everything that a seal must refuse; this file is run inside the seal, by itself.

It gets the places to try as JSON on stdin, and prints as JSON what came of each: "" where it got through, else the
error. What got through is also seen from outside, where it counts.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_NEW_USER = 0x10000000
_SETTING = "/proc/sys/kernel/core_pattern"
_CONNECT_SECONDS = 0.5
_BEGIN_SECONDS = 5
_BEATS = 1500
_BEAT_SECONDS = 0.02


def _read(path: str) -> None:
    sys.stderr.write(Path(path).read_text())  # seen from outside


def _write(path: str) -> None:
    with Path(path).open("a") as file:
        file.write("written")


def _write_outside(path: str) -> None:
    """Write a file outside, or open a setting of the whole machine, as root may through a /proc that isn't closed."""
    with contextlib.suppress(OSError):
        _write(path)
        return
    os.close(os.open(_SETTING, os.O_WRONLY))  # nothing is written


def _connect(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as tried:
        tried.settimeout(_CONNECT_SECONDS)
        tried.connect(address)


def _address(address: tuple[str, int]) -> None:
    """Reach out of the machine; what isn't refused at once would be sent, so waiting counts as reached."""
    with contextlib.suppress(OSError):
        _connect(socket.AF_INET, socket.SOCK_DGRAM, address)  # this sends nothing, it only finds a way
        return
    with contextlib.suppress(TimeoutError):
        _connect(socket.AF_INET, socket.SOCK_STREAM, address)


def _namespace() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "unshare"):
        raise OSError(0, "there are no namespaces")
    if library.unshare(_NEW_USER) != 0:
        raise OSError(ctypes.get_errno(), "refused")


def _outlive(path: str) -> None:
    """Leave a process behind that writes on, in a session of its own; return when it has begun."""
    if os.fork():
        until = time.monotonic() + _BEGIN_SECONDS
        while not Path(path).exists() and time.monotonic() < until:
            time.sleep(_BEAT_SECONDS / 4)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (0, 1, 2):
        os.close(number)
    for _ in range(_BEATS):
        _write(path)
        time.sleep(_BEAT_SECONDS)
    os._exit(0)


def _tried(deed: Callable[[], None]) -> str:
    try:
        deed()
    except (OSError, ValueError) as error:
        return str(error) or "refused"
    return ""


def main() -> None:
    """Try each, and print what came of it."""
    ask = json.load(sys.stdin)
    deeds: dict[str, Callable[[], None]] = {
        "copy": lambda: _write(ask["copy"]),
        "home": lambda: _write(ask["home"]),
        "relay": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, ask["relay"]),
        "read_outside": lambda: _read(ask["secret"]),
        "write_outside": lambda: _write_outside(ask["outside"]),
        "write_base": lambda: _write(ask["base"]),
        "loopback": lambda: _connect(socket.AF_INET, socket.SOCK_STREAM, tuple(ask["loopback"])),
        "abstract_socket": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + ask["abstract"]),
        "outside_address": lambda: _address(tuple(ask["address"])),
        "namespace": _namespace,
        "signal_outside": lambda: os.kill(ask["process"], signal.SIGKILL),
        "outlive": lambda: _outlive(ask["beats"]),
    }
    sys.stdout.write(json.dumps({name: _tried(deed) for name, deed in deeds.items()}))


if __name__ == "__main__":
    main()
