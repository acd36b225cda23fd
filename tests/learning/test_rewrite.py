"""A rewritten text is one edit, which makes it exactly; nothing protected is touched."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.asking import Patches
from skillopt_sleep.learning.rewrite import rewritable, rewrite, rewrite_full, unite
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.proposals.edited import BLOCK
from skillopt_sleep.records import Edit, EditOp, Patch, Prompt, Purpose, Split, Task
from tests.builders import SAID, a_document, a_patch, a_rollout, a_task, an_edit
from tests.fakes import Answers, FakeBackend, in_turn
from tests.nights import an_optimizer

BLOCKED = "<!-- slow-update:begin -->\n- Guidance.\n\nand more\n<!-- slow-update:end -->"
OWN = "<!-- slow-update:begin -->\n- Mine.\n<!-- slow-update:end -->"
LINES = ("- Use pnpm.", "- Use", "Use", "pnpm.", "## Style", "more of it", "  under it", "", "x", "xx")
OUTAGE = CallFailed(FailureKind.TIMED_OUT, "it took too long")

lines = st.lists(st.sampled_from(LINES), max_size=7).map("\n".join)
texts = lines.filter(str.strip)
bodies = st.lists(st.sampled_from([*LINES, BLOCKED]), max_size=7).map("\n".join)


def written(body: str, text: str) -> Patch:
    """The patch of a body of which the optimizer makes this text."""
    optimizer = an_optimizer(FakeBackend({Purpose.REWRITE: {"body": text}}), a_document(body))
    (patch,) = rewrite((an_edit(),), optimizer=optimizer).patches
    return patch


def made(body: str, text: str) -> str:
    changed = candidate(a_document(body), written(body, text).edits)
    assert changed is not None
    return changed.body


# exact --------------------------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(lines, texts)
def test_one_edit_makes_exactly_the_new_text(body: str, text: str) -> None:
    assert made(body, text).strip("\n") == text.strip("\n").rstrip() or not written(body, text).edits
    assert len(written(body, text).edits) <= 1


@settings(max_examples=400, deadline=None)
@given(bodies, st.lists(st.sampled_from([*LINES, OWN]), max_size=7).map("\n".join))
def test_what_is_protected_stays_with_all_that_is_behind_it(body: str, text: str) -> None:
    patch = written(body, text) if BLOCK.sub("", text).strip() else Patch()
    changed = candidate(a_document(body), patch.edits)
    if changed is None:  # what is behind the block says it already
        return
    first = BLOCK.search(body)
    if first:
        assert changed.body.endswith(body[first.start() :])
    assert BLOCK.findall(changed.body) == BLOCK.findall(body)


def test_the_edit_replaces_what_was_there_and_is_appended_to_nothing() -> None:
    (edit,) = written("- Old.\n- Older.", "- New.\n- Newer.").edits
    assert (edit.op, edit.target, edit.content) == (EditOp.REPLACE, "- Old.\n- Older.", "- New.\n- Newer.")
    (edit,) = written("", "- New.").edits
    assert (edit.op, edit.target, edit.content) == (EditOp.APPEND, "", "- New.")
    assert written("- Old.\n", "- Old.\n").edits == ()


def test_a_fence_around_the_new_text_and_a_block_that_it_makes_up_are_left_out() -> None:
    assert made("- Old.\n", "```markdown\n- New.\n```") == "- New.\n"
    assert made("- Old.", f"- New.\n{OWN}\n") == "- New."


def test_what_is_new_comes_before_a_protected_block() -> None:
    body = f"- Old.\n{BLOCKED}"
    assert rewritable(body) == "- Old."
    assert made(body, "- New.\n- Newer.") == f"- New.\n- Newer.\n{BLOCKED}"
    assert made(BLOCKED, "- New.") == f"- New.\n{BLOCKED}"


# rewrite from suggestions -------------------------------------------------------------------------------


def from_suggestions(*edits: Edit, reply: Answers, body: str = "- Old.") -> tuple[Patches, list[Prompt]]:
    backend = FakeBackend({Purpose.REWRITE: reply})
    done = rewrite(edits, optimizer=an_optimizer(backend, a_document(body), preferences="Be kind."))
    return done, backend.prompts


def test_suggestions_become_the_text_they_were_worked_into() -> None:
    suggested = (an_edit("- Use pnpm.", tasks=("t1",)), an_edit("- Be brief.", tasks=("t2", "t1")))
    done, (prompt,) = from_suggestions(*suggested, reply={"body": "- Old.\n- Use pnpm, briefly."})
    (patch,) = done.patches
    assert [(edit.content, edit.tasks, edit.support) for edit in patch.edits] == [
        ("- Old.\n- Use pnpm, briefly.", ("t1", "t2"), 2)
    ]
    assert all(words in prompt.text for words in ("- Use pnpm.", "- Be brief.", "Be kind.", "- Old."))
    assert done.notes == ()


def test_a_protected_block_is_not_offered_to_be_rewritten() -> None:
    _, (prompt,) = from_suggestions(an_edit(), reply={"body": "- New."}, body=f"- Old.\n{BLOCKED}")
    assert "Guidance" not in prompt.text.split("# Editable part")[1]


@pytest.mark.parametrize("reply", [OUTAGE, {"body": "  \n"}])
def test_where_the_call_fails_the_suggestions_stand_as_they_are(reply: Any) -> None:
    edits = (an_edit("- One."), an_edit("- Other."))
    done, _ = from_suggestions(*edits, reply=reply)
    assert [patch.edits for patch in done.patches] == [edits]
    assert [note.stage for note in done.notes] == ["rewrite"]


def test_without_suggestions_nothing_is_asked() -> None:
    done, prompts = from_suggestions(reply=OUTAGE)
    assert (done.patches, prompts) == ((), [])


# in full ------------------------------------------------------------------------------------------------


def full(*tasks: Task, reply: Answers, minibatch: int = 6) -> tuple[Patches, list[Prompt]]:
    backend = FakeBackend({Purpose.REWRITE_FULL: reply})
    done = rewrite_full(
        [a_rollout(0.0, task=task.id) for task in tasks],
        {task.id: task for task in tasks},
        optimizer=an_optimizer(backend, a_document("- Old.")),
        measure=lambda score: score.soft,
        minibatch=minibatch,
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


def test_texts_are_shown_without_the_old_one_to_be_made_one() -> None:
    backend = FakeBackend({Purpose.REWRITE: {"body": "- New.\n- Newer."}})
    texts = [a_patch(an_edit(new, op=EditOp.REPLACE, target="- Old.")) for new in ("- New.", "- Newer.")]
    done = unite(texts, optimizer=an_optimizer(backend, a_document("- Old.")))
    assert [edit.content for edit in done.patches[0].edits] == ["- New.\n- Newer."]
    suggested = backend.prompts[0].text.partition("# Suggestions")[2]
    assert ("- New." in suggested, "- Old." in suggested) == (True, False)
