"""A pool of threads: the work is waiting for models."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from typing import TypeVar

from skillopt_sleep.errors import CallPending

Item = TypeVar("Item")
Result = TypeVar("Result")


class ThreadPool:
    """Up to `workers` calls at once; `progress` hears label, done and total after each."""

    def __init__(self, workers: int, progress: Callable[[str, int, int], None]) -> None:
        self._workers = workers
        self._progress = progress

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Results in the order of the items; after the first error nothing more is begun, and it is raised.

        A CallPending is raised only after all items were tried: what can be asked together is.
        """
        if not items:
            return ()
        errors: list[BaseException] = []
        pending: list[CallPending] = []

        def run(item: Item) -> Result:
            if errors:
                raise CancelledError
            try:
                return function(item)
            except CallPending as error:
                pending.append(error)
                raise
            except BaseException as error:
                errors.append(error)
                raise

        self._progress(label, 0, len(items))
        executor = ThreadPoolExecutor(min(self._workers, len(items)), thread_name_prefix="sleep")
        futures = [executor.submit(run, item) for item in items]
        try:
            for done, _ in enumerate(as_completed(futures), start=1):
                if errors:
                    raise errors[0]
                self._progress(label, done, len(items))
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        if pending:
            raise max(pending, key=lambda error: error.waiting)
        return tuple(future.result() for future in futures)
