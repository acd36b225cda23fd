"""Start a program under sandlock, and end whatever it leaves; run as a program of its own.

Two processes guard the sealed one. The first is in the process group that is killed at the end, and does nothing but
wait. The second has a session of its own, so that it outlives that: it inherits whatever the sealed program leaves,
and as soon as the program or the first guard has ended, kills all of it.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

_SET_SUBREAPER, _CAP_BOUNDING_DROP, _SET_SECUREBITS = 36, 24, 28
_NO_ROOT = 0x3 | 0xC  # being root gives no rights, and that can't be taken back
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x20080522
_TICK = 0.02
_ENDING_SECONDS = 3.0


def main(spec: int, report: int) -> int:
    """Run what the file descriptor `spec` names, and say on `report` whether it began; return its exit status."""
    with os.fdopen(spec, "rb") as file:
        asked = json.load(file)
    os.set_inheritable(report, False)  # noqa: FBT003
    seen, held = os.pipe()
    guard = os.fork()
    if guard == 0:
        os.close(held)
        os._exit(_guard(asked, report, seen))
    os.close(report)
    os.close(seen)
    _, status = os.waitpid(guard, 0)
    os.close(held)
    return os.waitstatus_to_exitcode(status)


def _guard(asked: dict[str, Any], report: int, seen: int) -> int:
    """Run the program until it ends or the first guard does, and then kill what is left."""
    os.setsid()
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    policy = asked["policy"]
    for name, most in policy.pop("limits").items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    _drop_rights(library)
    status = 1
    sys.path.append(asked["library"])
    from sandlock import Sandbox, SandlockError

    try:
        started = Sandbox(**policy).popen(asked["argv"])
        os.write(report, b"began")
        # Only the sealed program holds these from now on.
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        status = _wait(started, seen)
    except (SandlockError, RuntimeError, OSError, ValueError, TypeError) as error:
        os.write(report, str(error).encode()[:300])
    _end_all()
    return status


def _wait(started: Any, seen: int) -> int:
    ended = Event()
    statuses: list[int] = []

    def wait() -> None:
        try:
            statuses.append(started.wait().exit_code)
        finally:
            ended.set()

    def look() -> None:
        os.read(seen, 1)  # nothing is ever written: it returns when the first guard is gone
        ended.set()

    for deed in (wait, look):
        Thread(target=deed, daemon=True).start()
    ended.wait()
    return statuses[0] & 0xFF if statuses else 1


def _end_all() -> None:
    """Kill all processes below this one, until none is left."""
    until = time.monotonic() + _ENDING_SECONDS
    while time.monotonic() < until:
        left = [child for task in Path("/proc/self/task").iterdir() for child in _children(task)]
        if not left:
            return
        for child in left:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_TICK / 10)


def _children(task: Path) -> list[int]:
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        return []


def _drop_rights(library: Any) -> None:
    """Give up every right that root has beyond owning files: a device could be made with them, and read."""
    for capability in range(_LAST_CAPABILITY + 1):
        library.prctl(_CAP_BOUNDING_DROP, capability, 0, 0, 0)
    library.prctl(_SET_SECUREBITS, _NO_ROOT, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    library.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
