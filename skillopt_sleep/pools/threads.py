"""A pool of threads: the time goes into waiting for models."""

import itertools
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from skillopt_sleep.errors import CallPending

Item = TypeVar("Item")
Result = TypeVar("Result")

# A signal may arrive in another thread; its Python handler runs only when the waiting one wakes up.
AWAKE_SECONDS = 0.1


class _Chain(NamedTuple):
    """Shared by the maps of one chain: its rank in the queue, and the errors of all chains that run with it."""

    rank: int
    errors: list[BaseException]


class ThreadPool:
    """Up to `workers` calls at once, over all chains; `progress` gets label, done and total after each."""

    def __init__(self, workers: int, progress: Callable[[str, int, int], None]) -> None:
        self._workers = workers
        self._progress = progress
        self._progressing = threading.Lock()
        self._free = workers
        self._waiting: list[tuple[int, int]] = []  # by the rank of their chain, then in the order they came
        self._tickets = itertools.count()
        self._changed = threading.Condition()
        self._chain = threading.local()

    @property
    def width(self) -> int:
        """How many calls it makes at once."""
        return self._workers

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; start nothing more after the first error, and raise it.

        A CallPending is raised only after all items were tried, so that all open questions are asked together. The
        function must not use the pool itself.
        """
        if not items:
            return ()
        chain: _Chain = getattr(self._chain, "now", None) or _Chain(0, [])
        done = itertools.count()

        def run(item: Item) -> Result:
            with self._slot(chain.rank):
                if chain.errors:  # of another chain, meanwhile
                    raise CancelledError
                result = function(item)
            self._report(label, done, len(items))
            return result

        self._report(label, done, len(items))
        futures = _in_threads(run, items, min(self._workers, len(items)), chain.errors)
        _raise(futures, _own(chain.errors, futures))
        return tuple(future.result() for future in futures)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run a chain for each item at the same time; yield the results in order, then raise the first error.

        The first error ends the other chains too. A chain waits for its own maps only; if workers are few, earlier
        chains go first. A CallPending is raised only after all chains were tried.
        """
        if not items:
            return
        errors: list[BaseException] = []

        def run(ranked: tuple[int, Item]) -> Result:
            self._chain.now = _Chain(ranked[0], errors)
            return chain(ranked[1])

        futures = _in_threads(run, list(enumerate(items)), len(items), errors)
        for future in futures:
            if future.exception() is None:
                yield future.result()
        _raise(futures, errors)

    @contextmanager
    def _slot(self, rank: int) -> Generator[None]:
        """Wait until a worker is free for a chain of this rank, and take it."""
        with self._changed:
            ticket = (rank, next(self._tickets))
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: self._free and ticket == min(self._waiting))
            self._waiting.remove(ticket)
            self._free -= 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _report(self, label: str, done: Iterator[int], total: int) -> None:
        with self._progressing:
            self._progress(label, next(done), total)


def _in_threads(
    call: Callable[[Item], Result], items: Sequence[Item], threads: int, errors: list[BaseException]
) -> list[Future[Result]]:
    """Call for each item, and wait for all; note errors in the order they came, and start nothing after the first."""

    def noted(item: Item) -> Result:
        if errors:
            raise CancelledError
        try:
            return call(item)
        except CallPending:
            raise
        except BaseException as error:
            errors.append(error)
            raise

    with ThreadPoolExecutor(threads, thread_name_prefix="sleep") as executor:
        futures = [executor.submit(noted, item) for item in items]
        try:
            while wait(futures, timeout=AWAKE_SECONDS).not_done:
                pass
        except KeyboardInterrupt as interrupt:
            errors.append(interrupt)
    return futures


def _own(errors: Sequence[BaseException], futures: Sequence[Future[Result]]) -> list[BaseException]:
    """Return the errors of these calls, and an interrupt; a CancelledError if only calls of another chain failed."""
    failed = [future.exception() for future in futures]
    own = [error for error in errors if error in failed or isinstance(error, KeyboardInterrupt)]
    if errors and not own:
        own.append(CancelledError())
    return own


def _raise(futures: Sequence[Future[Result]], errors: Sequence[BaseException]) -> None:
    """Raise the first error, else the one of the call with the most waiting questions, if any call waits."""
    if errors:
        raise errors[0]
    found = [future.exception() for future in futures]
    pending = [error for error in found if isinstance(error, CallPending)]
    if pending:
        raise max(pending, key=lambda error: error.waiting)
