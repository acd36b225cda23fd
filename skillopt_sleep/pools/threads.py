"""A pool of threads: the time goes into waiting for models."""

import heapq
import itertools
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from skillopt_sleep.errors import CallPending

Item = TypeVar("Item")
Result = TypeVar("Result")

# A signal may arrive in another thread; its Python handler runs only when the waiting one wakes up.
AWAKE_SECONDS = 0.1


class ThreadPool:
    """Up to `workers` calls at once, over all chains; `progress` gets label, done and total after each."""

    def __init__(self, workers: int, progress: Callable[[str, int, int], None]) -> None:
        self._workers = workers
        self._progress = progress
        self._progressing = threading.Lock()
        self._slots = _Slots(workers)
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
        chain = getattr(self._chain, "now", None) or _Chain(0, [])
        failures = _Failures()
        results: dict[int, Result] = {}
        numbers, done = itertools.count(), itertools.count()
        stopped = threading.Event()

        def run(number: int) -> None:
            try:
                with self._slots.taken(chain.rank):
                    if chain.errors:
                        return
                    results[number] = function(items[number])
                self._report(label, done, len(items))
            except CallPending as error:
                failures.add(error)
            except BaseException as error:
                failures.add(error)
                chain.errors.append(error)
                raise

        def work() -> None:
            while not stopped.is_set() and (number := next(numbers)) < len(items):
                run(number)

        self._report(label, done, len(items))
        threads = min(self._workers, len(items))
        with ThreadPoolExecutor(threads, thread_name_prefix="sleep") as executor:
            working = [executor.submit(work) for _ in range(threads)]
            try:
                _finish(working)
            finally:
                stopped.set()
        if chain.errors:
            # An error of another chain is raised there, not here.
            failures.raise_first()
            raise CancelledError
        failures.raise_pending()
        return tuple(results[number] for number in range(len(items)))

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run a chain for each item at the same time; yield the results in order, then raise the first error.

        The first error ends the other chains too. A chain waits for its own maps only; if workers are few, earlier
        chains go first. A CallPending is raised only after all chains were tried.
        """
        if not items:
            return
        failures = _Failures()

        def run(rank: int, item: Item) -> Result:
            self._chain.now = _Chain(rank, failures.errors)
            try:
                return chain(item)
            except BaseException as error:
                failures.add(error)
                raise

        with ThreadPoolExecutor(len(items), thread_name_prefix="sleep-chain") as executor:
            futures = [executor.submit(run, rank, item) for rank, item in enumerate(items)]
            try:
                _finish(futures)
            except KeyboardInterrupt as interrupt:
                failures.add(interrupt)
        for future in futures:
            if future.exception() is None:
                yield future.result()
        failures.raise_first()
        failures.raise_pending()

    def _report(self, label: str, done: Iterator[int], total: int) -> None:
        with self._progressing:
            self._progress(label, next(done), total)


class _Chain(NamedTuple):
    """Shared by the maps of one chain: its rank in the queue, and the errors of all chains that run with it."""

    rank: int
    errors: list[BaseException]


def _finish(futures: Sequence[Future[Any]]) -> None:
    """Wait until all have ended, and let an interrupt in meanwhile."""
    while wait(futures, timeout=AWAKE_SECONDS).not_done:
        pass


class _Failures:
    """The errors of calls that run at the same time, in the order they came; those of calls that wait are apart."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self._pending: list[CallPending] = []

    def add(self, error: BaseException) -> None:
        if isinstance(error, CallPending):
            self._pending.append(error)
        else:
            self.errors.append(error)

    def raise_first(self) -> None:
        if self.errors:
            raise self.errors[0]

    def raise_pending(self) -> None:
        """Raise the error of the call with the most waiting questions, if any call waits."""
        if self._pending:
            raise max(self._pending, key=lambda error: error.waiting)


class _Slots:
    """A limit on how many run at once; waiting callers go by the lowest rank, then in the order they came."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._tickets = itertools.count()

    @contextmanager
    def taken(self, rank: int) -> Generator[None]:
        with self._changed:
            ticket = (rank, next(self._tickets))
            heapq.heappush(self._waiting, ticket)
            self._changed.wait_for(lambda: self._free and self._waiting[0] == ticket)
            heapq.heappop(self._waiting)
            self._free -= 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()
