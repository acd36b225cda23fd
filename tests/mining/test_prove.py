"""Only references that tell the rejected answer from the accepted one are kept."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import PER_CALL, prove
from skillopt_sleep.records import Check, Checks, Note, Op, Prompt, Purpose, Rubric, Task
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_task, some_checks
from tests.fakes import Answer, FakeBackend, SerialPool

RUBRIC = Rubric(text="It uses pnpm.")
_ANSWER = re.compile(r"## Answer \d+\n(`{3,})\n(.*?)\n\1", re.DOTALL)

Grader = Callable[[str], float | None]


def honest(answer: str) -> float:
    """A judge that knows what is wanted."""
    return 1.0 if "I ran pnpm" in answer else 0.0


def graded(grader: Grader) -> Callable[[Prompt], dict[str, Any]]:
    def reply(prompt: Prompt) -> dict[str, Any]:
        items = prompt.text.split("\n# Item ")[1:]
        return {
            "grades": [
                {"item": number, "scores": [grader(match[2]) for match in _ANSWER.finditer(item)]}
                for number, item in enumerate(items, start=1)
            ]
        }

    return reply


def proved(*tasks: Task, grader: Grader = honest) -> tuple[Mined, FakeBackend]:
    model = FakeBackend({Purpose.PROVE: graded(grader)})
    return prove(Mined(tasks=tasks), judge=ReferenceJudge(model), model=model, pool=SerialPool()), model


def references(tasks: Sequence[Task]) -> list[object]:
    return [task.reference for task in tasks]


def test_checks_that_tell_the_answers_apart_stay_and_nobody_is_asked() -> None:
    task = a_task(rejected="I ran npm install.", accepted="I ran pnpm install.")
    found, model = proved(task)
    assert found == Mined(tasks=(task,))
    assert model.prompts == []


def test_checks_stay_where_there_is_no_answer_to_try_them_on() -> None:
    found, _ = proved(a_task())
    assert references(found.tasks) == [some_checks()]


def test_checks_that_the_accepted_answer_fails_are_replaced_by_those_that_it_passes() -> None:
    found, _ = proved(a_task(rejected="I ran npm install.", accepted="I ran pnpm install, not npm."))
    assert references(found.tasks) == [Checks(items=(Check(op=Op.CONTAINS, arg="pnpm"),))]


def test_checks_that_the_rejected_answer_passes_are_replaced_by_the_persons_words() -> None:
    found, model = proved(a_task(rejected="I use pnpm.", accepted="I ran pnpm install."))
    (task,) = found.tasks
    assert isinstance(task.reference, Rubric)
    assert all(said.quote in task.reference.text for said in task.evidence)
    assert len(model.prompts) == 2


def test_a_rubric_is_graded_twice_in_opposite_order_without_saying_which_answer_is_which() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="I ran pnpm install.")
    found, model = proved(task)
    assert found.tasks == (task,)
    one, other = ([match[2] for match in _ANSWER.finditer(prompt.text)] for prompt in model.prompts)
    assert one == ["", ":", RUBRIC.text, "I ran npm install.", "I ran pnpm install."]
    assert other == one[::-1]
    assert not any(word in prompt.text for prompt in model.prompts for word in ("rejected", "accepted", "baseline"))


def test_a_rubric_by_which_the_rejected_answer_passes_is_dropped_and_counted() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran pnpm install.")
    found, _ = proved(task)
    assert found.tasks == ()
    assert found.lost == ()
    (note,) = found.notes
    assert note.summary.startswith("1 of 1 tasks were dropped")


def test_a_rubric_by_which_the_accepted_answer_fails_is_dropped() -> None:
    found, _ = proved(a_task(reference=RUBRIC, rejected="no", accepted="I ran yarn."))
    assert found.tasks == ()


@pytest.mark.parametrize("unseen", [("I ran npm install.",), ("Done.",), ("I ran npm install.", "Done.")])
def test_an_answer_that_does_not_show_it_proves_nothing(unseen: Sequence[str]) -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="Done.")
    found, _ = proved(task, grader=lambda answer: None if answer in unseen else 1.0 if answer == "Done." else 0.0)
    assert found.tasks == (task,)


def test_controls_that_are_said_to_show_nothing_earn_nothing() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.")
    found, _ = proved(task, grader=lambda answer: 1.0 if answer.startswith("I") and answer != RUBRIC.text else None)
    assert found.tasks == ()


def test_the_dropped_are_named_the_first_three_of_them() -> None:
    tasks = [a_task(id=f"t{n}", prompt=f"ask\n{n}", reference=RUBRIC, rejected="I ran pnpm.") for n in range(4)]
    found, _ = proved(*tasks)
    assert found.notes[0].summary.endswith("from a good one: «ask 0»; «ask 1»; «ask 2»; …")


def test_a_judge_that_gives_credit_for_nothing_proves_nothing() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.")
    for control in ("", ":", RUBRIC.text):
        found, _ = proved(task, grader=lambda answer, control=control: 0.1 if answer == control else honest(answer))
        assert found.tasks == ()


def test_a_judge_whose_grade_depends_on_the_place_proves_nothing() -> None:
    places = iter([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    task = a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="I ran pnpm install.")
    found, _ = proved(task, grader=lambda answer: next(places))
    assert found.tasks == ()


def test_a_grading_call_that_fails_loses_its_own_batch_only() -> None:
    tasks = [a_task(id=f"t{n}", session=f"codex:s{n}", reference=RUBRIC, rejected="no") for n in range(PER_CALL + 1)]
    failed: list[Prompt] = []

    def reply(prompt: Prompt) -> Answer:
        if "# Item 2" in prompt.text:
            failed.append(prompt)
            return CallFailed(FailureKind.OVERLOADED, "too busy", retry_after=None)
        return graded(honest)(prompt)

    model = FakeBackend({Purpose.PROVE: reply})
    before = Mined(tasks=tuple(tasks), notes=(Note(stage="mine", summary="earlier"),), lost=("codex:before",))
    found = prove(before, judge=ReferenceJudge(model), model=model, pool=SerialPool())
    assert [task.id for task in found.tasks] == [f"t{PER_CALL}"]
    assert found.lost == ("codex:before", *(f"codex:s{n}" for n in range(PER_CALL)))
    before_it, note = found.notes
    assert before_it.summary == "earlier"
    assert f"{PER_CALL} tasks wait" in note.summary
    assert note.summary.endswith(": too busy")


FOUR = {"item": 1, "scores": [0.0] * 4}


@pytest.mark.parametrize(
    "grades",
    [[], [{"item": 1, "scores": [0.0, 0.0]}], [FOUR | {"item": 2}], [FOUR, FOUR], [FOUR, FOUR | {"item": 2}]],
)
def test_grades_for_other_answers_than_those_asked_are_a_failed_call(grades: list[dict[str, Any]]) -> None:
    model = FakeBackend({Purpose.PROVE: {"grades": grades}})
    task = a_task(reference=RUBRIC, rejected="no")
    found = prove(Mined(tasks=(task,)), judge=ReferenceJudge(model), model=model, pool=SerialPool())
    assert (found.tasks, found.lost) == ((), (task.session,))


def test_a_grade_that_is_no_number_from_0_to_1_is_a_failed_call() -> None:
    for grade in (2.0, -1.0):
        found, _ = proved(a_task(reference=RUBRIC, rejected="no"), grader=lambda answer, grade=grade: grade)
        assert found.tasks == ()
        assert len(found.lost) == 1
