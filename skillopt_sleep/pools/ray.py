"""A pool of Ray tasks, one an attempt, on this machine or a cluster; spending is decided in this process.

An attempt leaves each question at a mailbox, an actor of the cluster. The thread that sent the attempt takes it from
there, passes it through the same wrappers as on threads (cache, limits, retries), and leaves the answer. So limits
hold over the whole cluster, and an answer is stored before the attempt gets it. A WorkerModel behind these wrappers
is called by a task of the cluster, any other model here. When a worker dies, Ray makes the attempt again.

Ray is imported only once something is sent. Which interfaces it listens on is decided at import, so our own cluster
listens on loopback only if nothing imported Ray before; its token protects it in either case.
"""

import asyncio
import atexit
import logging
import os
import secrets
import socket
import sys
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, FailureKind, ItemError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Portable
from skillopt_sleep.records import Completion, Prompt

Item = TypeVar("Item")
Result = TypeVar("Result")
Recipe = Callable[[], Backend]

DEATHS = 3
START_SECONDS = 120.0
OWN_FILES = "skillopt_env_"  # modules of files that a training names by path
OPTIONS = ("address", "num_cpus", "resources", "runtime_env")
# By default Ray reports every cluster to its makers, listens on all interfaces, and writes a token into the user's
# home. The token is one per process because Ray reads it only once.
_TOKEN = "RAY_AUTH_TOKEN"  # noqa: S105 - the variable's name
_PRIVATE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    _TOKEN: secrets.token_hex(32),
}
# Ray ends this process without a word if the head is gone for so long. A node ends itself after 60 seconds, so that
# there is an error before.
_PATIENT = {"RAY_gcs_rpc_server_reconnect_timeout_s": "600"}
_ANSWER_SECONDS = 10.0
_STORE_BYTES = 256 * 1024 * 1024
_broken = threading.Event()  # this process has lost its cluster


class RayPool(ThreadPool):
    """Up to `workers` attempts at once, on machines that join later too; `progress` as in ThreadPool.

    `address` names a running cluster, "" starts one on this machine; if this process is connected to a cluster
    already, that one is used. An attempt takes `num_cpus` (1) and `resources` of it, and runs in Ray's `runtime_env`.
    Only a Portable function is sent to workers, all else runs on threads here. Raises ConfigError if no cluster can
    be joined, BackendUnavailable if it starts no worker or breaks.
    """

    def __init__(self, workers: int, progress: Callable[[str, int, int], None], **options: Any) -> None:
        unknown = sorted(options.keys() - set(OPTIONS))
        if unknown:
            raise ConfigError(f"Ray has no option {unknown[0]!r} here", remedy=f"one of: {', '.join(OPTIONS)}")
        super().__init__(workers, progress)
        self._address: str = options.pop("address", "")
        self._options = {"num_cpus": 1, **options}
        self._lock = threading.Lock()
        self._mailbox: Any = None
        self._connected = False

    def close(self) -> None:
        """Leave the cluster; otherwise that happens when this process ends."""
        self._mailbox = None
        if self._connected and not _broken.is_set():
            library().shutdown()
        self._connected = False

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; errors as in ThreadPool. Items and results are pickled.

        An item at which workers died DEATHS times has the result that the function gives one that is lost.
        """
        if not items or not isinstance(function, Portable):
            return super().map(function, items, label=label)
        portable = cast("Portable[Item, Result]", function)
        with self._lock:
            if self._mailbox is None:
                self._connected = connect(self._address, processes=self.width)
                self._mailbox = self._begin()
        for module in own_code():
            library().cloudpickle.register_pickle_by_value(module)
        sent = [library().put(portable.asking(cast("Backend", None)))], sys.path

        def run(item: Item) -> Result:
            try:
                return self._attempt(sent, item, portable.target)
            except WorkerDied as error:
                return portable.lost(item, f"{DEATHS} Ray workers died at it, usually out of memory: {error.message}")

        return super().map(run, items, label=label)

    def _begin(self) -> Any:
        """Start a mailbox here; raise BackendUnavailable if the cluster can't start what an attempt takes."""
        ray = library()
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        mailbox = ray.remote(Mailbox).options(num_cpus=0, max_concurrency=100_000, scheduling_strategy=here).remote()
        started = ray.remote(lambda: None).options(**self._options).remote()
        if not ray.wait([started], timeout=START_SECONDS)[0]:
            raise BackendUnavailable(
                f"the Ray cluster started no worker within {START_SECONDS:.0f} seconds",
                remedy="check with `ray status` that what an attempt takes is free",
            )
        return mailbox

    def _attempt(self, sent: "Sent", item: Any, backend: Backend) -> Any:
        """Make an attempt, answering what it asks; raise what it raises, or WorkerDied if its workers die."""
        ray, mailbox, name = library(), self._mailbox, uuid.uuid4().hex
        task = _remote(attempt).options(scheduling_strategy="SPREAD", max_retries=DEATHS - 1, **self._options)
        result = task.remote(mailbox, name, sent, item)
        try:
            while True:
                question = mailbox.question.remote(name)
                if question not in ray.wait([question, result])[0]:
                    return _get(result)
                key, prompt = _get(question)
                try:
                    answer: object = backend.complete(prompt)
                except ItemError as error:
                    answer = error
                except BaseException:
                    ray.cancel(result, force=True)
                    raise
                mailbox.answer.remote(key, answer)
        finally:
            mailbox.end.remote(name)


def own_code() -> list[ModuleType]:
    """Return the modules that are sent whole: files that a training names, and what is beside these files."""
    modules = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
    folders = {Path(str(module.__file__)).parent for module in modules if module.__name__.startswith(OWN_FILES)}
    found: list[ModuleType] = []
    for module in modules:
        file = Path(str(module.__file__))
        is_installed = "site-packages" in file.parts or module.__name__.partition(".")[0] == "skillopt_sleep"
        if folders.intersection(file.parents) and not is_installed:
            found.append(module)
    return found


class WorkerDied(ItemError):
    """A worker is gone, together with what it was doing; the pool handles it, and nobody else sees it."""


def _get(reference: Any) -> Any:
    """Fetch a result; raise the very error of the function, WorkerDied, or BackendUnavailable if Ray breaks."""
    ray = library()
    died = (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError, ray.exceptions.NodeDiedError)
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        # `cause` is the original exception; the wrapper that Ray raises inherits from both types.
        raise error.cause from error
    except ray.exceptions.RayError as error:
        line = next(iter(str(error).splitlines()), type(error).__name__)
        if isinstance(error, (*died, ray.exceptions.ObjectLostError)):
            raise WorkerDied(line) from error
        _broken.set()
        atexit.unregister(ray.shutdown)  # which ends a process without a word if the cluster is gone
        remedy = "check with `ray status` that it runs, and train again"
        raise BackendUnavailable(f"the Ray cluster broke: {line}", remedy=remedy) from error


class WorkerModel:
    """A model that tasks of the cluster call, while this process is connected to one; else it is called here.

    The recipe must be picklable, and make a model that answers like this one. If it contains an API key, the key is
    sent to workers only and never written to disk.
    """

    def __init__(self, model: Backend, recipe: Recipe) -> None:
        self._model = model
        self.recipe = recipe
        self._key = uuid.uuid4().hex

    def __getattr__(self, name: str) -> Any:
        """Return what else is asked of the model: its name, version and price."""
        return getattr(self._model, name)

    def complete(self, prompt: Prompt) -> Completion:
        """Complete the prompt on a machine of the cluster; a call that is lost with its worker is a failed one."""
        ray = sys.modules.get("ray")
        if ray is None or not ray.is_initialized():
            return self._model.complete(prompt)
        task = _remote(call).options(num_cpus=0, max_retries=0, scheduling_strategy="SPREAD")
        try:
            return _get(task.remote(self._key, self.recipe, prompt))
        except WorkerDied as error:
            message = f"the worker that made the call died: {error.message}"
            raise CallFailed(FailureKind.UNREACHABLE, message) from error


def connect(address: str, *, processes: int) -> bool:
    """Join the cluster at the address, or start one with so many CPUs if the address is empty, and keep Ray quiet.

    Returns False if this process was connected already. Raises ConfigError if there is no Ray or no cluster.
    """
    with _environment(_PATIENT if address else _PATIENT | _PRIVATE):
        ray = library()
        if ray.is_initialized():
            return False
        local = {"num_cpus": processes, "object_store_memory": _STORE_BYTES, "include_dashboard": False}
        try:
            _check_reachable(address)
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **{} if address else local,
            )
        except (OSError, ValueError, RuntimeError) as error:
            reason = next(iter(str(error).splitlines()), "")
            message = f"Ray starts no cluster here: {reason}"
            remedy = 'run on threads, with pool = "threads" in [train], or join a running cluster by its address'
            if address:
                message = f"no Ray cluster can be joined at {address!r}: {reason}"
                remedy = f"check with `ray status` that it is running; if it needs a token, set {_TOKEN}"
            raise ConfigError(message, remedy=remedy) from error
        # Ray prints on stdout what it has to say of workers, whatever `log_to_driver` says, and has no public switch.
        ray._private.worker._worker_logs_enabled = False  # noqa: SLF001
        return True


def _check_reachable(address: str) -> None:
    """Raise OSError if nothing listens at host:port: Ray itself would keep trying for minutes."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port:
        socket.create_connection((parts.hostname, parts.port), timeout=_ANSWER_SECONDS).close()


def library() -> Any:
    """Import Ray, untyped because its types don't pass a strict checker; raise ConfigError if it isn't installed."""
    try:
        import ray
    except ImportError as error:
        raise ConfigError("Ray isn't installed", remedy=f"install it: {command_for('ray')}") from error
    return ray


@cache
def _remote(function: Callable[..., Any]) -> Any:
    """Return the Ray task of a function, registered once in this process."""
    return library().remote(function)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    """Set variables that aren't set yet, for the block only: processes started later must not inherit the token."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


# in the cluster -----------------------------------------------------------------------------------------


class Mailbox:
    """Passes the questions of attempts to the process that sent them, and its answers back."""

    def __init__(self) -> None:
        self._questions: defaultdict[str, asyncio.Queue[Any]] = defaultdict(asyncio.Queue)
        self._answers: dict[str, asyncio.Future[object]] = {}

    async def ask(self, attempt: str, prompt: Prompt) -> object:
        """Leave a question of an attempt, and return its answer."""
        key = uuid.uuid4().hex
        self._answers[key] = asyncio.get_running_loop().create_future()
        self._questions[attempt].put_nowait((key, prompt))
        return await self._answers[key]

    async def question(self, attempt: str) -> tuple[str, Prompt]:
        """Wait for the next question of an attempt."""
        return await self._questions[attempt].get()

    async def answer(self, key: str, answer: object) -> None:
        """Answer a question."""
        self._answers.pop(key).set_result(answer)

    async def end(self, attempt: str) -> None:
        """Forget an attempt, and whoever waits for its next question."""
        self._questions.pop(attempt).put_nowait(None)


Sent = tuple[list[Any], list[str]]  # a reference to the function, and where the process that sent it finds modules


class _Asking:
    """The backend of an attempt: it asks the process that sent the attempt, from any thread."""

    def __init__(self, mailbox: Any, name: str) -> None:
        self._mailbox = mailbox
        self._name = name

    def complete(self, prompt: Prompt) -> Completion:
        answer = library().get(self._mailbox.ask.remote(self._name, prompt))
        if isinstance(answer, BaseException):
            raise answer
        return answer


def attempt(mailbox: Any, name: str, sent: Sent, item: Any) -> Any:
    """Make one attempt, in a worker; raise what the function raises."""
    (reference,), folders = sent
    sys.path += [folder for folder in folders if folder not in sys.path]
    try:
        function = _function(reference)
    except ImportError as error:
        raise ConfigError(
            f"a Ray worker can't import what the environment needs: {error}",
            remedy="put it beside the environment's file, or name it in ray.runtime_env of [train]",
        ) from error
    return function.asking(_Asking(mailbox, name))(item)


@lru_cache(maxsize=1)
def _function(reference: Any) -> Any:
    """Unpack a function, once in a worker."""
    return library().get(reference)


def call(key: str, recipe: Recipe, prompt: Prompt) -> Completion:
    """Call a model, in a worker, which makes it once for the key."""
    if key not in _models:
        _models[key] = recipe()
    return _models[key].complete(prompt)


_models: dict[str, Backend] = {}
