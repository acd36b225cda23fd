"""A pool of Ray worker processes, on this machine or a cluster: attempts run there, spending is decided here.

A worker hands every question of an attempt back to the process that sent it. There it passes the same wrappers as on
threads (cache, limits, retries); behind them, a WorkerModel is called by that worker itself, any other model here. So
limits hold over all workers and an answer is stored before the worker gets it. When a worker dies, only the call it
was in is lost, and counts as spent; its attempt is made again.
"""

import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, cast

from skillopt_sleep.errors import BackendUnavailable
from skillopt_sleep.pools.actors import Actors, WorkerDied
from skillopt_sleep.pools.cluster import connect, disconnect, library
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.pools.worker import Fetched, NoBackend
from skillopt_sleep.protocols import Portable

Item = TypeVar("Item")
Result = TypeVar("Result")

DEATHS = 3
OWN_FILES = "skillopt_env_"  # modules of files that a training names by path


class _Stored(NamedTuple):
    """A function in the cluster's object store, where every worker fetches it once."""

    function: object
    key: str
    fetched: Fetched


class RayPool:
    """Up to `workers` attempts at once, in `processes` or as many as there are CPUs; `progress` as in ThreadPool.

    `address` names a running cluster, "" starts one on this machine; if this process is connected to a cluster
    already, that one is used. Only a Portable function is sent to workers, all else runs on threads here. Raises
    ConfigError if no cluster can be joined, BackendUnavailable if it starts no worker or three died at one item.
    """

    def __init__(
        self,
        workers: int,
        progress: Callable[[str, int, int], None],
        *,
        address: str = "",
        processes: int = 0,
    ) -> None:
        self._threads = ThreadPool(workers, progress)
        self._workers = workers
        self._address = address
        self._processes = processes
        self._lock = threading.Lock()
        self._actors: Actors | None = None
        self._connected = False
        self._stored: _Stored | None = None

    def __enter__(self) -> Self:
        """Return the pool, which is closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers and leave the cluster; otherwise both happen when this process ends."""
        with self._lock:
            actors = self._actors
            self._actors = None
            self._stored = None
            if actors is not None:
                actors.close()
            if self._connected:
                disconnect()
                self._connected = False

    @property
    def width(self) -> int:
        """How many calls it makes at once."""
        return self._workers

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; errors as in ThreadPool. Items and results are pickled."""
        if not items or not isinstance(function, Portable):
            return self._threads.map(function, items, label=label)
        portable = cast("Portable[Item, Result]", function)
        actors, stored = self._prepare(portable)

        def send(item: Item) -> Result:
            reason = ""
            for _ in range(DEATHS):
                with actors.taken() as actor:
                    try:
                        return actor.run(portable.target, stored.key, stored.fetched, item)
                    except WorkerDied as error:
                        reason = error.message
                        actors.replace(actor)
            raise BackendUnavailable(
                f"{DEATHS} Ray workers died at the same item of {label}; the last: {reason}",
                remedy="look in Ray's logs for what killed them (usually out of memory), then resume",
            )

        return self._threads.map(send, items, label=label)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run the chains here and send what they map to the workers; results and errors as in ThreadPool."""
        return self._threads.together(chain, items)

    def _prepare(self, function: Portable[Any, Any]) -> tuple[Actors, _Stored]:
        """Start the workers if there are none, and store the function for them."""
        with self._lock:
            if self._actors is None:
                self._connected = connect(self._address, processes=self._process_count(os.cpu_count() or 1))
                cpus = library().cluster_resources().get("CPU", 1)
                self._actors = Actors(self._process_count(int(cpus)), at_once=self._workers)
            if self._stored is None or self._stored.function is not function:
                ray = library()
                _send_by_value(ray)
                reference = ray.put(function.asking(NoBackend()))
                self._stored = _Stored(function, uuid.uuid4().hex, Fetched(ray.get, (reference,)))
            return self._actors, self._stored

    def _process_count(self, cpus: int) -> int:
        if self._processes:
            return self._processes
        return max(1, min(self._workers, cpus))


def _send_by_value(ray: Any) -> None:
    """Let classes of files that only this machine has be sent whole, instead of by the name of their module."""
    for name, module in list(sys.modules.items()):
        if name.startswith(OWN_FILES):
            ray.cloudpickle.register_pickle_by_value(module)
