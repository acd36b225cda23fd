"""What the grades of known answers tell of a judge."""

import random
from collections.abc import Callable, Sequence

import pytest

from skillopt_sleep.records import AnswerKind, JudgeReading, KnownAnswer, Rubric, Task
from skillopt_sleep.replay.judges.known_answers import Control, chosen
from skillopt_sleep.replay.judges.measure import Graded, in_doubt, judge_reading
from tests.builders import a_score, a_task

RUBRIC = Rubric(text="It uses pnpm.")


def sixteen(*, lessons: int) -> tuple[list[Control], list[Control]]:
    """The known answers of a night whose sixteen tasks are of so many lessons."""
    tasks: list[Task] = []
    for number in range(16):
        answers = (
            KnownAnswer(kind=AnswerKind.MEETS, response=f"pnpm {number}"),
            KnownAnswer(kind=AnswerKind.MISSES, response=f"npm {number}"),
        )
        lesson = f"lesson {number % lessons}"
        tasks.append(a_task(id=f"t{number}", lesson=lesson, reference=RUBRIC, known_answers=answers))
    return chosen(tasks, night="one")


CONTROLS, MORE = sixteen(lessons=5)
NIGHTS = 1_000

Grade = Callable[[Control, random.Random], float]


def right(control: Control, _noise: random.Random) -> float:
    return float(control.passes)


def wrong_with(chance: float) -> Grade:
    return lambda control, noise: abs(control.passes - float(noise.random() < chance))


def reading(grade: Grade, noise: random.Random) -> JudgeReading:
    graded = _graded(CONTROLS, grade, noise)
    if in_doubt(graded):
        graded += _graded(MORE, grade, noise)
    return judge_reading(graded)


def _graded(controls: Sequence[Control], grade: Grade, noise: random.Random) -> list[Graded]:
    return [Graded(control, a_score(grade(control, noise))) for control in controls]


def thrown_out(grade: Grade) -> float:
    noise = random.Random(18)
    return sum(bool(reading(grade, noise).because) for _ in range(NIGHTS)) / NIGHTS


def test_a_judge_that_is_right_counts_and_its_rate_is_given_by_kind() -> None:
    found = reading(right, random.Random(1))
    assert (found.right, found.n, found.because) == (16, 16, "")
    assert (
        found.by_kind
        == "8 of 8 good answers, 2 of 2 bad ones, 4 of 4 bad ones that are only longer, 2 of 2 bad ones that only repeat what was asked for"
    )


@pytest.mark.parametrize("grade", [0.0, 0.5, 1.0])
def test_a_judge_that_gives_everything_the_same_grade_is_no_better_than_a_coin(grade: float) -> None:
    found = reading(lambda _control, _noise: grade, random.Random(1))
    assert (found.right, found.n) == (8, 16)
    assert (
        found.because
        == "it graded 8 of 16 answers rightly whose grade we know, which isn't clearly better than a coin"
    )


def test_a_judge_that_was_right_on_all_of_too_few_is_not_said_to_be_like_a_coin() -> None:
    some = [*CONTROLS[:4], *CONTROLS[-4:]]
    found = judge_reading(_graded(some, right, random.Random(1)))
    assert (found.right, found.n) == (8, 8)
    assert (
        found.because == "only 8 answers whose grade we know could be graded, too few to tell how often it is right"
    )


@pytest.mark.parametrize("passes", [0.25, 0.5, 0.75])
def test_a_judge_that_grades_at_random_is_thrown_out_on_nearly_every_night(passes: float) -> None:
    assert thrown_out(lambda _control, noise: float(noise.random() < passes)) >= 0.995


def test_a_judge_that_is_wrong_once_or_pays_is_asked_more_but_not_one_that_is_wrong_too_often() -> None:
    def first_wrong(count: int) -> list[Graded]:
        wrong = CONTROLS[:count]
        return _graded(CONTROLS, lambda control, _: float(control.passes is not (control in wrong)), random.Random(1))

    assert [count for count in range(17) if in_doubt(first_wrong(count))] == [1, 2, 3, 4, 5]
    paid = _graded(CONTROLS, lambda one, _: max(one.passes, 0.3 * (one.kind is AnswerKind.ECHO)), random.Random(1))
    assert in_doubt(paid)


def test_a_judge_in_doubt_counts_if_it_is_right_on_twenty_five_of_thirty_two() -> None:
    def because(wrong: int) -> str:
        controls = [*CONTROLS, *MORE]
        these = [control for control in controls if control.passes][:wrong]  # so nothing is paid
        return judge_reading(
            _graded(controls, lambda one, _: float(one.passes and one not in these), random.Random(1))
        ).because

    assert because(7) == ""
    assert (
        because(8) == "it graded 24 of 32 answers rightly whose grade we know, which isn't clearly better than a coin"
    )


def test_a_judge_that_is_right_nine_times_of_ten_is_hardly_ever_thrown_out() -> None:
    assert thrown_out(wrong_with(0.1)) <= 0.03


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


@pytest.mark.parametrize("lessons", [1, 2, 3, 4, 6, 8, 16])
@pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
def test_a_judge_that_gives_a_task_the_same_part_credit_throughout_pays_for_nothing(
    lessons: int, step: float
) -> None:
    first, more = sixteen(lessons=lessons)

    def grade(control: Control, _noise: random.Random) -> float:
        return 1.0 if control.passes else step * int(control.task.id[1:]) % 0.8

    graded = _graded(first, grade, random.Random(1))
    if in_doubt(graded):
        graded += _graded(more, grade, random.Random(1))
    assert judge_reading(graded).because == ""


def test_without_a_grade_nobody_knows_how_often_it_is_right() -> None:
    assert (
        judge_reading([]).because
        == "none of the answers whose grade we know could be graded, so nobody knows how often it is right"
    )


def test_answers_of_one_side_alone_tell_nothing() -> None:
    known = [Graded(control, a_score(0.0)) for control in CONTROLS if not control.passes]
    assert (
        judge_reading(known).because
        == "too few of the answers whose grade we know could be graded to tell how often it is right"
    )


def test_what_should_fail_does_not_make_up_for_what_should_pass() -> None:
    few = [control for control in CONTROLS if not control.passes][:8] + [
        control for control in CONTROLS if control.passes
    ][:1]
    harsh = judge_reading([Graded(control, a_score(0.0)) for control in few])
    assert (harsh.right, harsh.n) == (8, 9)
    assert harsh.because
