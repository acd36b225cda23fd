"""Run a program that may hang, flood us with output, or leave children behind; tell whether a process still runs."""

import atexit
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import IO, NamedTuple

MOST = 8 * 1024 * 1024
MOST_TAIL = 1024 * 1024
STDERR_TIMES = 4  # stderr, which shows progress, may be so many times larger than stdout
GRACE = 1.0  # seconds between TERM and KILL; with DRAIN it stays under the 2 in which a group must be dead
DRAIN = 0.5  # seconds that a pipe may stay open after its program has ended

_CHUNK = 64 * 1024
_TICK = 0.02
_TERM = signal.SIGTERM
_KILL = signal.SIGKILL
# Blocks on stdin, to which nothing is written, until our process has ended in any way; then kills the group.
_WARDEN = 'read -r _; kill -KILL "-$1"'


class ProcessResult(NamedTuple):
    """The end of a program: `status` is its exit status, or the signal that killed it as a negative number.

    `stopped` says why we ended it: "timed_out", "flooded" (it wrote too much), what a watch said, or "" if we didn't.
    """

    status: int
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    stopped: str = ""


Watch = Callable[[int], str]  # takes the program's process id, and says why it has to be ended, or ""


def run(
    argv: Sequence[str],
    *,
    stdin: bytes,
    cwd: Path,
    environ: Mapping[str, str],
    timeout: float,
    most: int = MOST,
    handed: Sequence[int] = (),
    watch: Watch | None = None,
) -> ProcessResult:
    """Run the program until it ends, or end it with its whole process group; any thread may call this.

    The first `most` bytes of stdout and the end of stderr are kept. It inherits the file descriptors that are
    `handed` to it, and `watch` is asked many times a second. Raises OSError if it can't be started.
    """
    began = time.monotonic()
    group = _Group()
    try:
        group.start(argv, cwd=cwd, environ=environ, handed=handed)
        pipes = _Pipes(group.process, stdin=stdin, most=most)
        stopped = _watch(group, pipes, until=began + timeout, watch=watch)
        if group.end_softly():
            pipes.drain()
    finally:
        # Also if Ctrl-C or an exit comes through here, be it while the program is being started.
        status = group.end()
    pipes.drain()
    # Asked at the end only: it may have ended by itself with too much left in the pipe.
    if pipes.flooded.is_set():
        stopped = "flooded"
    return ProcessResult(status, pipes.stdout.getvalue(), bytes(pipes.stderr), time.monotonic() - began, stopped)


def end_all() -> None:
    """End every group that runs or is being started, whoever waits for it; a signal handler may call this."""
    # No lock: the handler may interrupt whoever holds it. Copying the set is one step.
    _ends.append(None)
    groups = _live.copy()
    for group in groups:
        group.send(_TERM)
    until = time.monotonic() + GRACE
    # A thread that is starting a group ends it itself, but not once the interpreter is gone: it has no warden yet.
    while (_starting or not _live.isdisjoint(groups)) and time.monotonic() < until:
        time.sleep(_TICK)
    for group in groups:
        group.send(_KILL)


class _Group:
    """A program with everything it starts, in a process group of its own, from start to end."""

    process: "subprocess.Popen[bytes]"

    def __init__(self) -> None:
        self._warden: subprocess.Popen[bytes] | None = None

    def start(self, argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str], handed: Sequence[int]) -> None:
        """Start the program; whoever calls this has to call `end`, however this ends."""
        ends = len(_ends)
        _starting.append(None)
        try:
            self._start(argv, ends, cwd=cwd, environ=environ, handed=handed)
        finally:
            _starting.pop()

    def _start(
        self, argv: Sequence[str], ends: int, *, cwd: Path, environ: Mapping[str, str], handed: Sequence[int]
    ) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            argv,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=cwd,
            env=environ,
            start_new_session=True,
            pass_fds=handed,
        )
        _live.add(self)
        self._warden = _start_warden(self.process.pid)
        if len(_ends) != ends:
            # `end_all` ran meanwhile and couldn't see this group yet.
            self.end_softly()
            self.send(_KILL)

    def has_ended(self) -> bool:
        """Tell whether the program itself has ended."""
        if sys.platform == "linux":
            # It isn't reaped by this: until it is, no other group can get its number.
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self.process.poll() is not None

    def send(self, number: int) -> None:
        """Signal the whole group, if it still runs."""
        if self not in _live:
            return
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses if all are dead
            os.killpg(self.process.pid, number)

    def end_softly(self) -> bool:
        """Ask the program to end and give it time to do so; return whether it has ended."""
        if self.has_ended():
            return True
        self.send(_TERM)
        until = time.monotonic() + GRACE
        while not self.has_ended():
            if time.monotonic() > until:
                return False
            time.sleep(_TICK)
        return True

    def end(self) -> int:
        """Kill whatever is left, and return the exit status; 0 if nothing was started."""
        if self not in _live:
            return 0
        self.send(_KILL)
        _live.discard(self)
        if self._warden:
            self._warden.kill()
            self._warden.communicate()
        return self.process.wait()


_live: set[_Group] = set()
_starting: list[None] = []  # one for each group that is being started, which has no warden yet
_ends: list[None] = []  # one for each call of `end_all`: appending is one step, adding to a number isn't
atexit.register(end_all)


def _start_warden(group: int) -> subprocess.Popen[bytes]:
    """Start a process that kills the group if ours ends without a chance to: by SIGKILL, or a crash."""
    # PR_SET_PDEATHSIG would need code between fork and exec, and ends the program with the thread that started it.
    command = ["/bin/sh", "-c", _WARDEN, "sh", str(group)]
    null = subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd="/", env={}, start_new_session=True
    )


def _watch(group: _Group, pipes: "_Pipes", *, until: float, watch: Watch | None) -> str:
    """Wait until the program ends or has to be ended; return why, "" if it wasn't us or it flooded us."""
    while not group.has_ended() and not pipes.flooded.is_set():
        left = until - time.monotonic()
        if left <= 0:
            return "timed_out"
        if watch and (why := watch(group.process.pid)):
            return why
        pipes.flooded.wait(min(_TICK, left))
    return ""


class _Pipes:
    """Feeds stdin and reads stdout and stderr, with a thread each.

    The threads are daemons, as a child that left the group with a pipe open keeps its thread waiting.
    """

    def __init__(self, process: subprocess.Popen[bytes], *, stdin: bytes, most: int) -> None:
        self.stdout = io.BytesIO()
        self.stderr = bytearray()
        self.flooded = Event()
        self._most = most
        feed = Thread(target=_feed, args=(process.stdin, stdin), daemon=True)
        self._readers = (
            Thread(target=self._keep_head, args=(process.stdout,), daemon=True),
            Thread(target=self._keep_tail, args=(process.stderr,), daemon=True),
        )
        for thread in (feed, *self._readers):
            thread.start()

    def drain(self) -> None:
        """Wait for the last bytes, but not for long."""
        until = time.monotonic() + DRAIN
        for reader in self._readers:
            reader.join(max(0.0, until - time.monotonic()))

    def _keep_head(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := stream.read(_CHUNK):
                room = self._most - self.stdout.tell()
                self.stdout.write(chunk[:room])
                if len(chunk) > room:
                    self.flooded.set()
                    return

    def _keep_tail(self, stream: IO[bytes]) -> None:
        # The end is kept, because why a program gave up is the last thing it says.
        most = min(self._most, MOST_TAIL)
        seen = 0
        with stream:
            while chunk := stream.read(_CHUNK):
                self.stderr += chunk
                del self.stderr[: max(0, len(self.stderr) - most)]
                seen += len(chunk)
                if seen > STDERR_TIMES * self._most:
                    self.flooded.set()
                    return


def _feed(stream: IO[bytes], data: bytes) -> None:
    # A program needn't read its input.
    with suppress(OSError), stream:
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]


def is_alive(pid: int, since: datetime) -> bool:
    """Tell whether the process that had this number at `since` still runs; one that got it later doesn't count."""
    import psutil

    try:
        process = psutil.Process(pid)
        # The start of a process is known to a hundredth of a second, and the clock may have been set meanwhile.
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= since.timestamp() + 1
    except (psutil.Error, ValueError):
        return False
