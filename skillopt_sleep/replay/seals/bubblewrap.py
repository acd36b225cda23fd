"""Seal programs by bubblewrap: namespaces of their own, in which nothing stands but what the policy names.

The copy's layers are mounted in a mount namespace of ours around it, so that they are gone with the last process,
whatever is killed. bubblewrap makes no mount point in anything that another program may have written: see
mounts.py. So versions before 0.12 can be used as well.
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit import process
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.sealing import Bounds, Policy, Probe
from skillopt_sleep.replay.seals.filter import call_filter
from skillopt_sleep.replay.seals.machine import SYSTEM_PATH, linux_remedy, too_old, version_of
from skillopt_sleep.replay.seals.mounts import check, mounts, options
from skillopt_sleep.replay.seals.probe import probed
from skillopt_sleep.replay.seals.watching import ResourceWatch, can_watch

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
_DEAD_SECONDS = 2.0
_TICK = 0.01
_LOWEST_HANDED = 20  # a shell can name 0 to 9, and needs them for itself
# What programs ask for by name; without them Node and git can't tell who they are.
_FILES = {
    "/etc/passwd": b"replay:x:1000:1000:replay:/home/replay:/bin/sh\n",
    "/etc/group": b"replay:x:1000:\n",
    "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
}


class Bubblewrap:
    """bubblewrap, of the system or as it comes with Codex."""

    def __init__(self, name: str, find: Callable[[], Path | None]) -> None:
        self.name = name
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
        if not can_watch():
            return Probe(self.name, version, problem="the kernel doesn't list what a process started")
        return probed(self, version, folder, remedy=linux_remedy())

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        """Run the program sealed, and end it with all it started; raise SealBroken if the seal can't be put up."""
        program = self._find()
        if program is None:
            raise SealBroken("bubblewrap isn't installed", remedy=linux_remedy())
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
            watch = ResourceWatch(policy.bounds, policy.tree.upper)
            around = _around(policy)
            ran = _started([*around, *command], policy, stdin, handed, watch)
            return _ended(ran, ours, watch, numbered=around[0] == _AROUND[0])


class Handed:
    """File descriptors that one program inherits; all are closed at the end."""

    def __init__(self) -> None:
        self._ours: list[int] = []
        self.numbers: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for handle in (*self._ours, *self.numbers):
            os.close(handle)

    def file(self, content: bytes) -> int:
        """Return a file with this content, to be read once."""
        with os.fdopen(os.memfd_create("handed"), "wb") as file:
            file.write(content)
            file.flush()
            file.seek(0)
            return self._handed(file.fileno())

    def pipe(self) -> tuple[int, int]:
        """Return the end that we read from, and the end that the program writes to."""
        ours, theirs = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._ours.append(ours)
        with os.fdopen(theirs, "wb") as end:
            return ours, self._handed(end.fileno())

    def _handed(self, handle: int) -> int:
        number = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _LOWEST_HANDED)
        self.numbers.append(number)
        return number


def limited(bounds: Bounds) -> tuple[str, ...]:
    """Return the beginning of a command that limits it.

    It stands inside: a limit of processes that is set before a user namespace is made counts all the user has.
    """
    program = shutil.which("prlimit", path=SYSTEM_PATH)
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


def _started(
    argv: Sequence[str], policy: Policy, stdin: bytes, handed: Handed, watch: ResourceWatch
) -> ProcessResult:
    try:
        return process.run(
            argv,
            stdin=stdin,
            cwd=Path("/"),
            environ={"PATH": SYSTEM_PATH},
            timeout=policy.bounds.seconds,
            most=policy.bounds.output,
            handed=handed.numbers,
            watch=watch,
        )
    except OSError as error:
        raise SealBroken(f"the seal can't be started: {error}") from error


def _ended(ran: ProcessResult, status: int, watch: ResourceWatch, *, numbered: bool) -> ProcessResult:
    """Wait until the last process in the seal is dead; raise SealBroken if the program never began.

    What bubblewrap reports is of no use for that if it was `numbered` in a process namespace of its own.
    """
    reports = tuple(_reports(status))
    began = any("exit-code" in report for report in reports)
    reported = [report["child-pid"] for report in reports if "child-pid" in report and not numbered]
    for pid in (*watch.first, *reported):
        # Once one of the seal's first processes is gone, the kernel has ended all others.
        until = time.monotonic() + _DEAD_SECONDS
        while _lives(pid) and time.monotonic() < until:
            time.sleep(_TICK)
    if began or ran.stopped:
        return ran
    last = ran.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
    raise SealBroken(f"the seal didn't start: {last[0][:300]}")


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
