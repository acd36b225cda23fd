from hypothesis import given, strategies as st

from skillopt_sleep.prompts.attempts import RESPONSE_CHARS as SHOWN_CHARS
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.tasks import (
    as_document,
    as_rollout,
    as_task,
    clipped,
    shown,
)


@given(st.text())
def test_a_skill_is_the_document_to_the_byte(skill: str) -> None:
    assert as_document(skill).text == skill


def test_a_failure_has_no_score() -> None:
    rollout = as_rollout("t", "sha", Result(hard=1.0, failure="gone"), sample=1)
    assert rollout.score is None
    assert rollout.failed
    assert rollout.note == "gone"


def test_every_item_counts_as_a_session_of_its_own() -> None:
    task = as_task(Item(id="i", text="do", kind="k"), Split.TRAIN, source="toy")
    assert (task.id, task.session, task.lesson, task.project, task.split) == ("i", "i", "k", "", Split.TRAIN)


def test_long_attempts_show_their_head_and_tail() -> None:
    turns = tuple(f"turn {n} " + "x" * 2000 for n in range(20))
    text = shown(Result(response="the end", turns=turns))
    assert len(text) <= SHOWN_CHARS
    assert text.startswith("turn 0")
    assert text.endswith("Final answer: the end")
    assert shown(Result(response="only this")) == "only this"
    assert clipped("short", 100) == "short"
