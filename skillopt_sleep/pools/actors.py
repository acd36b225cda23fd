"""The workers of a Ray pool (actors, as Ray calls them), seen from the process that sends them work."""

import itertools
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from skillopt_sleep.errors import BackendUnavailable, ItemError, NightInterrupted, SleepError
from skillopt_sleep.pools.cluster import library
from skillopt_sleep.pools.worker import Asked, Ended, Worker
from skillopt_sleep.pools.worker_model import Recipe, asking_through
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt

START_SECONDS = 120.0


class WorkerDied(SleepError):
    """A worker is gone, together with what it was doing; the pool handles it, and nobody else sees it."""


class Actor:
    """One worker: it runs functions, and the questions they ask are answered on the thread that sent them."""

    _runs = itertools.count()

    def __init__(self, *, at_once: int) -> None:
        actor = library().remote(Worker)
        self._actor: Any = actor.options(num_cpus=1, max_concurrency=at_once, scheduling_strategy="SPREAD").remote()
        self.ready: Any = self._actor.ready.remote()
        self.running = 0

    def run(self, backend: Backend, key: str, unpack: Callable[[], Any], item: Any) -> Any:
        """Return the function's result for the item; raise what it raises, or WorkerDied if the worker dies."""
        run = next(self._runs)
        event = _get(self._actor.begin.remote(run, key, unpack, item))
        while isinstance(event, Asked):
            answer = self._answer(run, backend, event.prompt)
            event = _get(self._actor.answer.remote(run, event.number, answer))
        assert isinstance(event, Ended)  # noqa: S101 - there is nothing else
        return event.result

    def ask(self, key: str, recipe: Recipe, prompt: Prompt) -> Completion:
        """Complete the prompt with a model that the worker calls itself."""
        return _get(self._actor.ask.remote(key, recipe, prompt))

    def kill(self) -> None:
        """End the worker, whatever it is doing."""
        library().kill(self._actor)

    def _answer(self, run: int, backend: Backend, prompt: Prompt) -> Completion | ItemError:
        """Return the answer or the error of this question; an error that ends more than the attempt is raised."""
        try:
            with asking_through(self):
                return backend.complete(prompt)
        except ItemError as error:
            return error
        except BaseException:
            self._actor.stop.remote(run, NightInterrupted("the attempt was given up"))
            raise


class Actors:
    """A fixed number of workers; each item goes to the least busy one. Safe for threads."""

    def __init__(self, count: int, *, at_once: int) -> None:
        self._at_once = at_once
        self._deadline = monotonic() + START_SECONDS
        self._lock = threading.Lock()
        self._all = [Actor(at_once=at_once) for _ in range(count)]
        self._started: list[Actor] = []

    @contextmanager
    def taken(self) -> Generator[Actor]:
        """Reserve a worker for one item; raise BackendUnavailable if the cluster starts none in time."""
        with self._lock:
            self._await_start()
            actor = min(self._started, key=lambda actor: actor.running)
            actor.running += 1
        try:
            yield actor
        finally:
            with self._lock:
                actor.running -= 1

    def replace(self, dead: Actor) -> None:
        """Start a new worker in place of a dead one; several threads may report the same death."""
        with self._lock:
            if dead in self._all:
                dead.kill()
                self._deadline = monotonic() + START_SECONDS
                self._all[self._all.index(dead)] = Actor(at_once=self._at_once)
                self._started = [actor for actor in self._started if actor is not dead]

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            for actor in self._all:
                actor.kill()

    def _await_start(self) -> None:
        """Note which workers have started by now; if none has, wait for the first."""
        starting = {actor.ready: actor for actor in self._all if actor not in self._started}
        if not starting:
            return
        wait = library().wait
        ready, _ = wait(list(starting), num_returns=len(starting), timeout=0)
        if not ready and not self._started:
            ready, _ = wait(list(starting), num_returns=1, timeout=max(0.0, self._deadline - monotonic()))
        self._started += [starting[reference] for reference in ready]
        if not self._started:
            raise BackendUnavailable(
                f"the Ray cluster started no worker within {START_SECONDS:.0f} seconds",
                remedy="check with `ray status` that it has a free CPU",
            )


def _get(reference: Any) -> Any:
    """Fetch a worker's result; raise the very error of its function, or WorkerDied."""
    from ray.exceptions import ObjectLostError, OutOfMemoryError, RayActorError, RayTaskError

    try:
        return library().get(reference)
    except RayTaskError as error:
        # `cause` is the original exception; the wrapper that Ray raises inherits from both types.
        raise error.cause from error
    except (RayActorError, ObjectLostError, OutOfMemoryError) as error:
        lines = str(error).splitlines()
        raise WorkerDied(lines[0] if lines else type(error).__name__) from error
