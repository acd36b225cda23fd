"""What the grades of known answers tell of a judge."""

import random
from collections.abc import Callable

import pytest

from skillopt_sleep.records import AnswerKind, JudgeReading, Rubric, Score
from skillopt_sleep.replay.judges.controls import WANTED
from skillopt_sleep.replay.judges.known_answers import Control
from skillopt_sleep.replay.judges.measure import Graded, read
from tests.builders import a_score, a_task

RUBRIC = Rubric(text="It uses pnpm.")
CONTROLS = [
    Control(a_task(id=f"t{number}", reference=RUBRIC), kind, f"{kind} {number}")
    for kind, count in WANTED.items()
    for number in range(count)
]
NIGHTS = 1_000

Grade = Callable[[Control, random.Random], float]


def right(control: Control, _noise: random.Random) -> float:
    return float(control.passes)


def wrong_with(chance: float) -> Grade:
    return lambda control, noise: abs(control.passes - float(noise.random() < chance))


def reading(grade: Grade, noise: random.Random) -> JudgeReading:
    return read([Graded(control, _score(grade(control, noise))) for control in CONTROLS])


def _score(grade: float) -> Score:
    return a_score(grade)


def thrown_out(grade: Grade) -> float:
    noise = random.Random(18)
    return sum(bool(reading(grade, noise).because) for _ in range(NIGHTS)) / NIGHTS


def test_a_judge_that_is_right_counts_and_its_rate_is_given_by_kind() -> None:
    found = reading(right, random.Random(1))
    assert (found.right, found.n, found.because) == (16, 16, "")
    assert found.by_kind == "did it 8 of 8, didn't 2 of 2, only longer 4 of 4, only repeated the demand 2 of 2"


@pytest.mark.parametrize("grade", [0.0, 0.5, 1.0])
def test_a_judge_that_gives_everything_the_same_grade_is_no_better_than_a_coin(grade: float) -> None:
    found = reading(lambda _control, _noise: grade, random.Random(1))
    assert (found.right, found.n) == (8, 16)
    assert found.because == "it graded 8 of 16 answers of known worth rightly, which isn't clearly better than a coin"


@pytest.mark.parametrize("passes", [0.25, 0.5, 0.75])
def test_a_judge_that_grades_at_random_is_thrown_out_on_nearly_every_night(passes: float) -> None:
    assert thrown_out(lambda _control, noise: float(noise.random() < passes)) >= 0.95


def test_a_judge_that_is_right_nine_times_of_ten_is_hardly_ever_thrown_out() -> None:
    assert thrown_out(wrong_with(0.1)) <= 0.05


@pytest.mark.parametrize(("wrong", "least"), [(0.0, 1.0), (0.1, 0.95)])
def test_a_judge_that_pays_for_length_is_thrown_out_though_its_verdicts_are_right(wrong: float, least: float) -> None:
    otherwise = wrong_with(wrong)

    def grade(control: Control, noise: random.Random) -> float:
        return min(1.0, otherwise(control, noise) + 0.3 * (control.kind is AnswerKind.LONGER))

    assert thrown_out(grade) >= least
    assert (
        "pays for length"
        in reading(
            lambda control, _: max(right(control, _), 0.3 * (control.kind == "longer")), random.Random(1)
        ).because
    )


def test_a_judge_that_pays_for_repeating_the_demand_is_always_thrown_out() -> None:
    def grade(control: Control, noise: random.Random) -> float:
        return max(right(control, noise), float(control.kind is AnswerKind.ECHO))

    assert thrown_out(grade) == 1.0
    assert "pays for repeating the demand" in reading(grade, random.Random(1)).because


def test_a_judge_that_gives_a_task_the_same_part_credit_throughout_pays_for_nothing() -> None:
    found = reading(
        lambda control, _: 1.0 if control.passes else 0.1 * (1 + int(control.task.id[1:])), random.Random(1)
    )
    assert found.because == ""


def test_without_a_grade_nobody_knows_how_often_it_is_right() -> None:
    assert read([]).because == "no answer of known worth could be graded, so nobody knows how often it is right"


def test_answers_of_one_side_alone_tell_nothing() -> None:
    known = [Graded(control, a_score(0.0)) for control in CONTROLS if not control.passes]
    assert read(known).because == "too few answers of known worth could be graded to tell how often it is right"


def test_what_should_fail_does_not_make_up_for_what_should_pass() -> None:
    few = [control for control in CONTROLS if not control.passes][:8] + [
        control for control in CONTROLS if control.passes
    ][:1]
    harsh = read([Graded(control, a_score(0.0)) for control in few])
    assert (harsh.right, harsh.n) == (8, 9)
    assert harsh.because
