"""What no command can judge is graded by the changes, if the judge is shown to grade diffs rightly."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.night.commands import graded_by_changes
from skillopt_sleep.prompts import setting
from skillopt_sleep.records import AnswerKind, Command, NoCommand, Prompt, Purpose, Rubric
from tests.builders import a_task
from tests.fakes import FakeBackend
from tests.graded import judged, shown_items
from tests.night.test_commands import ASK, FIXED, Desk, no_diff_shows_it
from tests.nights import a_crew
from tests.replay.plain_seal import PlainSeal
from tests.replay.test_calibrate import RIGHT
from tests.sessions import Exchange

MEETS = "diff --git a/cart.py b/cart.py\n--- a/cart.py\n+++ b/cart.py\n@@ -1 +1,2 @@\n+# In plain words\n"
MISSES = "diff --git a/cart.py b/cart.py\n--- a/cart.py\n+++ b/cart.py\n@@ -1 +1,2 @@\n+# LGTM\n"
TALKED = [Exchange(ASK, "Done."), Exchange("No, that is wrong: write comments in plain words.", "I did.")]


def write_diffs(prompt: Prompt) -> dict[str, Any]:
    numbers = range(1, len(shown_items(prompt.text)) + 1)
    return {"controls": [{"item": number, "misses": MISSES, "meets": MEETS} for number in numbers]}


def right(answer: str) -> float:
    return float("In plain words" in answer)


def grades(grade: Callable[[str], float | None]) -> Callable[[Prompt], dict[str, Any]]:
    def reply(prompt: Prompt) -> dict[str, Any]:
        return judged(prompt.text, lambda _demand, answer: grade(answer))

    return reply


def a_model(
    controls: Callable[[Prompt], dict[str, Any]] = write_diffs, grade: Callable[[str], float | None] = right
) -> FakeBackend:
    return FakeBackend({Purpose.CONTROLS: controls, Purpose.PROVE: grades(grade)})


def test_a_session_that_no_command_judges_is_judged_by_its_changes(tmp_path: Path) -> None:
    desk, model = Desk(tmp_path), a_model()
    desk.had("claude", TALKED)
    (task,), account = desk.judged(seal=PlainSeal(), grader=model)
    assert isinstance(task.reference, Rubric)
    assert (task.reference.of_changes, task.setting.needs_repository) == (True, True)
    assert task.setting.workspace is not None
    assert {known.kind: known.response for known in task.known_answers} == {
        AnswerKind.MEETS: MEETS,
        AnswerKind.MISSES: MISSES,
    }
    assert (account.rubrics, account.refused) == (1, {})
    assert "1 by the judge, who sees the changes as a diff" in account.in_words
    assert all(setting(of_changes=True) in prompt.text for prompt in model.prompts)


def test_a_command_of_the_project_is_taken_before_the_judge_who_is_not_asked(tmp_path: Path) -> None:
    desk, model = Desk(tmp_path), a_model()
    desk.had("claude", FIXED)
    desk.committed({"money.py": RIGHT})
    (task,), account = desk.judged(seal=PlainSeal(), grader=model)
    assert isinstance(task.reference, Command)
    assert (account.commands, account.rubrics, model.prompts) == (1, 0, [])


def lost(_prompt: Prompt) -> dict[str, Any]:
    raise CallFailed(FailureKind.OVERLOADED, "busy")


@pytest.mark.parametrize(
    "model",
    [
        a_model(no_diff_shows_it),
        a_model(grade=lambda _: 1.0),
        a_model(grade=lambda _: 0.0),
        a_model(grade=lambda answer: right(answer) or None),
        a_model(lost),
    ],
    ids=["no diff shows it", "lenient", "harsh", "can't see what misses", "call failed"],
)
def test_what_the_judge_does_not_grade_rightly_by_diffs_waits(model: FakeBackend, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.had("claude", TALKED)
    (task,), account = desk.judged(seal=PlainSeal(), grader=model)
    assert isinstance(task.reference, Rubric)
    assert (task.reference.of_changes, task.known_answers, task.setting.needs_repository) == (False, (), True)
    assert (account.rubrics, account.refused) == (0, {NoCommand.NO_COMMAND: 1})


def test_a_task_without_a_repository_or_for_words_is_not_asked_about() -> None:
    model = a_model()
    rubric = Rubric(text="It is short.")
    tasks = [a_task(id="t1", reference=rubric), a_task(id="t2", reference=rubric, needs_repository=True)]
    assert graded_by_changes(tasks, a_crew(grader=model)) == {}
    assert model.prompts == []
