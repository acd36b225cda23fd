"""What every judge promises."""

from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind, ItemError
from skillopt_sleep.judges import ReferenceJudge
from skillopt_sleep.protocols import Judge
from skillopt_sleep.records import Exact, Reference, Rubric
from tests.builders import a_task, a_trajectory, some_checks
from tests.fakes import FakeBackend, FakeJudge

REFERENCES: dict[str, Reference] = {
    "exact": Exact(answer="pnpm install"),
    "checks": some_checks(),
    "rubric": Rubric(text="It uses pnpm."),
}
MAKERS: dict[str, Callable[[float], Judge]] = {
    "fake": FakeJudge,
    "reference": lambda grade: ReferenceJudge(FakeBackend(otherwise={"score": grade, "reason": "so"})),
}
FAILING: dict[str, Callable[[Exception], Judge]] = {
    "fake": FakeJudge,
    "reference": lambda error: ReferenceJudge(FakeBackend(otherwise=error)),
}


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(("answer", "grade"), [("pnpm install", 1.0), ("npm install", 0.0)])
def test_a_grade_is_between_nothing_and_all(
    make: Callable[[float], Judge], reference: Reference, answer: str, grade: float
) -> None:
    score = make(grade).score(a_task(reference=reference), a_trajectory(answer))
    assert score.hard == grade
    assert 0 <= score.soft <= 1
    assert bool(score.why) == (grade == 0)


@pytest.mark.parametrize("make", FAILING.values(), ids=FAILING)
@pytest.mark.parametrize(
    "error", [CallFailed(FailureKind.TIMED_OUT, "late"), ItemError("can't tell"), BudgetExhausted("spent")]
)
def test_a_grade_that_can_not_be_told_is_raised_and_never_a_nought(
    make: Callable[[Exception], Judge], error: Exception
) -> None:
    with pytest.raises(type(error)):
        make(error).score(a_task(reference=REFERENCES["rubric"]), a_trajectory())
