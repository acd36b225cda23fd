"""What a night can do without: where the budget or the model ends in it, only its own scores are lost."""

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, NightInterrupted
from skillopt_sleep.learning.attempts import OptionalAttempts
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Document, Task
from skillopt_sleep.replay.rollout import Job
from tests.builders import a_document, a_task
from tests.fakes import FakeExecutor, FakeJudge, SerialPool
from tests.nights import a_crew

DOCUMENT = a_document("- Old.")
JOBS: list[Job] = [(a_task(id=f"t{n}"), DOCUMENT, n) for n in range(6)]
BUDGET = BudgetExhausted("the limit is reached", remedy="raise it")
GONE = BackendUnavailable("3 calls in a row failed", remedy="try again later")
both_ends = pytest.mark.parametrize("end", [BUDGET, GONE], ids=["budget", "model"])
both_pools = pytest.mark.parametrize(
    "pool", [SerialPool(), ThreadPool(3, lambda label, done, total: None)], ids=["serial", "threads"]
)


def ends_at(place: int, end: Exception) -> FakeExecutor:
    """An executor that makes so many attempts, and raises after that."""

    def attempt(_task: Task, _document: Document, sample: int) -> str:
        if sample >= place:
            raise end
        return f"done {sample}"

    return FakeExecutor(attempt)


def test_without_an_end_every_attempt_has_its_score() -> None:
    attempts = OptionalAttempts(a_crew(executor=FakeExecutor(), judge=FakeJudge(1.0)))

    made = attempts.make(JOBS, label="spare")

    assert [rollout.score is not None for rollout in made] == [True] * 6
    assert [rollout.sample for rollout in made] == [0, 1, 2, 3, 4, 5]
    assert attempts.end is None


@both_ends
@both_pools
def test_what_was_made_before_the_end_has_its_score_and_the_rest_none(pool: Pool, end: Exception) -> None:
    attempts = OptionalAttempts(a_crew(executor=ends_at(2, end), judge=FakeJudge(1.0), pool=pool))

    made = attempts.make(JOBS, label="spare")

    assert [rollout.task for rollout in made] == [task.id for task, _, _ in JOBS]
    assert [rollout.score is not None for rollout in made[2:]] == [False] * 4
    assert {rollout.trajectory.failure for rollout in made[2:]} == {str(end)}
    assert attempts.end is end


@both_ends
def test_after_the_end_nothing_more_is_asked(end: Exception) -> None:
    executor = ends_at(2, end)
    attempts = OptionalAttempts(a_crew(executor=executor, judge=FakeJudge(1.0)))

    attempts.make(JOBS, label="spare")
    assert len(executor.jobs) == 3

    attempts.make(JOBS, label="spare")
    assert len(executor.jobs) == 3


@both_ends
@both_pools
def test_an_end_while_grading_leaves_all_without_a_score(pool: Pool, end: Exception) -> None:
    attempts = OptionalAttempts(a_crew(executor=FakeExecutor(), judge=FakeJudge(end), pool=pool))

    made = attempts.make(JOBS, label="spare")

    assert [rollout.score for rollout in made] == [None] * 6
    assert attempts.end is end


def test_a_stop_by_the_person_is_no_end_of_this_kind() -> None:
    attempts = OptionalAttempts(a_crew(executor=ends_at(2, NightInterrupted("stopped", remedy="run again"))))

    with pytest.raises(NightInterrupted):
        attempts.make(JOBS, label="spare")
    assert attempts.end is None
