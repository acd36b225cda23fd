"""Running a program that may hang, flood us, or leave children behind."""

import atexit
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import IO, NamedTuple

MOST = 8 * 1024 * 1024
MOST_TAIL = 1024 * 1024
STDERR_TIMES = 4  # how much more than of stdout may come on stderr, where progress is told
GRACE = 1.0  # between TERM and KILL; with DRAIN it stays under the 2 seconds in which a group must be dead
DRAIN = 0.5  # how long a pipe may stay open after its program has ended

_CHUNK = 64 * 1024
_TICK = 0.02
_TERM = signal.SIGTERM
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # there is only one way on Windows
# Reads what never comes, so it goes on when the last writer is gone: that's us, however we ended.
_WARDEN = 'read -r _; kill -KILL "-$1"'


class Ran(NamedTuple):
    """How a program ended: `status` is its exit status, or the signal that killed it as a negative number.

    `stopped` says why we ended it ourselves: "timed_out", "flooded" (it wrote too much), or "" where we didn't.
    """

    status: int
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    stopped: str = ""


def run(
    argv: Sequence[str], *, stdin: bytes, cwd: Path, environ: Mapping[str, str], timeout: float, most: int = MOST
) -> Ran:
    """Run the program to its end, or end it and all its process group; any thread may, at any time.

    Kept are the first `most` bytes of stdout and the end of stderr. Raises OSError where it can't be started.
    """
    began = time.monotonic()
    group = _Group(argv, cwd=cwd, environ=environ)
    try:
        pipes = _Pipes(group.process, stdin=stdin, most=most)
        timed_out = _watch(group, pipes, until=began + timeout)
        if group.end_softly():
            pipes.drain()
    finally:
        # Also where Ctrl-C or an exit comes through here.
        status = group.end()
    pipes.drain()
    # Asked at the end: it may have ended by itself with too much left in the pipe.
    stopped = "flooded" if pipes.flooded.is_set() else "timed_out" if timed_out else ""
    return Ran(status, pipes.stdout.getvalue(), bytes(pipes.stderr), time.monotonic() - began, stopped)


def end_all() -> None:
    """End every group that runs now or is being started, whoever waits for it; a signal handler may call this."""
    # No lock: a handler runs in the midst of anything, also of what would hold it. A copy is made in one step.
    _ends.append(None)
    groups = _live.copy()
    for group in groups:
        group.send(_TERM)
    until = time.monotonic() + GRACE
    while not _live.isdisjoint(groups) and time.monotonic() < until:
        time.sleep(_TICK)
    for group in groups:
        group.send(_KILL)


class _Group:
    """A program with all it starts in its own process group, from its start to its end."""

    def __init__(self, argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str]) -> None:
        pipe, ends = subprocess.PIPE, len(_ends)
        self.process = subprocess.Popen(
            argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=environ, start_new_session=True
        )
        _live.add(self)
        self._warden: subprocess.Popen[bytes] | None = None
        try:
            self._warden = _start_warden(self.process.pid)
            if len(_ends) != ends:
                # Whoever ended all couldn't see it yet.
                self.end_softly()
                self.send(_KILL)
        except BaseException:
            self.end()
            raise

    def over(self) -> bool:
        """Whether the program itself has ended."""
        if sys.platform == "linux":
            # Not reaped yet: until then no other group can get its number.
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self.process.poll() is not None

    def send(self, number: int) -> None:
        """Signal the whole group, if it is one still."""
        if self not in _live:
            return
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self.process.pid)], check=False, capture_output=True)
        else:
            with suppress(ProcessLookupError, PermissionError):  # macOS refuses where all are dead
                os.killpg(self.process.pid, number)

    def end_softly(self) -> bool:
        """Ask the program to end where it hasn't, and give it the time to; returns whether it has."""
        if self.over():
            return True
        self.send(_TERM)
        until = time.monotonic() + GRACE
        while not self.over():
            if time.monotonic() > until:
                return False
            time.sleep(_TICK)
        return True

    def end(self) -> int:
        """Kill whatever is left, and read the exit status."""
        self.send(_KILL)
        _live.discard(self)
        if self._warden:
            self._warden.kill()
            self._warden.communicate()
        return self.process.wait()


_live: set[_Group] = set()
_ends: list[None] = []  # one for each time that all were ended: appending is one step, adding to a number isn't
atexit.register(end_all)


def _start_warden(group: int) -> subprocess.Popen[bytes] | None:
    """A process that kills the group when ours is gone without a chance to: by SIGKILL, or a crash."""
    # PR_SET_PDEATHSIG would need code between fork and exec, and ends the program with the thread that started it.
    if sys.platform == "win32":
        return None
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    command = ["/bin/sh", "-c", _WARDEN, "sh", str(group)]
    return subprocess.Popen(command, stdin=pipe, stdout=null, stderr=null, cwd="/", env={}, start_new_session=True)


def _watch(group: _Group, pipes: "_Pipes", *, until: float) -> bool:
    """Wait until the program ends or has to be ended; returns whether its time is over."""
    while not group.over() and not pipes.flooded.is_set():
        left = until - time.monotonic()
        if left <= 0:
            return True
        pipes.flooded.wait(min(_TICK, left))
    return False


class _Pipes:
    """What goes in and comes out, a thread each: on Windows pipes can't be waited for together.

    Daemons, as whoever left the group with a pipe in hand keeps its thread waiting.
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
        # The end: why a program gave up is the last thing it says, after all it told of its progress.
        most, seen = min(self._most, MOST_TAIL), 0
        with stream:
            while chunk := stream.read(_CHUNK):
                self.stderr += chunk
                del self.stderr[: max(0, len(self.stderr) - most)]
                seen += len(chunk)
                if seen > STDERR_TIMES * self._most:
                    self.flooded.set()
                    return


def _feed(stream: IO[bytes], data: bytes) -> None:
    # A program needn't read what it is told.
    with suppress(OSError), stream:
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]
