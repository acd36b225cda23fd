"""A pool of Ray tasks, on this machine or a cluster: attempts run there, spending is decided here.

An attempt leaves each question at a desk, an actor of the cluster, where the thread that sent the attempt takes it.
Here it passes the same wrappers as on threads (cache, limits, retries); behind them, a WorkerModel is called by the
attempt itself, any other model here. So limits hold over the whole cluster and an answer is stored before the attempt
gets it. When a worker dies, only the call it was in is lost, and counts as spent; its attempt is made again.
"""

import asyncio
import os
import sys
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar, cast

from skillopt_sleep.errors import BackendUnavailable, ConfigError, ItemError, NightInterrupted, SleepError
from skillopt_sleep.pools.cluster import connect, disconnect, library
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend, Model
from skillopt_sleep.protocols.work import Portable
from skillopt_sleep.records import Completion, Prompt, Usage

Item = TypeVar("Item")
Result = TypeVar("Result")
Recipe = Callable[[], Backend]

DEATHS = 3
START_SECONDS = 120.0
OWN_FILES = "skillopt_env_"  # modules of files that a training names by path


class RayPool:
    """Up to `workers` attempts at once, each on one CPU of the cluster; `progress` as in ThreadPool.

    `address` names a running cluster, "" starts one on this machine; if this process is connected to a cluster
    already, that one is used. Only a Portable function is sent to workers, all else runs on threads here. Raises
    ConfigError if no cluster can be joined, BackendUnavailable if it starts no worker or three died at one item.
    """

    def __init__(self, workers: int, progress: Callable[[str, int, int], None], *, address: str = "") -> None:
        self._threads = ThreadPool(workers, progress)
        self._address = address
        self._lock = threading.Lock()
        self._desk: Any = None
        self._connected = False
        self._stored: tuple[object, Any] = (None, None)

    def __enter__(self) -> Self:
        """Return the pool, which is closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; otherwise that happens when this process ends."""
        with self._lock:
            if self._desk is not None:
                library().kill(self._desk)
            self._desk, self._stored = None, (None, None)
            if self._connected:
                disconnect()
                self._connected = False

    @property
    def width(self) -> int:
        """How many calls it makes at once."""
        return self._threads.width

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; errors as in ThreadPool. Items and results are pickled."""
        if not items or not isinstance(function, Portable):
            return self._threads.map(function, items, label=label)
        portable = cast("Portable[Item, Result]", function)
        sent = self._prepare(portable)

        def send(item: Item) -> Result:
            reason = ""
            for _ in range(DEATHS):
                try:
                    return _Attempt(self._desk, sent, item).made(portable.target)
                except WorkerDied as error:
                    reason = error.message
            raise BackendUnavailable(
                f"{DEATHS} Ray workers died at the same item of {label}; the last: {reason}",
                remedy="look in Ray's logs for what killed them (usually out of memory), then resume",
            )

        return self._threads.map(send, items, label=label)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run the chains here and send what they map to the workers; results and errors as in ThreadPool."""
        return self._threads.together(chain, items)

    def _prepare(self, function: Portable[Any, Any]) -> "_Sent":
        """Join the cluster if that wasn't done, and store the function there, where each worker unpacks it once."""
        with self._lock:
            if self._desk is None:
                self._connected = connect(self._address, processes=self.width)
                ray = library()
                self._desk = ray.remote(Desk).options(num_cpus=0, max_concurrency=100_000).remote()
                try:
                    ray.get(ray.remote(_started).remote(), timeout=START_SECONDS)
                except ray.exceptions.GetTimeoutError as error:
                    raise BackendUnavailable(
                        f"the Ray cluster started no worker within {START_SECONDS:.0f} seconds",
                        remedy="check with `ray status` that it has a free CPU",
                    ) from error
            if self._stored[0] is not function:
                ray = library()
                for name, module in list(sys.modules.items()):
                    if name.startswith(OWN_FILES):  # classes of files that only this machine has are sent whole
                        ray.cloudpickle.register_pickle_by_value(module)
                reference = ray.put(function.asking(NoBackend()))
                self._stored = function, _Sent(uuid.uuid4().hex, (reference,), tuple(sys.path))
            return self._stored[1]


# here ---------------------------------------------------------------------------------------------------


class WorkerDied(SleepError):
    """A worker is gone, together with what it was doing; the pool handles it, and nobody else sees it."""


class _Attempt:
    """One item's task in the cluster; what it asks is answered on the thread that sent it."""

    def __init__(self, desk: Any, sent: "_Sent", item: Any) -> None:
        self._desk = desk
        self._name = uuid.uuid4().hex
        task = library().remote(attempt).options(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")
        self._task = task.remote(desk, self._name, sent, item)
        self._asked = ""

    def made(self, backend: Backend) -> Any:
        """Return the function's result for the item; raise what it raises, or WorkerDied if the worker dies."""
        try:
            while (question := self._next(self._name)) is not None:
                self._asked, prompt = question
                self._desk.put.remote(self._asked, self._answer(backend, prompt))
            return _get(self._task)
        finally:
            self._desk.end.remote(self._name)

    def ask(self, key: str, recipe: Recipe, prompt: Prompt) -> Completion:
        """Complete the prompt that was asked last with a model that the worker calls itself."""
        self._desk.put.remote(self._asked, _Yours(key, recipe, prompt))
        said = self._next(f"{self._asked} said")
        if said is None:
            raise WorkerDied("the attempt ended in a call")
        if isinstance(said, BaseException):
            raise said
        return said

    def _answer(self, backend: Backend, prompt: Prompt) -> Completion | ItemError:
        try:
            with asking_through(self):
                return backend.complete(prompt)
        except ItemError as error:
            return error

    def _next(self, box: str) -> Any:
        """Return what is put into the box, or None if the attempt ends first."""
        taken = self._desk.take.remote(box)
        ready, _ = library().wait([taken, self._task], num_returns=1)
        if taken in ready:
            return _get(taken)
        return None


def _get(reference: Any) -> Any:
    """Fetch a result; raise the very error of the function, or WorkerDied."""
    ray = library()
    lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.RayActorError, ray.exceptions.ObjectLostError)
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        # `cause` is the original exception; the wrapper that Ray raises inherits from both types.
        raise error.cause from error
    except (*lost, ray.exceptions.OutOfMemoryError, ray.exceptions.NodeDiedError) as error:
        lines = str(error).splitlines()
        raise WorkerDied(lines[0] if lines else type(error).__name__) from error


class ModelWorker(Protocol):
    """A worker that can call a model itself."""

    def ask(self, key: str, recipe: Recipe, prompt: Prompt) -> Completion:
        """Complete the prompt with the model that the recipe makes, made once for the key; raise what it raises."""
        ...


class _ThreadState(threading.local):
    worker: ModelWorker | None = None


_current = _ThreadState()


@contextmanager
def asking_through(worker: ModelWorker) -> Generator[None]:
    """Let every WorkerModel that this thread calls within the block be called by this worker."""
    _current.worker = worker
    try:
        yield
    finally:
        _current.worker = None


class WorkerModel:
    """A model that workers call themselves; outside of `asking_through` it is called in this process.

    The recipe must be picklable, and make a model that answers like this one. If it contains an API key, the key is
    sent to workers only and never written to disk.
    """

    def __init__(self, model: Model, recipe: Recipe) -> None:
        self._model = model
        self._recipe = recipe
        self._key = uuid.uuid4().hex
        self.name = model.name
        self.version = model.version
        self.tells_price: bool = getattr(model, "tells_price", False)

    def ready(self, until: datetime, /) -> bool:
        """Return what the model on this machine returns."""
        return self._model.ready(until)

    def price(self, model: str, usage: Usage, /) -> float | None:
        """Return the price in dollars of so many tokens, None if it is unknown."""
        return self._model.price(model, usage)

    def complete(self, prompt: Prompt) -> Completion:
        """Complete the prompt from where the attempt is made."""
        if _current.worker is None:
            return self._model.complete(prompt)
        return _current.worker.ask(self._key, self._recipe, prompt)


# in the cluster -----------------------------------------------------------------------------------------


class Desk:
    """Boxes into which attempts and the process that sent them put what the other takes."""

    def __init__(self) -> None:
        self._boxes: defaultdict[str, asyncio.Queue[Any]] = defaultdict(asyncio.Queue)
        self._ended: set[str] = set()

    async def put(self, box: str, thing: Any) -> None:
        """Put a thing into the box; a question to an attempt that was given up is answered with that."""
        if box in self._ended:
            self._boxes[thing[0]].put_nowait(_GIVEN_UP)
        else:
            self._boxes[box].put_nowait(thing)

    async def take(self, box: str) -> Any:
        """Wait for a thing in the box and take it."""
        return await self._boxes[box].get()

    async def end(self, attempt: str) -> None:
        """Answer nothing of the attempt any more, neither here nor there."""
        self._ended.add(attempt)
        for box, things in self._boxes.items():
            if box.startswith(attempt):
                things.put_nowait(_GIVEN_UP)


_GIVEN_UP = NightInterrupted("the attempt was given up")


class _Sent(NamedTuple):
    """A function in the cluster's object store, under a key; and where this process looks for modules."""

    key: str
    reference: tuple[Any]
    path: tuple[str, ...]


class _Yours(NamedTuple):
    """Instead of an answer: call the model that this recipe makes, and put what it says into the desk."""

    key: str
    recipe: Recipe
    prompt: Prompt


class NoBackend:
    """Takes the place of a backend while a function is sent; it never answers."""

    def complete(self, prompt: Prompt) -> Completion:
        """Raise SleepError: a function can't ask before it has reached a worker."""
        raise SleepError(f"a {prompt.purpose} question was asked on the way to a worker", remedy="report this bug")


class _Asking:
    """The backend of an attempt: it asks the process that sent the attempt, from any thread."""

    def __init__(self, desk: Any, name: str) -> None:
        self._desk = desk
        self._name = name

    def complete(self, prompt: Prompt) -> Completion:
        box = f"{self._name} {uuid.uuid4().hex}"
        self._desk.put.remote(self._name, (box, prompt))
        answer = library().get(self._desk.take.remote(box))
        while isinstance(answer, _Yours):
            self._say(f"{box} said", answer)
            answer = library().get(self._desk.take.remote(box))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _say(self, box: str, yours: _Yours) -> None:
        try:
            said = _once(yours.key, yours.recipe).complete(yours.prompt)
        except SleepError as error:
            said = error
        except BaseException as error:
            self._desk.put.remote(box, error)
            raise
        self._desk.put.remote(box, said)


def attempt(desk: Any, name: str, sent: _Sent, item: Any) -> Any:
    """Make one attempt, in a worker; raise what the function raises."""
    sys.path += [folder for folder in sent.path if folder not in sys.path]
    try:
        function = _once(sent.key, lambda: library().get(sent.reference[0]))
    except ImportError as error:
        raise ConfigError(
            f"a Ray worker can't import what the environment needs: {error}",
            remedy="install it on every machine of the cluster, or put it into the environment's own file",
        ) from error
    try:
        return function.asking(_Asking(desk, name))(item)
    except NightInterrupted:
        return None  # given up, and nobody waits for it


def _started() -> int:
    return os.getpid()


_unpacked: dict[str, Any] = {}
_unpacking = threading.Lock()


def _once(key: str, unpack: Callable[[], Any]) -> Any:
    with _unpacking:
        if key not in _unpacked:
            _unpacked[key] = unpack()
        return _unpacked[key]
