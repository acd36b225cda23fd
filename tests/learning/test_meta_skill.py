"""The optimizer's own notes: short, from train alone, and as they were where the call fails."""

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.slow_update import NOTES_CHARS, meta_skill
from skillopt_sleep.records import (
    Compared,
    EditEffect,
    Effect,
    Exact,
    Note,
    Past,
    Prompt,
    Purpose,
    ResultChange,
    Split,
    Task,
)
from tests.builders import a_rollout, a_task, an_edit
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer

PAST = Past(
    tried=(EditEffect(night="2026-03-01", edit=an_edit("- Be brief."), effect=Effect.HARMFUL),),
    notes="Short rules win.",
)
ON_TRAIN = a_task(id="t1", split=Split.TRAIN, reference=Exact(answer="ZEBRA7"))
WORSE = Compared(task="t1", change=ResultChange.REGRESSED, before=a_rollout(1.0), after=a_rollout(0.0))


def run(reply: Answers, task: Task = ON_TRAIN) -> tuple[str | Note, list[Prompt]]:
    backend = FakeBackend({Purpose.META_SKILL: reply})
    notes = meta_skill([WORSE], {"t1": task}, optimizer=an_optimizer(backend, past=PAST))
    return notes, backend.prompts


def test_the_notes_are_what_it_answers() -> None:
    assert run({"notes": " - Name the tool.\n"})[0] == "- Name the tool."


def test_it_sees_its_notes_what_was_tried_and_how_each_request_changed() -> None:
    _, (prompt,) = run({"notes": ""})

    assert "Short rules win." in prompt.text
    assert "- harmful: append - Be brief." in prompt.text
    assert f"## regressed: 1\n```\n{ON_TRAIN.prompt}\n```" in prompt.text
    assert "## improved: 0" in prompt.text
    assert "ZEBRA7" not in prompt.text


@pytest.mark.parametrize(("line", "kept"), [("x" * 99 + "\n", 20), ("x" * 3 * NOTES_CHARS, 0)])
def test_notes_that_are_too_long_are_cut_after_a_whole_line_if_there_is_one(line: str, kept: int) -> None:
    notes, _ = run({"notes": line * 30})

    assert isinstance(notes, str)
    assert len(notes) <= NOTES_CHARS
    assert notes == (line * kept).rstrip() if kept else notes == "x" * NOTES_CHARS


def test_notes_that_just_fit_stay_whole() -> None:
    assert run({"notes": "y" * NOTES_CHARS})[0] == "y" * NOTES_CHARS


def test_a_call_that_fails_is_a_note() -> None:
    notes, _ = run(CallFailed(FailureKind.TIMED_OUT, "no answer"))

    assert isinstance(notes, Note)
    assert (notes.stage, notes.summary) == ("meta_skill", "shop:CLAUDE.md: no answer")


@pytest.mark.parametrize("side", [Split.VAL, Split.TEST, None])
def test_a_task_that_is_not_on_train_raises(side: Split | None) -> None:
    with pytest.raises(ValueError, match="t1 is not on train"):
        run({"notes": ""}, a_task(split=side))
