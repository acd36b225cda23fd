"""Seal programs by bubblewrap: namespaces of their own, in which nothing stands but what the policy names.

The copy's layers are mounted in a mount namespace of ours around it, so that they are gone with the last process,
whatever is killed. bubblewrap makes no mount point in anything that another program may have written: see
mountpoints.py. So versions before 0.12 can be used as well.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit import process
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.sealing import Bounds, Policy, Probe
from skillopt_sleep.replay.seals.filter import call_filter
from skillopt_sleep.replay.seals.handed import Handed
from skillopt_sleep.replay.seals.mounts import check, mounts, options
from skillopt_sleep.replay.seals.probe import probed
from skillopt_sleep.replay.seals.remedies import linux_remedy
from skillopt_sleep.replay.seals.watching import Watch

OLDEST = (0, 8)  # the first that can forbid namespaces inside
CODEX_BUILD = "bubblewrap built for Codex"

# Every value is a parameter, never text of the script; file descriptors stand for folders in the mount's options, in
# which a comma or colon of a path would have a meaning. The kernel's memory killer takes the sealed program first.
_PLAIN = 'echo 1000 > /proc/self/oom_score_adj; exec "$@"'
# bubblewrap is the first process of a process namespace of ours: with it all others end, before its end is seen. From
# Linux 6.14 on such a namespace has a limit of processes, the only one that binds root; 300 numbers are never given.
_AROUND = ("unshare", "-U", "-r", "-m", "-p", "-f", "--kill-child", "/bin/sh", "-c")
_BOUNDED = """
echo 1000 > /proc/self/oom_score_adj
mount -t proc proc /proc 2> /dev/null && echo "$((300 + $1))" 2> /dev/null > /proc/sys/kernel/pid_max
shift
exec "$@"
"""
_LAYERED = (
    """
set -e
exec 7<"$1" 8<"$2" 9<"$3"
mount -t overlay -o lowerdir=/proc/self/fd/7,upperdir=/proc/self/fd/8,workdir=/proc/self/fd/9,userxattr overlay "$2"
exec 7<&- 8<&- 9<&-
shift 3
set +e
"""
    + _BOUNDED
)
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_VERSION_SECONDS = 5.0
_DEAD_SECONDS = 2.0
_TICK = 0.01
# What programs ask for by name; without them Node and git can't tell who they are.
_FILES = {
    "/etc/passwd": b"replay:x:1000:1000:replay:/home/replay:/bin/sh\n",
    "/etc/group": b"replay:x:1000:\n",
    "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
}


class Bubblewrap:
    """bubblewrap, of the system or as it comes with Codex."""

    def __init__(self, name: str, find: Callable[[], Path | None], *, layers: bool = True) -> None:
        self.name = name
        self.layers = layers
        self._find = find

    def probe(self, folder: Path, /) -> Probe:
        """Try what it must refuse, in this empty folder."""
        program = self._find()
        if program is None:
            return Probe(self.name, problem="it isn't installed", remedy=linux_remedy())
        version = version_of(program)
        if problem := too_old(version):
            return Probe(self.name, version, problem=problem, remedy="install a newer bubblewrap")
        if not call_filter():
            return Probe(self.name, version, problem="the system calls of this kind of processor aren't known")
        return probed(self, version, folder, remedy=linux_remedy())

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> Ran:
        """Run the program sealed, and end it with all it started; raise SealBroken if the seal can't be put up."""
        program = self._find()
        if program is None:
            raise SealBroken("bubblewrap isn't installed", remedy=linux_remedy())
        if policy.tree.lower and not self.layers:
            raise SealBroken(f"{self.name} needs a whole copy of the repository")
        check(policy)
        with Handed() as handed:
            data = {path: handed.file(content) for path, content in _FILES.items()}
            words = options(policy, mounts(policy), data)
            ours, theirs = handed.pipe()
            command = [
                *(str(program), "--args", str(handed.file(b"".join(os.fsencode(word) + b"\0" for word in words)))),
                *("--seccomp", str(handed.file(call_filter())), "--json-status-fd", str(theirs)),
                *("--", *limited(policy.bounds), *argv),
            ]
            watch = Watch(policy.bounds, policy.tree.upper)
            around = _around(policy)
            ran = _started([*around, *command], policy, stdin, handed, watch)
            return _ended(ran, ours, watch, numbered=around[0] == _AROUND[0])


def version_of(program: Path) -> str:
    """Return the version as the program prints it, "" if it can't be run."""
    try:
        ran = process.run(
            [str(program), "--version"], stdin=b"", cwd=Path("/"), environ={"PATH": _PATH}, timeout=_VERSION_SECONDS
        )
    except OSError:
        return ""
    return ran.stdout.decode(errors="replace").strip()[:80] if ran.status == 0 else ""


def too_old(version: str) -> str:
    """Say why this version can't be used, or ""."""
    if version == CODEX_BUILD or is_at_least(version, OLDEST):
        return ""
    oldest = ".".join(map(str, OLDEST))
    return f"{version or 'its version is not known; it'} is too old: {oldest} is the first that can forbid namespaces"


def is_at_least(version: str, least: tuple[int, int]) -> bool:
    """Tell whether this is such a version of bubblewrap or a later one; what says no number is none."""
    found = re.fullmatch(r"bubblewrap (\d+)\.(\d+)(\.\d+)*", version)
    return found is not None and (int(found[1]), int(found[2])) >= least


def limited(bounds: Bounds) -> tuple[str, ...]:
    """Return the beginning of a command that limits it.

    It stands inside: a limit of processes that is set before a user namespace is made counts all the user has.
    """
    program = shutil.which("prlimit", path=_PATH)
    if program is None:
        raise SealBroken("prlimit isn't installed", remedy="install util-linux")
    return (
        program,
        f"--fsize={bounds.file_size}",
        f"--nproc={bounds.processes}",
        f"--cpu={bounds.cpu_seconds}",
        "--core=0",
        "--",
    )


def system_program() -> Path | None:
    """Return the system's bubblewrap; never one in a folder that the user's PATH names."""
    found = shutil.which("bwrap", path=_PATH)
    return Path(found) if found else None


def codex_program() -> Path | None:
    """Return the bubblewrap that comes with the npm package of Codex, if that is installed."""
    codex = shutil.which("codex")
    if codex is None:
        return None
    package = Path(codex).resolve().parent.parent
    for near in (package / "node_modules", package.parent.parent):
        for found in sorted(near.glob("@openai/codex-linux-*/vendor/*/codex-resources/bwrap")):
            if os.access(found, os.X_OK):
                return found
    return None


def _around(policy: Policy) -> tuple[str, ...]:
    """Return the beginning of the command, which mounts the layers and bounds the processes around bubblewrap."""
    tree = policy.tree
    most = str(policy.bounds.processes)
    if tree.lower and tree.work:
        return (*_AROUND, _LAYERED, "sh", str(tree.lower), str(tree.upper), str(tree.work), most)
    if os.geteuid() == 0:
        return (*_AROUND, _BOUNDED, "sh", most)
    # Ubuntu lets a user start bubblewrap, but make no namespace otherwise. Limits of processes bind a user.
    return ("/bin/sh", "-c", _PLAIN, "sh")


def _started(argv: Sequence[str], policy: Policy, stdin: bytes, handed: Handed, watch: Watch) -> Ran:
    try:
        return process.run(
            argv,
            stdin=stdin,
            cwd=Path("/"),
            environ={"PATH": _PATH},
            timeout=policy.bounds.seconds,
            most=policy.bounds.output,
            handed=handed.numbers,
            watch=watch,
        )
    except OSError as error:
        raise SealBroken(f"the seal can't be started: {error}") from error


def _ended(ran: Ran, status: int, watch: Watch, *, numbered: bool) -> Ran:
    """Wait until the last process in the seal is dead; raise SealBroken if the program never began.

    What bubblewrap reports is of no use for that if it was `numbered` in a process namespace of its own.
    """
    reports = tuple(_reports(status))
    began = any("exit-code" in report for report in reports)
    reported = [report["child-pid"] for report in reports if "child-pid" in report and not numbered]
    for pid in (*watch.first, *reported):
        _wait_for_end(pid)
    if began or ran.stopped:
        return ran
    last = ran.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
    raise SealBroken(f"the seal didn't start: {last[0][:300]}")


def _wait_for_end(pid: int) -> None:
    """Wait until one of the seal's first processes is gone, with which the kernel has ended all others."""
    until = time.monotonic() + _DEAD_SECONDS
    while _lives(pid) and time.monotonic() < until:
        time.sleep(_TICK)


def _lives(pid: int) -> bool:
    """Tell whether the process hasn't ended; a dead one may wait long for whoever has to take note of it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in {"Z", "X"}


def _reports(handle: int) -> Iterator[dict[str, int]]:
    """Yield what bubblewrap reported, one JSON object a line."""
    try:
        written = os.read(handle, 64 * 1024)
    except BlockingIOError:
        return
    for line in written.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return
