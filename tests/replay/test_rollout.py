"""Every attempt is made and graded; what can't be made or graded is unscored and never a zero."""

import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind, ItemError
from skillopt_sleep.records import Document, Rollout, Task, Trajectory
from skillopt_sleep.replay.rollout import rollout
from tests.builders import a_document, a_score, a_task
from tests.fakes import FakeExecutor, FakeJudge, SerialPool

JOBS = [(a_task(id=f"t{i}"), a_document(f"- rule {i}"), i) for i in range(3)]


def run(executor: FakeExecutor, judge: FakeJudge) -> tuple[Rollout, ...]:
    return rollout(JOBS, executor=executor, judge=judge, pool=SerialPool(), label="rollout")


def test_there_is_one_rollout_for_each_job_in_order() -> None:
    executor = FakeExecutor(lambda task, document, sample: f"{task.id} {document.body} {sample}")

    made = run(executor, FakeJudge(0.5))

    assert [(r.task, r.document_sha, r.sample) for r in made] == [(t.id, d.sha, s) for t, d, s in JOBS]
    assert [r.trajectory.response for r in made] == ["t0 - rule 0 0", "t1 - rule 1 1", "t2 - rule 2 2"]
    assert all(r.score == a_score(0.5, why="it is not what was asked for") and r.note == "" for r in made)


def test_an_attempt_that_failed_is_not_graded() -> None:
    judge = FakeJudge(1.0)

    made = run(FakeExecutor(Trajectory(failure="timed_out: no answer")), judge)

    assert judge.graded == []
    assert [(r.score, r.note) for r in made] == [(None, "timed_out: no answer")] * 3


@pytest.mark.parametrize(
    "error", [ItemError("the pattern takes too long"), CallFailed(FailureKind.EMPTY, "the judge said nothing")]
)
def test_what_can_not_be_graded_is_unscored_with_the_reason(error: ItemError) -> None:
    made = run(FakeExecutor("done"), FakeJudge(error))

    assert [(r.score, r.note) for r in made] == [(None, error.message)] * 3
    assert [r.failed for r in made] == [isinstance(error, CallFailed)] * 3
    assert made[0].trajectory.response == "done"


def test_the_grades_stand_with_their_own_attempts_where_some_were_not_made() -> None:
    def attempt(task: Task, _document: Document, _sample: int) -> str | Trajectory:
        return Trajectory(failure="timed_out: no answer") if task.id == "t1" else task.id

    made = run(FakeExecutor(attempt), FakeJudge(lambda task, _trajectory: 1.0 if task.id == "t2" else 0.0))

    assert [(r.task, r.score and r.score.hard, r.failed) for r in made] == [
        ("t0", 0.0, False), ("t1", None, True), ("t2", 1.0, False)
    ]  # fmt: skip


def test_all_are_attempted_before_any_is_graded() -> None:
    executor = FakeExecutor()

    def grade(_task: Task, _trajectory: Trajectory) -> float:
        return float(len(executor.jobs))

    assert [r.score and r.score.soft for r in run(executor, FakeJudge(grade))] == [3.0] * 3


def test_one_bad_attempt_does_not_spoil_the_others() -> None:
    def grade(task: Task, _trajectory: Trajectory) -> float | Exception:
        return ItemError("no") if task.id == "t1" else 1.0

    assert [r.score is not None for r in run(FakeExecutor(), FakeJudge(grade))] == [True, False, True]


def test_a_dead_model_ends_it_all() -> None:
    def attempt(task: Task, _document: Document, _sample: int) -> str:
        raise BackendUnavailable(f"gone at {task.id}")

    with pytest.raises(BackendUnavailable, match="gone at t0"):
        run(FakeExecutor(attempt), FakeJudge())


def test_the_pool_is_told_what_runs() -> None:
    pool = SerialPool()

    rollout([], executor=FakeExecutor(), judge=FakeJudge(), pool=pool, label="trial shop")

    assert pool.labels == ["trial shop", "grade trial shop"]
