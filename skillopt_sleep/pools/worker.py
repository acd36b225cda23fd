"""Run attempts in another process, and hand every question they ask back to the process that sent them."""

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

from skillopt_sleep.errors import SleepError
from skillopt_sleep.protocols import Backend, Portable
from skillopt_sleep.records import Completion, Prompt

Answer = Completion | SleepError


class Asked(NamedTuple):
    """A running function asks its backend, and goes on when it gets the answer to this number."""

    number: int
    prompt: Prompt


class Ended(NamedTuple):
    """A function returned."""

    result: Any


class NoBackend:
    """Takes the place of a backend while a function is sent; it never answers."""

    def complete(self, prompt: Prompt) -> Completion:
        """Raise SleepError: a function can't ask before it has reached a worker."""
        raise SleepError(f"a {prompt.purpose} question was asked on the way to a worker", remedy="report this bug")


class Worker:
    """Runs functions sent by another process; each call returns when the function asks something or ends.

    An object that is sent with many calls comes under a key, and is unpacked only once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unpacked: dict[str, Any] = {}
        self._runs: dict[int, _Run] = {}

    def ready(self) -> int:
        """Return the id of this process; the answer shows that the worker has started."""
        return os.getpid()

    def begin(self, run: int, key: str, unpack: Callable[[], Portable[Any, Any]], item: Any) -> Asked | Ended:
        """Run the function on the item until it asks something or ends; raise what the function raises."""
        function = self._once(key, unpack)
        running = _Run(function, item)
        with self._lock:
            self._runs[run] = running
        return self._next(run, running)

    def answer(self, run: int, number: int, answer: Answer) -> Asked | Ended:
        """Pass on the answer to a question, and let the function continue."""
        running = self._runs[run]
        running.answer(number, answer)
        return self._next(run, running)

    def stop(self, run: int, reason: SleepError) -> None:
        """Raise the reason in the function, at every question it is asking or will ask; its result is ignored."""
        with self._lock:
            running = self._runs.pop(run)
        running.stop(reason)

    def ask(self, key: str, unpack: Callable[[], Backend], prompt: Prompt) -> Completion:
        """Complete the prompt with a model that this process calls itself; raise what the model raises."""
        return self._once(key, unpack).complete(prompt)

    def _next(self, run: int, running: "_Run") -> Asked | Ended:
        event = running.next()
        if isinstance(event, Asked):
            return event
        with self._lock:
            del self._runs[run]
        return Ended(event.result())

    def _once(self, key: str, unpack: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._unpacked:
                self._unpacked[key] = unpack()
            return self._unpacked[key]


class _Run:
    """A function on its own thread, and the backend that it may ask from any thread."""

    def __init__(self, function: Portable[Any, Any], item: Any) -> None:
        self._lock = threading.Lock()
        self._events: SimpleQueue[Asked | Future[Any]] = SimpleQueue()
        self._answers: dict[int, SimpleQueue[Answer]] = {}
        self._numbers = itertools.count()
        self._stopped: SleepError | None = None
        executor = ThreadPoolExecutor(1, thread_name_prefix="attempt")
        executor.submit(function.asking(self), item).add_done_callback(self._events.put)
        executor.shutdown(wait=False)

    def complete(self, prompt: Prompt) -> Completion:
        """Ask the process that sent the function, and wait for its answer."""
        inbox = SimpleQueue[Answer]()
        with self._lock:
            if self._stopped is not None:
                raise self._stopped
            number = next(self._numbers)
            self._answers[number] = inbox
        self._events.put(Asked(number, prompt))
        answer = inbox.get()
        if isinstance(answer, SleepError):
            raise answer
        return answer

    def answer(self, number: int, answer: Answer) -> None:
        with self._lock:
            inbox = self._answers.pop(number)
        inbox.put(answer)

    def stop(self, reason: SleepError) -> None:
        with self._lock:
            self._stopped = reason
            open_questions = tuple(self._answers)
        for number in open_questions:
            self.answer(number, reason)

    def next(self) -> "Asked | Future[Any]":
        return self._events.get()


class Fetched:
    """Unpacks what was put into a cluster's object store: each worker fetches it once, instead of with every call."""

    def __init__(self, get: Callable[[Any], Any], references: Sequence[Any]) -> None:
        self._get = get
        self._references = references

    def __call__(self) -> Any:
        """Fetch the stored object."""
        return self._get(self._references[0])
