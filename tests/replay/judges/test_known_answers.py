"""Known answers, made of what is known of a task, and those that a judge is measured on."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import AnswerKind, Exact, KnownAnswer, Rubric, Task
from skillopt_sleep.replay.judges.known_answers import BAD, LONG_CHARS, chosen, controls_of, longer
from tests.builders import a_task, changed

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
        changed(known(3), needs_repository=True),
        changed(known(4), reference=changes, needs_repository=True),
    ]
    first, _ = chosen(tasks, night="one")
    assert {control.task.id for control in first} == {"t1", "t4"}


def test_which_are_chosen_differs_from_night_to_night_and_not_within_one() -> None:
    tasks = [known(number) for number in range(20)]
    assert len({tuple(chosen(tasks, night=f"night {number}")[0]) for number in range(5)}) > 1
    assert chosen(tasks, night="one") == chosen(tasks[::-1], night="one")


def test_longer_answers_and_echoes_miss_the_demand_as_the_answer_does_that_they_are_made_of() -> None:
    found = controls_of([known(1)])
    for control in found[AnswerKind.LONGER]:
        assert control.response.startswith("npm ci 1")
        assert len(control.response) >= LONG_CHARS
    for control in found[AnswerKind.ECHO]:
        assert "npm ci 1" in control.response
        assert RUBRIC.text in control.response
    assert len(longer("x" * 1_000)) >= 4_000


def test_each_task_has_its_first_answer_before_any_has_its_second() -> None:
    echoes = controls_of([known(1), known(2)])[AnswerKind.ECHO]
    assert [control.task.id for control in echoes] == ["t1", "t2", "t1", "t2"]


def test_of_changes_all_are_diffs_and_what_says_nothing_or_repeats_stands_in_a_file_of_its_own() -> None:
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+npm ci"
    by_changes = Rubric(text="It uses pnpm.", of_changes=True)
    task = changed(known(1, misses=diff), reference=by_changes, needs_repository=True)
    found = controls_of([task])
    for kind in (AnswerKind.LONGER, AnswerKind.ECHO):
        for control in found[kind]:
            assert (control.attempt.diff, control.attempt.response) == (control.response, "")
            assert f"{diff} 1\n" in f"{control.response}\n"
            assert "+++ b/NOTES.md\n" in control.response
    assert all("\n+Yes: It uses pnpm.\n" in control.response for control in found[AnswerKind.ECHO])
    assert len(found[AnswerKind.LONGER][0].response) >= LONG_CHARS
    assert not found[AnswerKind.MEETS][0].attempt.text_only
