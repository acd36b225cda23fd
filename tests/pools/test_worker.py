import threading

import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind, NightInterrupted, SleepError
from skillopt_sleep.pools.worker import Asked, Ended, Fetched, NoBackend, Worker
from skillopt_sleep.records import Completion
from tests.pools.portable import (
    Broken,
    Echo,
    Work,
    ask,
    ask_from_threads,
    ask_in_vain,
    ask_twice,
    fail,
    question,
    square,
)


def sent(does, key: str = "work"):  # noqa: ANN001, ANN201
    """Return the key and the packed function, as they are sent."""
    return key, lambda: Work(does, NoBackend())


def test_a_function_that_asks_nothing_ends_at_once() -> None:
    assert Worker().begin(1, *sent(square), 3) == Ended(9)


def test_a_function_stops_at_a_question_and_continues_with_the_answer() -> None:
    worker = Worker()
    first = worker.begin(1, *sent(ask_twice), "why")
    assert first == Asked(0, question("why 0"))
    assert worker.answer(1, 0, Completion(text="so")) == Asked(1, question("why 1"))
    assert worker.answer(1, 1, Completion(text="there")) == Ended(["so", "there"])


def test_functions_run_at_the_same_time() -> None:
    worker = Worker()
    for run in range(5):
        assert isinstance(worker.begin(run, *sent(ask), f"item {run}"), Asked)
    for run in reversed(range(5)):
        assert worker.answer(run, 0, Completion(text=f"{run}")) == Ended(f"{run}")


def test_a_function_may_ask_from_several_threads() -> None:
    worker = Worker()
    event = worker.begin(1, *sent(ask_from_threads), ["a", "b", "c"])
    while isinstance(event, Asked):
        event = worker.answer(1, event.number, Completion(text=event.prompt.text * 2))
    assert event == Ended(["aa", "bb", "cc"])


def test_a_failed_call_is_raised_where_it_was_asked() -> None:
    worker = Worker()
    worker.begin(1, *sent(ask_in_vain), "why")
    ended = worker.answer(1, 0, CallFailed(FailureKind.REFUSED, "no", remedy="ask less"))
    assert ended == Ended("refused: no (ask less)")


@pytest.mark.parametrize(("number", "error"), [(3, CallFailed), (4, KeyError)])
def test_an_error_of_the_function_is_raised(number: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        Worker().begin(1, *sent(fail), number)


def test_what_is_sent_under_a_key_is_unpacked_once() -> None:
    worker, unpacked = Worker(), list[int]()

    def unpack() -> Work:
        unpacked.append(1)
        return Work(square, NoBackend())

    for run in range(3):
        worker.begin(run, "key", unpack, 3)
    worker.begin(3, "another", unpack, 3)
    assert len(unpacked) == 2


def test_a_model_is_made_once_and_what_it_raises_is_raised() -> None:
    worker, made = Worker(), list[Echo]()

    def recipe() -> Echo:
        made.append(Echo())
        return made[-1]

    for text in ("a", "b"):
        assert worker.ask("echo", recipe, question(text)).text.startswith(text)
    assert [model.asked for model in made] == [["a", "b"]]
    with pytest.raises(CallFailed):
        worker.ask("broken", lambda: Broken(CallFailed(FailureKind.REFUSED, "no")), question("a"))


def test_a_function_that_is_stopped_ends_and_can_ask_no_more() -> None:
    worker = Worker()
    worker.begin(1, *sent(ask_twice), "why")
    worker.stop(1, NightInterrupted("enough"))
    for thread in threading.enumerate():
        if thread.name.startswith("attempt"):
            thread.join(10)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("attempt")]
    with pytest.raises(KeyError):
        worker.answer(1, 0, Completion(text="late"))


def test_a_question_on_the_way_to_a_worker_is_an_error() -> None:
    with pytest.raises(SleepError, match="on the way"):
        NoBackend().complete(question("anyone?"))


def test_what_is_fetched_is_what_was_kept() -> None:
    assert Fetched({"ref": 7}.__getitem__, ("ref",))() == 7


def test_an_outage_is_raised_by_the_model_as_it_is() -> None:
    gone = BackendUnavailable("gone", login=True)
    with pytest.raises(BackendUnavailable) as caught:
        Worker().ask("gone", lambda: Broken(gone), question("a"))
    assert caught.value is gone
