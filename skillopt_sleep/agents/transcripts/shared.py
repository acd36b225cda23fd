"""Divide a long list of files among processes; the results are the same as if one process had read them all."""

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, connection, get_context, parent_process
from pathlib import Path
from threading import Thread, active_count

from skillopt_sleep.records import Reading, Stamp

BATCH = 16
# How many batches are read ahead at most: their results are in memory until they are stored.
AHEAD = 48

Parsed = tuple[Stamp, Reading]
Parse = Callable[[str], Parsed]

_THREADS = Path("/proc/self/task")
_LEAVING = 0.2
_TICK = 0.001


def can_share() -> bool:
    """Return whether this process may fork: on Linux, and without a second thread, whose locks a copy never frees."""
    until = time.monotonic() + _LEAVING
    try:
        while len(list(_THREADS.iterdir())) > 1:
            # A thread that was joined is still listed for a moment, as after the sharing of another source's files.
            if active_count() > 1 or time.monotonic() > until:
                return False
            time.sleep(_TICK)
    except OSError:
        return False
    return True


def read_shared(paths: Sequence[str], parse: Parse, *, workers: int) -> Generator[Parsed]:
    """Yield what `parse`, which can be pickled, returns for each file, in order.

    A worker takes the next batch of files when it is done with one, so that none waits for another that has larger
    files. If a worker is killed, what is left is read in this process.
    """
    batches = deque(paths[at : at + BATCH] for at in range(0, len(paths), BATCH))
    if not batches:
        return
    pool = _start(min(workers, len(batches)))
    if pool is None:
        yield from map(parse, paths)
        return
    running: deque[tuple[Sequence[str], Future[list[Parsed]]]] = deque()
    try:
        while batches or running:
            while batches and len(running) < AHEAD:
                batch = batches.popleft()
                running.append((batch, _submit(pool, parse, batch)))
            batch, future = running.popleft()
            yield from _result(future, parse, batch)
    finally:
        pool.shutdown(cancel_futures=True)


def _start(workers: int) -> ProcessPoolExecutor | None:
    """Start so many processes, or return None if the system doesn't allow them."""
    # An interrupt waits until the workers can ignore it.
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pool = ProcessPoolExecutor(workers, mp_context=get_context("fork"), initializer=_end_with_the_parent)
        pool.submit(os.getpid)  # with the first task all of them are started
    except (OSError, NotImplementedError):
        # Those that were started wait for tasks that never come.
        for process in active_children():
            process.kill()
            process.join()
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    return pool


def _submit(pool: ProcessPoolExecutor, parse: Parse, batch: Sequence[str]) -> Future[list[Parsed]]:
    try:
        return pool.submit(_read, parse, batch)
    except BrokenProcessPool as error:
        failed: Future[list[Parsed]] = Future()
        failed.set_exception(error)
        return failed


def _result(future: Future[list[Parsed]], parse: Parse, batch: Sequence[str]) -> Iterable[Parsed]:
    try:
        return future.result()
    except BrokenProcessPool:
        return map(parse, batch)


def _read(parse: Parse, batch: Sequence[str]) -> list[Parsed]:
    return [parse(path) for path in batch]


def _end_with_the_parent() -> None:
    """Leave interrupts to the parent, and end this worker as soon as the parent is gone, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_wait_for_the_parent, daemon=True).start()


def _wait_for_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)
