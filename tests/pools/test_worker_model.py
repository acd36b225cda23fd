import threading

from skillopt_sleep.pools.ray import Recipe, WorkerModel, asking_through
from skillopt_sleep.records import Completion, Prompt, Usage
from tests.fakes import NOON
from tests.pools.portable import Echo, question


class Borrowing:
    """A worker that records what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Recipe, str]] = []

    def ask(self, key: str, recipe: Recipe, prompt: Prompt) -> Completion:
        self.asked.append((key, recipe, prompt.text))
        return Completion(text="from there")


def test_it_has_the_models_name_version_and_price() -> None:
    model = WorkerModel(Echo(), Echo)
    assert (model.name, model.version, model.ready(NOON), model.price("echo", Usage())) == ("echo", "", True, 0.0)


def test_without_a_worker_the_model_of_this_process_answers() -> None:
    model = Echo()
    assert WorkerModel(model, Echo).complete(question("here")).text.startswith("here")
    assert model.asked == ["here"]


def test_a_worker_answers_only_the_thread_that_asks_through_it() -> None:
    here, worker = Echo(), Borrowing()
    model = WorkerModel(here, Echo)
    with asking_through(worker):
        assert model.complete(question("there")).text == "from there"
        other = threading.Thread(target=model.complete, args=(question("other thread"),))
        other.start()
        other.join()
    model.complete(question("afterwards"))
    assert [(recipe, text) for _, recipe, text in worker.asked] == [(Echo, "there")]
    assert here.asked == ["other thread", "afterwards"]


def test_two_models_are_never_confused() -> None:
    worker = Borrowing()
    with asking_through(worker):
        for model in (WorkerModel(Echo(), Echo), WorkerModel(Echo(), Echo)):
            model.complete(question("there"))
    assert len({key for key, _, _ in worker.asked}) == 2
