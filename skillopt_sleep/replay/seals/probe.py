"""Find out what a seal really denies, by trying it.

Each denial is tried inside by `probe_script.py`, with things of ours that stand outside: a file to read, a server, a
process. A denial counts only if both sides agree: it failed inside, and outside nothing was touched.
"""

import json
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.protocols.sealing import HOME, SOCKET, Bounds, Denial, Policy, Probe, Seal, Tree
from skillopt_sleep.replay.workspaces.layers import layers_work

# TEST-NET-1: it belongs to nobody and is routed nowhere; a seal has to refuse it before anything is sent.
NOWHERE = ("192.0.2.1", 9)

_SCRIPT = Path(__file__).with_name("probe_script.py")
_BOUNDS = Bounds(seconds=15, cpu_seconds=15, memory=512 * 1024**2, file_size=1024**2, processes=64, output=64 * 1024)
_BEATS_SECONDS = 0.2
_SCRIPT_INSIDE = PurePosixPath("/run/probe_script.py")


class _Outside(NamedTuple):
    """What stands outside of the seal, to see whether it is touched."""

    secret: str
    folder: Path
    base: Path
    loopback: socket.socket
    abstract: socket.socket
    relay: socket.socket
    sleeper: subprocess.Popen[bytes]

    @property
    def files(self) -> Path:
        """Return the folder that nothing in the seal may see."""
        return self.folder / "outside"


def probed(seal: Seal, version: str, folder: Path, *, remedy: str) -> Probe:
    """Try in this empty folder what the seal must refuse, and what it must allow."""
    try:
        with ExitStack() as opened:
            outside = _stand(folder, opened)
            return _try(seal, version, outside, remedy)
    except (SealBroken, OSError) as error:
        says = error.message if isinstance(error, SealBroken) else f"it can't be tried: {error}"
        return Probe(seal.name, version, problem=says, remedy=remedy)


def _stand(folder: Path, opened: ExitStack) -> _Outside:
    for name in ("base", "upper", "work", "home", "outside"):
        (folder / name).mkdir()
    secret = secrets.token_hex(16)
    (folder / "outside" / "secret").write_text(secret)
    (folder / "base" / "file").write_text("base\n")
    loopback = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
    abstract = opened.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind(f"\0skillopt-sleep-{secret}")
    abstract.listen()
    relay = opened.enter_context(socket.socket(socket.AF_UNIX))
    relay.bind(str(folder / "s"))
    relay.listen()
    for server in (loopback, abstract, relay):
        server.settimeout(0)
    # It waits for input that never comes, and ends with us, however we end.
    sleeper = opened.enter_context(subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE))
    opened.callback(sleeper.kill)
    return _Outside(secret, folder, folder / "base", loopback, abstract, relay, sleeper)


def _try(seal: Seal, version: str, outside: _Outside, remedy: str) -> Probe:
    policy, program, script = _policy(outside.folder)
    ask = {
        "copy": str(policy.root / "file"),
        "home": str(HOME / "file"),
        "relay": str(SOCKET),
        "secret": str(outside.files / "secret"),
        "outside": str(outside.files / "new"),
        "base": str(outside.base / "file"),
        "loopback": outside.loopback.getsockname(),
        "abstract": f"skillopt-sleep-{outside.secret}",
        "address": NOWHERE,
        "process": outside.sleeper.pid,
        "beats": str(HOME / "beats"),
    }
    ran = seal.run([program, "-I", "-S", script], policy, stdin=json.dumps(ask).encode())
    try:
        told = msgspec.json.decode(ran.stdout, type=dict[str, str])
    except msgspec.DecodeError:
        says = ran.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"status {ran.status}"]
        return Probe(seal.name, version, problem=f"a program didn't run in it: {says[0][:200]}", remedy=remedy)
    for name, what in (("copy", "its copy"), ("home", "its home"), ("relay", "the way to the model")):
        if why := told.get(name, "not tried"):
            problem = f"a program in it can't use {what}: {why}"
            return Probe(seal.name, version, problem=problem, remedy=remedy)
    untouched = _untouched(outside, ran.stderr)
    denied = frozenset(denial for denial in Denial if untouched[denial] and _failed(denial, told))
    missing = [denial.value for denial in Denial if denial not in denied]
    problem = f"it doesn't deny: {', '.join(missing)}" if missing else ""
    return Probe(seal.name, version, denied=denied, problem=problem, remedy=remedy if missing else "")


def _policy(folder: Path) -> tuple[Policy, str, str]:
    """Return a policy for the trial, and the interpreter and the script as they are named inside."""
    tree = Tree(upper=folder / "upper", lower=folder / "base", work=folder / "work")
    if not layers_work(folder):
        (folder / "upper" / "file").write_text("base\n")
        tree = Tree(upper=folder / "upper")
    home, relay = folder / "home", folder / "s"
    program, reads = interpreter()
    policy = Policy(
        tree=tree,
        root=PurePosixPath("/probe/copy"),
        cwd=PurePosixPath("/probe/copy"),
        home=home,
        socket=relay,
        reads={**reads, _SCRIPT_INSIDE: _SCRIPT},
        environ={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        bounds=_BOUNDS,
    )
    return policy, program, str(_SCRIPT_INSIDE)


def interpreter() -> tuple[str, Mapping[PurePosixPath, Path]]:
    """Return our own interpreter, without its environment, and what it has to read; there may be no other."""
    prefix = Path(sys.base_prefix)
    real = prefix / "bin" / f"python3.{sys.version_info.minor}"
    program = real if real.exists() else Path(sys.executable)
    return str(program), {} if prefix == Path("/usr") else {PurePosixPath(prefix): prefix}


def _failed(denial: Denial, told: Mapping[str, str]) -> bool:
    """Tell whether the attempt failed inside; leaving a process can't be refused, only ended."""
    if denial is Denial.OUTLIVE:
        return told.get(denial, "not tried") == ""
    if denial in {Denial.WRITE_BASE, Denial.SIGNAL_OUTSIDE}:
        return denial in told  # the same name or number may stand for something else inside
    return bool(told.get(denial, ""))


def _untouched(outside: _Outside, stderr: bytes) -> Mapping[Denial, bool]:
    """Return of each denial whether, as seen from outside, nothing got through."""
    files = outside.files
    beats = outside.folder / "home" / "beats"
    before = _size(beats)
    time.sleep(_BEATS_SECONDS)
    return {
        Denial.READ_OUTSIDE: outside.secret.encode() not in stderr,
        Denial.WRITE_OUTSIDE: [*files.iterdir()] == [files / "secret"]
        and (files / "secret").read_text() == outside.secret,
        Denial.WRITE_BASE: (outside.base / "file").read_text() == "base\n",
        Denial.LOOPBACK: not _was_reached(outside.loopback),
        Denial.ABSTRACT_SOCKET: not _was_reached(outside.abstract),
        Denial.OUTSIDE_ADDRESS: True,  # it can only be seen inside
        Denial.NAMESPACE: True,
        Denial.SIGNAL_OUTSIDE: outside.sleeper.poll() is None,
        Denial.OUTLIVE: 0 < before == _size(beats),
    }


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _was_reached(server: socket.socket) -> bool:
    try:
        connection, _ = server.accept()
    except (BlockingIOError, OSError):
        return False
    connection.close()
    return True
