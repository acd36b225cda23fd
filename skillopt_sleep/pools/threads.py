"""A pool of threads: the work is waiting for models."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class ThreadPool:
    """Up to `workers` calls at once; `progress` hears label, done and total after each."""

    def __init__(self, workers: int, progress: Callable[[str, int, int], None]) -> None:
        self._workers = workers
        self._progress = progress

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Results in the order of the items; the first error cancels what hasn't begun and is raised."""
        if not items:
            return ()
        self._progress(label, 0, len(items))
        executor = ThreadPoolExecutor(min(self._workers, len(items)), thread_name_prefix="sleep")
        futures = [executor.submit(function, item) for item in items]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                self._progress(label, done, len(items))
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        return tuple(future.result() for future in futures)
