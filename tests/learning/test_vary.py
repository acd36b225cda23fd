"""The chosen edits come first, and beside them other ways of going about the same."""

from typing import Any

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.vary import Variety, vary
from skillopt_sleep.records import Edit, Prompt, Purpose
from tests.builders import a_document, an_edit
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer

CHOSEN = (an_edit("- Use pnpm.", tasks=("t1",), support=2), an_edit("- Be brief.", tasks=("t2",)))


def a_set(*contents: str) -> dict[str, Any]:
    return {"edits": [{"op": "append", "content": f" {content}\n"} for content in contents]}


def run(
    reply: Answers, *, edits: tuple[Edit, ...] = CHOSEN, candidates: int = 3, budget: int = 3
) -> tuple[Variety, list[Prompt]]:
    backend = FakeBackend({Purpose.VARY: reply})
    optimizer = an_optimizer(backend, a_document("- Old."))
    return vary(edits, optimizer=optimizer, candidates=candidates, budget=budget), backend.prompts


def contents(variety: Variety) -> list[list[str]]:
    return [[edit.content for edit in edits] for edits in variety.sets]


def test_for_one_candidate_or_without_an_edit_nothing_is_asked() -> None:
    assert run({}, candidates=1) == (Variety(sets=(CHOSEN,)), [])
    assert run({}, edits=()) == (Variety(sets=((),)), [])


def test_alternatives_stand_beside_what_was_chosen_and_are_learned_from_the_same_tasks() -> None:
    variety, (prompt,) = run({"alternatives": [a_set("- A."), a_set("- B.", "- C.")]})
    assert contents(variety) == [["- Use pnpm.", "- Be brief."], ["- A."], ["- B.", "- C."]]
    assert {(edit.tasks, edit.support) for edits in variety.sets[1:] for edit in edits} == {(("t1", "t2"), 2)}
    assert all(words in prompt.text for words in ("Write 2 other sets", "- Use pnpm.", "- Old."))


def test_no_more_are_taken_than_were_asked_for_and_empty_ones_are_none() -> None:
    variety, _ = run({"alternatives": [a_set(), a_set("- A.", "- B."), a_set("- C.")]}, candidates=2, budget=1)
    assert contents(variety) == [["- Use pnpm.", "- Be brief."], ["- A."]]


def test_where_the_call_fails_there_is_what_was_chosen() -> None:
    variety, _ = run(CallFailed(FailureKind.TIMED_OUT, "no answer", remedy="later"))
    assert variety.sets == (CHOSEN,)
    assert [(note.stage, note.remedy) for note in variety.notes] == [("vary", "later")]
