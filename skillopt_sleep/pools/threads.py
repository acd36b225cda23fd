"""A pool of threads: the work is waiting for models."""

import heapq
import itertools
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from skillopt_sleep.errors import CallPending

Item = TypeVar("Item")
Result = TypeVar("Result")

AWAKE_SECONDS = 0.1


class ThreadPool:
    """Up to `workers` calls at once, over all chains; `progress` hears label, done and total after each."""

    def __init__(self, workers: int, progress: Callable[[str, int, int], None]) -> None:
        self._workers = workers
        self._progress = progress
        self._progressing = threading.Lock()
        self._slots = _Slots(workers)
        self._chain = threading.local()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Results in the order of the items; after the first error nothing more is begun, and it is raised.

        A CallPending is raised only after all items were tried: what can be asked together is. The function must not
        use the pool itself.
        """
        if not items:
            return ()
        chain = getattr(self._chain, "now", None) or _Chain(0, [])
        errors: list[BaseException] = []
        pending: list[CallPending] = []

        def run(item: Item) -> Result:
            with self._slots.taken(chain.rank):
                if chain.ended:
                    raise CancelledError
                try:
                    return function(item)
                except CallPending as error:
                    pending.append(error)
                    raise
                except BaseException as error:
                    errors.append(error)
                    chain.ended.append(error)
                    raise

        self._tell(label, 0, len(items))
        executor = ThreadPoolExecutor(min(self._workers, len(items)), thread_name_prefix="sleep")
        futures = [executor.submit(run, item) for item in items]
        try:
            for done, _ in enumerate(as_completed(futures), start=1):
                if chain.ended:
                    # Of another chain's error only that chain tells.
                    raise errors[0] if errors else CancelledError
                self._tell(label, done, len(items))
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        if pending:
            raise max(pending, key=lambda error: error.waiting)
        return tuple(future.result() for future in futures)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of those that ended, in the order of the items; then the first error, which ended the others.

        A chain waits for its own maps only; earlier ones go first where workers are few. A CallPending is raised only
        after all were tried.
        """
        if not items:
            return
        errors: list[BaseException] = []
        pending: list[CallPending] = []

        def run(rank: int, item: Item) -> Result:
            self._chain.now = _Chain(rank, errors)
            try:
                return chain(item)
            except CallPending as error:
                pending.append(error)
                raise
            except BaseException as error:
                errors.append(error)
                raise

        with ThreadPoolExecutor(len(items), thread_name_prefix="sleep-chain") as executor:
            futures = [executor.submit(run, rank, item) for rank, item in enumerate(items)]
            try:
                # A signal may reach another thread, and its handler runs only when this one wakes.
                while wait(futures, timeout=AWAKE_SECONDS).not_done:
                    pass
            except KeyboardInterrupt as interrupt:
                errors.append(interrupt)
        yield from (future.result() for future in futures if future.exception() is None)
        if errors:
            raise errors[0]
        if pending:
            raise max(pending, key=lambda error: error.waiting)

    def _tell(self, label: str, done: int, total: int) -> None:
        with self._progressing:
            self._progress(label, done, total)


class _Chain(NamedTuple):
    """What the maps of one chain share: their place in the queue, and what ended this chain and those beside it."""

    rank: int
    ended: list[BaseException]


class _Slots:
    """So many at once; of those who wait the least rank goes first, then who came first."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._tickets = itertools.count()

    @contextmanager
    def taken(self, rank: int) -> Generator[None]:
        with self._changed:
            own = (rank, next(self._tickets))
            heapq.heappush(self._waiting, own)
            self._changed.wait_for(lambda: self._free and self._waiting[0] == own)
            heapq.heappop(self._waiting)
            self._free -= 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()
