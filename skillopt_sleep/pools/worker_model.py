"""A model that is called by the worker making an attempt, instead of by the process that sent the attempt there."""

import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol

from skillopt_sleep.protocols import Backend, Model
from skillopt_sleep.records import Completion, Prompt, Usage

Recipe = Callable[[], Backend]


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

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self._model.name

    @property
    def version(self) -> str:
        """Return the version of the model's program on this machine."""
        return self._model.version

    def ready(self, until: datetime, /) -> bool:
        """Return what the model on this machine returns."""
        return self._model.ready(until)

    def price(self, model: str, usage: Usage, /) -> float | None:
        """Return the price in dollars of so many tokens, None if it is unknown."""
        return self._model.price(model, usage)

    @property
    def tells_price(self) -> bool:
        """Return whether the model's answers come with what they cost."""
        return getattr(self._model, "tells_price", False)

    def complete(self, prompt: Prompt) -> Completion:
        """Complete the prompt from where the attempt is made."""
        if _current.worker is None:
            return self._model.complete(prompt)
        return _current.worker.ask(self._key, self._recipe, prompt)
