import threading

from skillopt_sleep.pools.worker_model import Recipe, WorkerModel, asking_through
from skillopt_sleep.records import Completion, Prompt, Usage
from tests.fakes import NOON
from tests.pools.portable import Echo, question


class Borrowing:
    """A worker that remembers what it was to ask."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Recipe, str]] = []

    def ask(self, key: str, recipe: Recipe, prompt: Prompt) -> Completion:
        self.asked.append((key, recipe, prompt.text))
        return Completion(text="from there")


def test_it_is_the_model_to_whoever_looks() -> None:
    lent = WorkerModel(Echo(), Echo)
    assert (lent.name, lent.version, lent.ready(NOON), lent.price("echo", Usage())) == ("echo", "", True, 0.0)


def test_it_is_asked_here_by_those_who_serve_no_worker() -> None:
    model = Echo()
    assert WorkerModel(model, Echo).complete(question("here")).text.startswith("here")
    assert model.asked == ["here"]


def test_it_is_asked_there_while_a_worker_is_served_by_this_thread_only() -> None:
    model, worker = Echo(), Borrowing()
    lent = WorkerModel(model, Echo)
    with asking_through(worker):
        assert lent.complete(question("there")).text == "from there"
        other = threading.Thread(target=lent.complete, args=(question("other thread"),))
        other.start()
        other.join()
    lent.complete(question("afterwards"))
    assert [(recipe, text) for _, recipe, text in worker.asked] == [(Echo, "there")]
    assert model.asked == ["other thread", "afterwards"]


def test_two_models_are_never_taken_for_one_another() -> None:
    worker = Borrowing()
    with asking_through(worker):
        for lent in (WorkerModel(Echo(), Echo), WorkerModel(Echo(), Echo)):
            lent.complete(question("there"))
    assert len({key for key, _, _ in worker.asked}) == 2
