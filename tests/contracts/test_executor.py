"""What every executor promises."""

from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.protocols.work import Executor
from skillopt_sleep.records import Command, Trajectory
from skillopt_sleep.replay.text import SingleShot
from tests.builders import a_document, a_task
from tests.fakes import Answer, FakeBackend, FakeExecutor


def _fake(answer: Answer) -> Executor:
    def attempt(*_: object) -> str | Trajectory:
        if isinstance(answer, CallFailed):
            return Trajectory(failure=answer.message)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    return FakeExecutor(attempt)


MAKERS: dict[str, Callable[[Answer], Executor]] = {
    "fake": _fake,
    "single shot": lambda answer: SingleShot(FakeBackend(otherwise=answer)),
}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[Answer], Executor]:
    return MAKERS[request.param]


def test_an_attempt_has_a_response_and_no_failure(make: Callable[[Answer], Executor]) -> None:
    trajectory = make("I would run the tests.").run(a_task(), a_document(), sample=0)
    assert (trajectory.response, trajectory.failure) == ("I would run the tests.", "")


def test_an_attempt_that_could_not_be_made_has_a_failure_and_no_response(make: Callable[[Answer], Executor]) -> None:
    trajectory = make(CallFailed(FailureKind.TIMED_OUT, "too late")).run(a_task(), a_document(), sample=0)
    assert "too late" in trajectory.failure
    assert trajectory.response == ""


def test_what_ends_the_night_is_no_failure_of_an_attempt(make: Callable[[Answer], Executor]) -> None:
    with pytest.raises(BudgetExhausted):
        make(BudgetExhausted("spent")).run(a_task(), a_document(), sample=0)


def test_what_answers_in_words_reaches_nothing_that_only_acts_show(make: Callable[[Answer], Executor]) -> None:
    executor = make("done")
    in_words = executor.run(a_task(), a_document(), sample=0).text_only
    assert executor.reaches(a_task())
    assert executor.reaches(a_task(needs_repository=True)) is not in_words
    assert executor.reaches(a_task(reference=Command(argv=("pytest",)))) is not in_words
