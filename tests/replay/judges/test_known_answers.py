"""Answers of known worth, made of what is known of a task."""

from msgspec.structs import replace

from skillopt_sleep.records import AnswerKind, Rubric
from skillopt_sleep.replay.judges.known_answers import LONG_CHARS, controls_of, longer
from tests.replay.judges.test_controls import RUBRIC, known


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
    task = replace(known(1, misses=diff), reference=by_changes, needs_repository=True)
    found = controls_of([task])
    for kind in (AnswerKind.LONGER, AnswerKind.ECHO):
        for control in found[kind]:
            assert (control.attempt.diff, control.attempt.response) == (control.response, "")
            assert f"{diff} 1\n" in f"{control.response}\n"
            assert "+++ b/NOTES.md\n" in control.response
    assert all("\n+Yes: It uses pnpm.\n" in control.response for control in found[AnswerKind.ECHO])
    assert len(found[AnswerKind.LONGER][0].response) >= LONG_CHARS
    assert not found[AnswerKind.MEETS][0].attempt.text_only
