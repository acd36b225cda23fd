"""A rule whose answers are much longer must not have won because the judge likes length."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ItemError
from skillopt_sleep.learning.confirm import MOST_ANSWERS, passes_padded
from skillopt_sleep.records import (
    Decision,
    Outcome,
    Rollout,
    Rubric,
    Split,
    StepOutcome,
    Task,
    Trajectory,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from tests.builders import a_document, a_rollout, a_task, a_trajectory
from tests.fakes import FakeBackend, FakeExecutor, FakeJudge, SerialPool
from tests.learning.test_step import SURE
from tests.nights import RULE, a_crew, a_plan
from tests.steps import a_side, step

JUDGED = Rubric(text="It uses pnpm.")
VAL = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL, reference=JUDGED) for n in range(4)]
SHORT, LONG = "I ran npm install.", "I ran pnpm install, and here is why. " * 4


def made(old: float | None = 0.0, *, new: str = LONG, tries: int = 2, task: str = "v") -> list[Rollout]:
    """The attempts of a trial: the old version's with this grade, the new one's right."""
    attempts: list[Rollout] = []
    for n in range(len(VAL)):
        for sample in range(tries):
            shared: dict[str, Any] = {"task": f"{task}{n}"}
            attempts.append(a_rollout(old, trajectory=a_trajectory(SHORT), sample=sample, **shared))
            longer = a_trajectory(new)
            attempts.append(a_rollout(1.0, trajectory=longer, sample=CANDIDATE_SAMPLES + sample, **shared))
    return attempts


def asked(
    attempts: list[Rollout],
    grade: Callable[[Task, Trajectory], float | Exception] | float = 1.0,
    *,
    val: list[Task] = VAL,
) -> tuple[bool, list[Trajectory]]:
    judge = FakeJudge(grade)
    found = passes_padded(val, attempts, judge=judge, pool=SerialPool())
    return found, [trajectory for _, trajectory in judge.graded]


def test_wrong_answers_that_are_made_as_long_are_graded_once_more() -> None:
    passes, graded = asked(made())

    assert passes
    assert len(graded) == 8
    assert {len(trajectory.response) for trajectory in graded} != {len(SHORT)}
    assert all(trajectory.response.startswith(SHORT) for trajectory in graded)
    assert all(len(trajectory.response) >= 0.9 * len(LONG) for trajectory in graded)


@pytest.mark.parametrize(("passing", "found"), [(0, False), (1, False), (2, True)])
def test_one_that_passes_is_luck_and_two_are_not(passing: int, found: bool) -> None:
    left = [1.0] * passing
    assert asked(made(), lambda task, trajectory: left.pop() if left else 0.0)[0] is found


def test_at_most_sixteen_are_asked() -> None:
    assert len(asked(made(tries=8), 0.0)[1]) == MOST_ANSWERS


@pytest.mark.parametrize(
    "attempts",
    [made(new="I ran pnpm install."), made(old=1.0), made(old=None), [], made(task="other")],
    ids=["no longer", "nothing failed", "nothing scored", "nothing made", "other tasks"],
)
def test_no_other_rule_costs_a_call(attempts: list[Rollout]) -> None:
    assert asked(attempts) == (False, [])


def test_what_code_grades_is_not_asked_of_the_judge() -> None:
    by_code = [replace(task, reference=a_task().reference) for task in VAL]

    assert asked(made(), val=by_code) == (False, [])


def test_grades_that_lack_are_no_passes() -> None:
    assert asked(made(), lambda task, trajectory: ItemError("no"))[0] is False


# in a step ----------------------------------------------------------------------------------------------


def stepped(judge: Callable[[Task, Trajectory], float]) -> StepOutcome:
    """A step whose rule makes answers longer, by what this judge says of a padded answer."""

    def attempt(task: Task, document: Any, sample: int) -> str:
        return f"{LONG} {task.id} {sample}" if RULE in document.body else f"{SHORT} {task.id} {sample}"

    edits = {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}
    crew = a_crew(optimizer=FakeBackend(otherwise=edits), executor=FakeExecutor(attempt), judge=FakeJudge(judge))
    tasks = [*a_side(Split.TRAIN, 1, 2), *a_side(Split.VAL, 1, 2, 3, reference=JUDGED)]
    return step(a_document("- Old."), tasks, crew=crew, plan=a_plan(gate=SURE))


def is_right(trajectory: Trajectory) -> bool:
    return trajectory.response.startswith("I ran pnpm")


def test_a_winner_with_longer_answers_is_proposed_if_the_judge_sees_through_length() -> None:
    assert stepped(lambda task, made: float(is_right(made))).outcome is Outcome.IMPROVED


def test_a_winner_with_longer_answers_waits_if_the_judge_likes_length() -> None:
    outcome = stepped(lambda task, made: float(len(made.response) > len(SHORT) + 20))

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.UNDECIDED, Decision.UNDECIDED)
    assert "its answers are longer, and the judge takes wrong answers for right" in outcome.because
    assert "its answers are longer" in outcome.tried.effects[0].because
    (wait,) = outcome.tried.undecided
    assert (wait.tested.verdict.decision, wait.tested.trial) == (Decision.UNDECIDED, outcome.trial)
    assert outcome.fresh.n == 0


@pytest.mark.parametrize(
    "end", [BudgetExhausted("the limit is reached", remedy="raise it"), BackendUnavailable("gone")], ids=type
)
def test_a_night_that_ends_meanwhile_loses_no_winner(end: Exception) -> None:
    def judge(_task: Task, made: Trajectory) -> float:
        if made.response.startswith(SHORT) and len(made.response) > len(SHORT) + 20:
            raise end
        return float(is_right(made))

    outcome = stepped(judge)

    assert outcome.outcome is Outcome.UNDECIDED
    assert "before the judge was asked about answers as long as its own" in outcome.because
    assert len(outcome.tried.undecided) == 1
