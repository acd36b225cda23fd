"""A rewritten body is ordinary edits: exact together, each to be left out, and nothing protected is touched."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.protected import BLOCK
from skillopt_sleep.learning.rewrite import (
    MOST_EDITS,
    Rewritten,
    as_edits,
    free_text,
    rewrite,
    rewrite_full,
    with_protected,
)
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.proposals.guard import LIMIT
from skillopt_sleep.records import Edit, EditOp, Prompt, Purpose, Split, Task
from tests.builders import SAID, a_document, a_rollout, a_task, an_edit
from tests.fakes import Answers, FakeBackend, in_turn
from tests.nights import an_optimizer

BLOCKED = "<!-- slow-update:begin -->\n- Guidance.\n\nand more\n<!-- slow-update:end -->"
OWN = "<!-- slow-update:begin -->\n- Mine.\n<!-- slow-update:end -->"
LINES = ("- Use pnpm.", "- Use", "Use", "pnpm.", "## Style", "more of it", "  under it", "", "```", "x", "xx")
RULES = ("# Rules", "", "- Use pnpm, never npm.", "- Write tests first.", "- Ask before you delete.")
OUTAGE = CallFailed(FailureKind.TIMED_OUT, "it took too long")

lines = st.lists(st.sampled_from(LINES), max_size=7)
endings = st.sampled_from([(), (BLOCKED,), (BLOCKED, "")])
bodies = st.builds(lambda before, end: "\n".join([*before, *end]), lines, endings)
odd_bodies = st.builds(lambda a, b: "\n".join([*a, BLOCKED, *b]), lines, lines)


def edits_of(body: str, free: str) -> tuple[Edit, ...]:
    return as_edits(a_document(body), free, apply=candidate)


def made(body: str, edits: tuple[Edit, ...]) -> str:
    changed = candidate(a_document(body), edits)
    assert changed is not None
    return changed.body


# exact --------------------------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(bodies, lines.map("\n".join))
def test_the_edits_make_exactly_the_new_body(body: str, free: str) -> None:
    assert made(body, edits_of(body, free)) == with_protected(body, free)


@settings(max_examples=200, deadline=None)
@given(odd_bodies, lines.map("\n".join))
def test_around_a_protected_block_they_make_exactly_the_new_body_or_there_are_none(body: str, free: str) -> None:
    edits = edits_of(body, free)
    assert made(body, edits) == (with_protected(body, free) if edits else body)


@settings(max_examples=200, deadline=None)
@given(bodies | odd_bodies, lines.map("\n".join))
def test_each_edit_can_be_left_out(body: str, free: str) -> None:
    edits = edits_of(body, free)
    for left_out in range(len(edits)):
        assert candidate(a_document(body), [*edits[:left_out], *edits[left_out + 1 :]]) is not None


@settings(max_examples=200, deadline=None)
@given(bodies | odd_bodies, st.lists(st.sampled_from([*LINES, BLOCKED, OWN]), max_size=7).map("\n".join))
def test_protected_blocks_stay_whatever_is_written(body: str, free: str) -> None:
    kept = BLOCK.findall(body)
    assert BLOCK.findall(with_protected(body, free)) == kept
    assert BLOCK.findall(made(body, edits_of(body, free))) == kept


def test_without_a_protected_block_the_new_body_is_what_was_written() -> None:
    assert with_protected("- Old.", "- New.\n\n- Newer.\n") == "- New.\n\n- Newer."
    assert with_protected("- Old.\n", "```markdown\n- New.\n```") == "- New.\n"


def test_what_is_new_comes_before_a_protected_block_at_the_end() -> None:
    body = f"- Old.\n{BLOCKED}"
    assert free_text(body) == "- Old."
    assert with_protected(body, "- New.\n- Newer.") == f"- New.\n- Newer.\n{BLOCKED}"


# as fine as can be --------------------------------------------------------------------------------------


def test_each_rule_is_an_edit_of_its_own() -> None:
    old = "\n".join(RULES)
    new = "\n".join([*RULES[:3], "- Write a failing test first.", "- Say what you did.", *RULES[4:]])
    assert [(edit.op, edit.content) for edit in edits_of(old, new)] == [
        (EditOp.INSERT_AFTER, "- Say what you did."),
        (EditOp.REPLACE, "- Write a failing test first."),
    ]
    assert edits_of(old, old) == ()
    assert [edit.op for edit in edits_of(old, "\n".join(RULES[:-1]))] == [EditOp.DELETE]
    reworded = "\n".join([*RULES[:2], *(rule.replace(".", ", always.") for rule in RULES[2:])])
    assert [edit.content for edit in edits_of(old, reworded)] == [f"{rule[:-1]}, always." for rule in RULES[2:]]


def test_leaving_one_out_leaves_the_rest_as_it_was_written() -> None:
    old, new = "- Be kind.\n- Be brief.", "- Be kind.\n- Ask first.\n- Be brief, always.\n- Test."
    ask, test, brief = edits_of(old, new)
    assert made(old, (ask, test)) == "- Be kind.\n- Ask first.\n- Be brief.\n- Test."
    assert made(old, (ask, brief)) == "- Be kind.\n- Ask first.\n- Be brief, always."
    assert made(old, (test, brief)) == "- Be kind.\n- Be brief, always.\n- Test."


def test_a_text_out_of_nothing_is_appended_rule_by_rule() -> None:
    edits = edits_of("", "\n".join(RULES))
    assert {edit.op for edit in edits} == {EditOp.APPEND}
    assert [edit.content for edit in edits] == ["# Rules\n\n- Use pnpm, never npm.", *RULES[3:]]


def test_a_text_with_many_changes_becomes_few_edits_that_pass_the_guard() -> None:
    old = "\n".join(f"- Rule {n} as it was." for n in range(60))
    new = "\n".join(f"- Rule {n}, which now says something else, at some length." for n in range(60))
    edits = edits_of(old, new)
    assert made(old, edits) == new
    assert 1 < len(edits) <= MOST_EDITS
    assert all(len(edit.content) <= LIMIT for edit in edits)


# rewrite from suggestions -------------------------------------------------------------------------------


def from_suggestions(*sets: tuple[Edit, ...], reply: Answers, body: str = "- Old.") -> tuple[Rewritten, list[Prompt]]:
    backend = FakeBackend({Purpose.REWRITE: reply})
    document = a_document(body)
    done = rewrite(sets, optimizer=an_optimizer(backend, document, preferences="Be kind."), apply=candidate)
    return done, backend.prompts


def test_suggestions_become_the_edits_of_the_text_they_were_worked_into() -> None:
    suggested = (an_edit("- Use pnpm.", tasks=("t1",)), an_edit("- Be brief.", tasks=("t2", "t1")))
    done, (prompt,) = from_suggestions(suggested, reply={"body": "- Old.\n- Use pnpm, briefly."})
    (patch,) = done.patches
    assert [(edit.content, edit.tasks, edit.support) for edit in patch.edits] == [
        ("- Use pnpm, briefly.", ("t1", "t2"), 2)
    ]
    assert all(words in prompt.text for words in ("- Use pnpm.", "- Be brief.", "Be kind.", "- Old."))
    assert done.notes == ()


def test_a_protected_block_is_not_offered_to_be_rewritten() -> None:
    _, (prompt,) = from_suggestions((an_edit(),), reply={"body": "- New."}, body=f"- Old.\n{BLOCKED}")
    assert "Guidance" not in prompt.text.split("# Editable part")[1]


@pytest.mark.parametrize("reply", [OUTAGE, {"body": "  \n"}])
def test_where_the_call_fails_the_suggestions_stand_as_they_are(reply: Any) -> None:
    one, other = (an_edit("- One."),), (an_edit("- Other."),)
    done, _ = from_suggestions(one, other, reply=in_turn(reply, {"body": "- Old.\n- Else."}))
    assert [[edit.content for edit in patch.edits] for patch in done.patches] == [["- One."], ["- Else."]]
    assert [note.stage for note in done.notes] == ["rewrite"]


def test_without_suggestions_nothing_is_asked() -> None:
    done, prompts = from_suggestions((), reply=OUTAGE)
    assert (done.patches, prompts) == ((), [])


# in full ------------------------------------------------------------------------------------------------


def full(*tasks: Task, reply: Answers, minibatch: int = 6) -> tuple[Rewritten, list[Prompt]]:
    backend = FakeBackend({Purpose.REWRITE_FULL: reply})
    done = rewrite_full(
        [a_rollout(0.0, task=task.id) for task in tasks],
        {task.id: task for task in tasks},
        optimizer=an_optimizer(backend, a_document("- Old.")),
        measure=lambda score: score.soft,
        minibatch=minibatch,
        apply=candidate,
    )
    return done, backend.prompts


def test_each_minibatch_of_failures_is_answered_by_a_text() -> None:
    tasks = [a_task(id=f"t{n}", split=Split.TRAIN) for n in range(3)]
    done, prompts = full(*tasks, reply=in_turn({"body": "- New."}, OUTAGE), minibatch=2)
    assert [(edit.op, edit.content, edit.tasks) for patch in done.patches for edit in patch.edits] == [
        (EditOp.REPLACE, "- New.", ("t0", "t1"))
    ]
    assert len(done.notes) == 1
    assert all(SAID in prompt.text for prompt in prompts)


@pytest.mark.parametrize("side", [Split.VAL, Split.TEST, None])
def test_a_task_that_is_not_on_train_raises(side: Split | None) -> None:
    with pytest.raises(ValueError, match="t1 is not on train"):
        full(a_task(split=side), reply=OUTAGE)
