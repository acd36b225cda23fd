"""What every judge promises."""

from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind, ItemError
from skillopt_sleep.protocols.work import Judge
from skillopt_sleep.records import Exact, Reference, Rubric
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_task, a_trajectory, some_checks
from tests.fakes import FakeBackend, FakeJudge, SerialPool
from tests.graded import judged

REFERENCES: dict[str, Reference] = {
    "exact": Exact(answer="pnpm install"),
    "checks": some_checks(),
    "rubric": Rubric(text="It uses pnpm."),
}
MAKERS: dict[str, Callable[[float], Judge]] = {
    "fake": FakeJudge,
    "reference": lambda grade: ReferenceJudge(
        FakeBackend(otherwise=lambda prompt: judged(prompt.text, lambda _demand, _answer: grade))
    ),
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


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_several_answers_are_graded_in_their_order_as_each_would_be_alone(make: Callable[[float], Judge]) -> None:
    answers = [
        (a_task(id=f"{name}{number}", reference=reference), a_trajectory("pnpm install"))
        for number in range(3)
        for name, reference in REFERENCES.items()
    ]
    alone = [make(1.0).score(*answer) for answer in answers]
    assert list(make(1.0).scores(answers, pool=SerialPool(), label="grade")) == alone


@pytest.mark.parametrize("make", FAILING.values(), ids=FAILING)
@pytest.mark.parametrize("error", [CallFailed(FailureKind.TIMED_OUT, "late"), ItemError("can't tell")])
def test_of_several_what_can_not_be_told_says_why(make: Callable[[Exception], Judge], error: ItemError) -> None:
    answers = [(a_task(id=f"t{n}", reference=REFERENCES["rubric"]), a_trajectory()) for n in range(6)]
    assert list(make(error).scores(answers, pool=SerialPool(), label="grade")) == [error] * 6


@pytest.mark.parametrize("make", FAILING.values(), ids=FAILING)
def test_of_several_an_end_of_the_night_is_raised(make: Callable[[Exception], Judge]) -> None:
    answers = [(a_task(reference=REFERENCES["rubric"]), a_trajectory())]
    with pytest.raises(BudgetExhausted):
        make(BudgetExhausted("spent")).scores(answers, pool=SerialPool(), label="grade")


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_nothing_to_grade_has_no_grades(make: Callable[[float], Judge]) -> None:
    assert list(make(1.0).scores([], pool=SerialPool(), label="grade")) == []
