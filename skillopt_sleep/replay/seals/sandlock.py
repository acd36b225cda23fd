"""Seal programs by sandlock: Landlock and a filter of system calls, where no namespaces can be had, as in containers.

It can't move anything: the copy is whole, and each thing stands where it is on the disk. A sealed program has no
network of its own either, so that what talks to itself over loopback doesn't work in it. Leaving a process behind
can't be refused by it: `confined.py` ends what is left. Memory is counted by `watching.py`: sandlock counts address
space, of which Claude Code reserves far more than it uses.
"""

import json
import os
import select
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit import process
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.sealing import Policy, Probe
from skillopt_sleep.replay.seals.handed import Handed
from skillopt_sleep.replay.seals.probe import probed
from skillopt_sleep.replay.seals.remedies import sandlock_remedy
from skillopt_sleep.replay.seals.watching import Watch

VERSION = "0.9."
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_ETC = ("ssl", "pki", "ca-certificates", "alternatives", "ld.so.cache", "localtime", "passwd", "group", "hosts")
_DEVICES = ("/dev/zero", "/dev/random", "/dev/urandom")
_CONFINED = Path(__file__).with_name("confined.py")
_DEAD_SECONDS = 5.0


class Sandlock:
    """sandlock, if the library is installed."""

    name = "sandlock"
    layers = False
    moves = False
    loopback = False

    def probe(self, folder: Path, /) -> Probe:
        """Try what it must refuse, in this empty folder."""
        found = _version()
        if not found:
            return Probe(self.name, problem="it isn't installed", remedy=sandlock_remedy())
        if not found.startswith(VERSION):
            problem = f"version {VERSION}x is needed"
            return Probe(self.name, found, problem=problem, remedy=sandlock_remedy())
        return probed(self, found, folder, remedy="Linux 6.12 or later has all it needs")

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> Ran:
        """Run the program sealed, and end it with all it started; raise SealBroken if the seal can't be put up."""
        check_in_place(policy)
        if policy.tree.lower:
            raise SealBroken("sandlock needs a whole copy of the repository")
        with Handed() as handed:
            asked = {"argv": list(argv), "policy": settings(policy), "library": _library()}
            spec = handed.file(json.dumps(asked).encode())
            ours, theirs = handed.pipe()
            ran = process.run(
                [sys.executable, "-I", "-S", str(_CONFINED), str(spec), str(theirs)],
                stdin=stdin,
                cwd=Path("/"),
                environ={"PATH": "/usr/bin:/bin", "HOME": str(policy.home)},
                timeout=policy.bounds.seconds,
                most=policy.bounds.output,
                handed=handed.numbers,
                watch=Watch(policy.bounds, policy.tree.upper),
            )
            handed.close(theirs)
            said = _until_closed(ours)
        if said == "began" or ran.stopped:
            return ran
        raise SealBroken(f"the seal didn't start: {said or ran.stderr.decode(errors='replace').strip()[-300:]}")


def settings(policy: Policy) -> dict[str, object]:
    """Return the policy in sandlock's words."""
    bounds = policy.bounds
    there = [path for path in (*_SYSTEM, *(f"/etc/{name}" for name in _ETC), *_DEVICES) if os.path.exists(path)]  # noqa: PTH110
    readable = [*there, "/proc", *(str(path) for path in policy.reads.values())]
    writable = [str(policy.tree.upper), str(policy.home), "/dev/null"]
    if policy.socket:
        writable.append(str(policy.socket))
    return {
        "fs_readable": readable,
        "fs_writable": writable,
        "cwd": str(policy.cwd),
        "clean_env": True,
        "env": dict(policy.environ),
        "max_processes": bounds.processes,
        "no_coredump": True,
        "limits": {"FSIZE": bounds.file_size, "CPU": bounds.cpu_seconds, "CORE": 0, "NPROC": bounds.processes},
    }


def check_in_place(policy: Policy) -> None:
    """Raise SealBroken unless each path inside is the one on the disk, as for a seal that moves nothing."""
    pairs = [(policy.root, policy.tree.upper), (policy.inside_home, policy.home), *policy.reads.items()]
    if policy.socket:
        pairs.append((policy.inside_socket, policy.socket))
    for inside, outside in pairs:
        if inside != PurePosixPath(outside):
            raise SealBroken(f"this seal can't show {outside} as {inside}: it moves nothing")


def _version() -> str:
    try:
        return version("sandlock")
    except PackageNotFoundError:
        return ""


def _library() -> str:
    """Return the folder from which sandlock is imported; the program that needs it looks nowhere else."""
    found = find_spec("sandlock")
    if found is None or found.origin is None:
        raise SealBroken("sandlock isn't installed", remedy=sandlock_remedy())
    return str(Path(found.origin).parent.parent)


def _until_closed(handle: int) -> str:
    """Return what the guard said; it closes its end when the last process in the seal is dead."""
    said = b""
    until = time.monotonic() + _DEAD_SECONDS
    while (left := until - time.monotonic()) > 0:
        if not select.select([handle], [], [], left)[0]:
            break
        chunk = os.read(handle, 4096)
        if not chunk:
            break
        said += chunk
    return said.decode(errors="replace")
