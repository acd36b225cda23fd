"""The known answers that a judge is measured on."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import AnswerKind, Exact, KnownAnswer, Rubric, Task
from skillopt_sleep.replay.judges.controls import BAD, chosen
from tests.builders import a_task

RUBRIC = Rubric(text="It uses pnpm.")


def known(number: int, *, meets: str = "pnpm ci", misses: str = "npm ci") -> Task:
    answers = (
        KnownAnswer(kind=AnswerKind.MEETS, response=f"{meets} {number}"),
        KnownAnswer(kind=AnswerKind.MISSES, response=f"{misses} {number}"),
    )
    return a_task(id=f"t{number}", reference=RUBRIC, known_answers=answers)


def of_lesson(lesson: str, number: int) -> Task:
    return replace(known(number), lesson=lesson)


def test_sixteen_are_chosen_and_sixteen_more_of_which_half_should_pass() -> None:
    first, more = chosen([known(number) for number in range(9)], night="one")
    assert len(set(first) | set(more)) == 32
    for controls in (first, more):
        assert sum(control.passes for control in controls) == 8
        for kind, wanted in BAD.items():
            assert sum(control.kind is kind for control in controls) == wanted


@pytest.mark.parametrize("lessons", range(1, 9))
def test_the_first_sixteen_hold_a_good_and_a_bad_answer_of_each_lesson(lessons: int) -> None:
    tasks = [of_lesson(f"lesson {number % lessons}", number) for number in range(3 * lessons)]
    first, _ = chosen(tasks, night="one")
    for passes in (True, False):
        assert len({control.task.lesson for control in first if control.passes is passes}) == lessons


def test_a_lesson_of_many_requests_takes_no_place_from_one_of_a_single_request() -> None:
    tasks = [*(of_lesson("often", number) for number in range(20)), of_lesson("once", 20)]
    first, _ = chosen(tasks, night="one")
    for passes in (True, False):
        assert {control.task.lesson for control in first if control.passes is passes} == {"often", "once"}


def test_one_task_is_enough_for_all_that_are_graded_one_by_one() -> None:
    first, more = chosen([known(1)], night="one")
    controls = [*first, *more]
    assert len(controls) == len(set(controls)) == 32
    assert {control.response.strip() for control in controls if control.passes} == {"pnpm ci 1"}


def test_without_an_answer_that_passes_there_are_only_the_others() -> None:
    task = a_task(reference=RUBRIC, rejected="npm ci")
    controls, _ = chosen([task], night="one")
    assert {control.kind for control in controls} == {AnswerKind.MISSES, AnswerKind.LONGER, AnswerKind.ECHO}


def test_without_a_task_none_is_chosen() -> None:
    assert chosen([], night="one") == ([], [])


def test_only_a_rubric_that_words_or_changes_can_meet_is_tried() -> None:
    changes = Rubric(text="Comments are plain.", of_changes=True)
    tasks = [
        known(1),
        replace(known(2), reference=Exact(answer="pnpm")),
        replace(known(3), needs_repository=True),
        replace(known(4), reference=changes, needs_repository=True),
    ]
    first, _ = chosen(tasks, night="one")
    assert {control.task.id for control in first} == {"t1", "t4"}


def test_which_are_chosen_differs_from_night_to_night_and_not_within_one() -> None:
    tasks = [known(number) for number in range(20)]
    assert len({tuple(chosen(tasks, night=f"night {number}")[0]) for number in range(5)}) > 1
    assert chosen(tasks, night="one") == chosen(tasks[::-1], night="one")
