"""Functions that pools may send to other processes."""

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind, ItemError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage


class Work(NamedTuple):
    """Applies a function to each item, which may ask the target."""

    does: Callable[[Backend, Any], Any]
    target: Backend

    def asking(self, target: Backend, /) -> "Work":
        return Work(self.does, target)

    def __call__(self, item: Any, /) -> Any:
        return self.does(self.target, item)

    def lost(self, item: Any, why: str, /) -> Any:
        return f"{item} is lost: {why}"


class Echo:
    """Answers with the question and its process id, and records the questions."""

    name = "echo"
    version = ""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self.asked: list[str] = []

    def complete(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt.text)
        time.sleep(self._seconds)
        text = f"{prompt.text} {os.getpid()}"
        return decoded(prompt, Completion(text=text, usage=Usage(input_tokens=1), usd=0.0, model=self.name))

    def ready(self, _until: Any) -> bool:
        return True

    def price(self, _model: str, _usage: Usage) -> float | None:
        return 0.0


class Nobody:
    """Fails the test if it is asked."""

    def complete(self, prompt: Prompt) -> Completion:
        raise AssertionError(prompt.text)


class Broken:
    """Raises the given error."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def complete(self, prompt: Prompt) -> Completion:
        raise self._error


def question(text: object) -> Prompt:
    return Prompt(purpose=Purpose.ROLLOUT, text=str(text))


def square(_: Backend, number: int) -> int:
    time.sleep(max(0, 8 - number) / 200)
    return number * number


def pid(_: Backend, seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def ask(target: Backend, text: object) -> str:
    return target.complete(question(text)).text


def variable(_: Backend, name: str) -> str:
    return os.environ[name]


def ask_twice(target: Backend, text: str) -> list[str]:
    return [target.complete(question(f"{text} {turn}")).text for turn in range(2)]


def ask_from_threads(target: Backend, texts: list[str]) -> list[str]:
    with ThreadPoolExecutor(len(texts)) as executor:
        return [done.text for done in executor.map(target.complete, map(question, texts))]


def ask_in_vain(target: Backend, text: str) -> str:
    try:
        return target.complete(question(text)).text
    except CallFailed as error:
        return f"{error.kind}: {error.message} ({error.remedy})"


def never_gives_up(target: Backend, text: str) -> str:
    while True:
        try:
            return target.complete(question(text)).text
        except ItemError:
            continue


def fail(_: Backend, number: int) -> int:
    if number == 3:
        raise CallFailed(FailureKind.QUOTA, "no more", tokens=(1, 2, 3))
    if number == 4:
        raise KeyError("bug")
    return number


def end_all(_: Backend, item: tuple[str, int]) -> None:
    """Mark the item as started; the first item ends the night."""
    folder, number = item
    (Path(folder) / str(number)).touch()
    if number == 0:
        raise BackendUnavailable("gone", login=True)
    time.sleep(0.02)


def die_once(target: Backend, item: tuple[str, str]) -> str:
    """Ask, and then kill the process unless it was killed before."""
    text, mark = item
    said = target.complete(question(text)).text
    if mark and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return said


def die(_: Backend, number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def unpicklable(_: Backend, _number: int) -> Any:
    return threading.Lock()


def node_here() -> str:
    """Return the id of the machine in the cluster that runs this."""
    import ray

    return ray.get_runtime_context().get_node_id()


def wait_for_two_nodes(_: Backend, folder: str) -> str:
    """Mark this machine, and wait until another one is marked."""
    (Path(folder) / node_here()).touch()
    until = time.monotonic() + 50
    while len(list(Path(folder).iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    return node_here()


def stay_unless_at(_: Backend, item: tuple[str, str]) -> str:
    """Return at once on the named machine; on any other leave a mark, and stay."""
    home, mark = item
    if node_here() != home:
        Path(mark).touch()
        time.sleep(600)
    return node_here()
