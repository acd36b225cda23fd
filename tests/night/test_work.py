"""What a night has done is kept, whatever ends it."""

from collections.abc import Iterator

import pytest

from skillopt_sleep.errors import BudgetExhausted, NightInterrupted
from skillopt_sleep.night.harvest import Harvest
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.night.work import NightWork, ending
from skillopt_sleep.records import SessionCounts, StepOutcome
from tests.builders import an_outcome
from tests.fakes import FakeJudge


def some_work() -> NightWork:
    return NightWork(Harvest(sessions=(), counts=SessionCounts()), NightJudge(FakeJudge()))


def test_what_ends_a_night_early_is_kept_with_what_its_documents_ended_as() -> None:
    work, outcome = some_work(), an_outcome()
    limit = BudgetExhausted("no call is left", remedy="raise budget.calls")

    def some() -> Iterator[StepOutcome]:
        yield outcome
        raise limit

    with ending(work):
        work.learned(some())

    assert (work.stopped, work.outcomes) == (limit, [outcome])


def test_a_person_who_stops_a_night_loses_nothing() -> None:
    work = some_work()
    with ending(work):
        raise KeyboardInterrupt
    assert isinstance(work.stopped, NightInterrupted)


def test_a_bug_is_no_end_of_a_night() -> None:
    work = some_work()
    with pytest.raises(ZeroDivisionError), ending(work):
        raise ZeroDivisionError
    assert work.stopped is None
