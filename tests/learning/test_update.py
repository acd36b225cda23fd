"""Every edit ends with a fate, and nothing outside of what we may edit is touched."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.learning.update import update
from skillopt_sleep.proposals.edited import BLOCK
from skillopt_sleep.records import AppliedEdit, Document, DocumentKind, Edit, EditFate, EditOp, EditSource

PROTECTED = "<!-- slow-update:begin -->\n- Old wisdom.\nmore of it\n<!-- slow-update:end -->"
LINES = ("- Use pnpm.", "- Be brief.", "Use", "wisdom", "more of it", "- Old wisdom.", "pnpm.\n- Be", "", " ", "\n")

lines = st.sampled_from(LINES)
bodies = st.builds(
    lambda glue, before, block, after: glue.join([*before, *block, *after]),
    st.sampled_from(["\n", " "]),
    st.lists(lines, max_size=4),
    st.sampled_from([(), (PROTECTED,)]),
    st.lists(lines, max_size=4),
)
edits = st.builds(
    Edit,
    op=st.sampled_from(EditOp),
    content=st.one_of(lines, st.lists(lines, max_size=3).map("\n".join)),
    target=st.one_of(lines, st.sampled_from([PROTECTED[:30], PROTECTED[-40:], PROTECTED, "begin -->", "nowhere"])),
)


def a_text(body: str) -> Document:
    return Document(
        id="shop/CLAUDE.md",
        kind=DocumentKind.MEMORY,
        path="/p/CLAUDE.md",
        project="/p",
        lead="# Shop\n\n",
        open="<!-- o -->\n",
        body=body,
        close="\n<!-- c -->\n",
        trail="\nThe user's own end.\n",
    )


def nothing(_edit: Edit) -> str:
    return ""


def apply(body: str, *wanted: Edit) -> tuple[str, list[EditFate]]:
    candidate, fates = update(a_text(body), wanted, refuse=nothing)
    return candidate.body, [fate.fate for fate in fates]


def an_edit(op: EditOp, content: str = "", target: str = "") -> Edit:
    return Edit(op=op, content=content, target=target)


# invariants ---------------------------------------------------------------------------------------------


@given(bodies, st.lists(edits, max_size=6))
def test_every_edit_ends_with_a_fate_in_its_order(body: str, wanted: list[Edit]) -> None:
    _, fates = update(a_text(body), wanted, refuse=nothing)

    assert [fate.edit for fate in fates] == wanted
    assert all(bool(fate.because) == (fate.fate is not EditFate.APPLIED) for fate in fates)


@given(bodies, st.lists(edits, max_size=6))
def test_where_no_edit_is_applied_the_text_is_identical(body: str, wanted: list[Edit]) -> None:
    document = a_text(body)
    candidate, fates = update(document, wanted, refuse=nothing)

    if not any(fate.fate is EditFate.APPLIED for fate in fates):
        assert candidate == document


@given(bodies, edits)
def test_an_applied_edit_changes_the_body(body: str, wanted: Edit) -> None:
    candidate, (fate,) = update(a_text(body), [wanted], refuse=nothing)

    assert (candidate.body != body) == (fate.fate is EditFate.APPLIED)


@given(bodies, st.lists(edits, max_size=6))
def test_only_the_body_ever_changes(body: str, wanted: list[Edit]) -> None:
    document = a_text(body)
    candidate, _ = update(document, wanted, refuse=nothing)

    assert (candidate.lead, candidate.open, candidate.close, candidate.trail) == (
        document.lead,
        document.open,
        document.close,
        document.trail,
    )
    assert (candidate.id, candidate.path, candidate.kind, candidate.project) == (
        document.id,
        document.path,
        document.kind,
        document.project,
    )
    assert candidate.text.startswith(document.lead)
    assert candidate.text.endswith(document.trail)


@given(bodies, st.lists(edits, max_size=6))
def test_a_protected_block_survives_every_edit(body: str, wanted: list[Edit]) -> None:
    candidate, _ = update(a_text(body), wanted, refuse=nothing)

    assert candidate.body.count(PROTECTED) >= body.count(PROTECTED)


@given(bodies, st.lists(edits, max_size=6))
def test_edits_that_were_not_applied_leave_no_trace(body: str, wanted: list[Edit]) -> None:
    document = a_text(body)
    candidate, fates = update(document, wanted, refuse=nothing)
    applied = [fate.edit for fate in fates if fate.fate is EditFate.APPLIED]

    assert update(document, applied, refuse=nothing)[0] == candidate


@given(bodies, st.lists(edits, max_size=6))
def test_a_refused_edit_is_never_applied(body: str, wanted: list[Edit]) -> None:
    document = a_text(body)
    candidate, fates = update(document, wanted, refuse=lambda edit: "no" if edit.op is not EditOp.DELETE else "")

    assert all(
        fate.fate is EditFate.REFUSED and fate.because == "no" for fate in fates if fate.edit.op is not EditOp.DELETE
    )
    assert len(candidate.body) <= len(document.body)


# append -------------------------------------------------------------------------------------------------


def test_append_adds_a_line_at_the_end() -> None:
    assert apply("- One.", an_edit(EditOp.APPEND, "- Two.")) == ("- One.\n- Two.", [EditFate.APPLIED])


def test_append_to_nothing_is_the_content() -> None:
    assert apply("", an_edit(EditOp.APPEND, "- One.")) == ("- One.", [EditFate.APPLIED])


def test_append_adds_before_a_protected_block() -> None:
    body, fates = apply(f"- One.\n{PROTECTED}", an_edit(EditOp.APPEND, "- Two."))

    assert (body, fates) == (f"- One.\n- Two.\n{PROTECTED}", [EditFate.APPLIED])


def test_append_before_a_protected_block_that_is_all_there_is() -> None:
    assert apply(PROTECTED, an_edit(EditOp.APPEND, "- Two.")) == (f"- Two.\n{PROTECTED}", [EditFate.APPLIED])


# duplicates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["- Use pnpm.", "- use   PNPM.", "- Use pnpm.\n- Be brief.", "- Be brief.\n\n"])
@pytest.mark.parametrize("op", [EditOp.APPEND, EditOp.INSERT_AFTER])
def test_what_the_document_says_already_is_a_duplicate(op: EditOp, content: str) -> None:
    body = "- Use pnpm.\n- Be brief."

    assert apply(body, an_edit(op, content, "- Use pnpm.")) == (body, [EditFate.DUPLICATE])


def test_the_same_edit_twice_is_applied_once() -> None:
    edit = an_edit(EditOp.APPEND, "- Two.")

    assert apply("- One.", edit, edit) == ("- One.\n- Two.", [EditFate.APPLIED, EditFate.DUPLICATE])


def test_a_part_that_is_new_is_no_duplicate() -> None:
    _, fates = apply("- One.", an_edit(EditOp.APPEND, "- One.\n- Two."))

    assert fates == [EditFate.APPLIED]


def test_replacing_a_text_by_itself_changes_nothing() -> None:
    assert apply("- One.", an_edit(EditOp.REPLACE, "- One.", "- One.")) == ("- One.", [EditFate.DUPLICATE])


# targets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [EditOp.INSERT_AFTER, EditOp.REPLACE, EditOp.DELETE])
@pytest.mark.parametrize("target", ["", "nowhere", "# Shop", "The user's own end."])
def test_a_target_outside_of_the_body_is_unmatched(op: EditOp, target: str) -> None:
    assert apply("- One.", an_edit(op, "- Two.", target)) == ("- One.", [EditFate.UNMATCHED])


def test_replace_changes_the_first_occurrence_only() -> None:
    assert apply("a b a", an_edit(EditOp.REPLACE, "c", "a")) == ("c b a", [EditFate.APPLIED])


def test_delete_removes_the_first_occurrence_only() -> None:
    assert apply("a b a", an_edit(EditOp.DELETE, target="a ")) == ("b a", [EditFate.APPLIED])


def test_insert_after_adds_a_line_after_the_line_of_its_target() -> None:
    body, _ = apply("- One thing.\n- Three.", an_edit(EditOp.INSERT_AFTER, "- Two.", "One"))

    assert body == "- One thing.\n- Two.\n- Three."


def test_insert_after_a_line_that_ends_in_a_protected_block_adds_after_the_block() -> None:
    body, fates = apply(f"- One. {PROTECTED}\n- Last.", an_edit(EditOp.INSERT_AFTER, "- Two.", "One"))

    assert (body, fates) == (f"- One. {PROTECTED}\n- Two.\n- Last.", [EditFate.APPLIED])


def test_a_later_edit_sees_what_an_earlier_one_wrote() -> None:
    body, fates = apply("", an_edit(EditOp.APPEND, "- One."), an_edit(EditOp.REPLACE, "- Two.", "- One."))

    assert (body, fates) == ("- Two.", [EditFate.APPLIED, EditFate.APPLIED])


# protected and refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [EditOp.INSERT_AFTER, EditOp.REPLACE, EditOp.DELETE])
@pytest.mark.parametrize("target", ["Old wisdom", PROTECTED, "- One.\n<!-- slow", "update:end -->\n- Last"])
def test_a_target_that_reaches_into_a_protected_block_is_refused(op: EditOp, target: str) -> None:
    body = f"- One.\n{PROTECTED}\n- Last."
    candidate, fates = update(a_text(body), [an_edit(op, "- New.", target)], refuse=nothing)

    assert candidate.body == body
    assert (fates[0].fate, fates[0].because) == (EditFate.REFUSED, "its target is in a protected block")


def test_an_edit_is_refused_with_the_words_of_the_refusal() -> None:
    document = a_text("- One.")

    candidate, fates = update(document, [an_edit(EditOp.APPEND, "bad")], refuse=lambda _: "it is bad")

    assert candidate == document
    assert fates == (AppliedEdit(edit=an_edit(EditOp.APPEND, "bad"), fate=EditFate.REFUSED, because="it is bad"),)


def test_a_removal_can_be_refused_too() -> None:
    text = a_text("- One.")
    candidate, (applied,) = update(text, [an_edit(EditOp.DELETE, target="- One.")], refuse=lambda edit: "no")

    assert (applied.fate, applied.because) == (EditFate.REFUSED, "no")
    assert candidate.text == text.text


def test_no_edits_change_nothing() -> None:
    empty: Sequence[Edit] = ()

    assert update(a_text("x"), empty, refuse=nothing) == (a_text("x"), ())


# length -------------------------------------------------------------------------------------------------


def test_an_edit_that_would_pass_the_documents_length_is_refused_and_a_shorter_one_is_not() -> None:
    wanted = [an_edit(EditOp.APPEND, "- 34567890"), an_edit(EditOp.APPEND, "- 345")]
    changed, fates = update(a_text("- one"), wanted, refuse=nothing, most=12)

    assert [fate.fate for fate in fates] == [EditFate.REFUSED, EditFate.APPLIED]
    assert fates[0].because == "the rules would pass 12 characters (max_chars)"
    assert changed.body == "- one\n- 345"


def test_a_document_that_is_too_long_already_may_get_shorter() -> None:
    wanted = [an_edit(EditOp.DELETE, target=" and on"), an_edit(EditOp.REPLACE, "more", target="on")]
    changed, fates = update(a_text("- on and on and on"), wanted, refuse=nothing, most=5)

    assert [fate.fate for fate in fates] == [EditFate.APPLIED, EditFate.REFUSED]
    assert changed.body == "- on and on"


@given(bodies, st.lists(edits, max_size=6), st.integers(0, 80))
def test_nothing_grows_past_its_length(body: str, wanted: list[Edit], most: int) -> None:
    changed, _ = update(a_text(body), wanted, refuse=nothing, most=most)

    assert len(changed.body) <= max(most, len(body))


# guidance of a slow update ------------------------------------------------------------------------------


def guide(op: EditOp, content: str = "", target: str = "") -> Edit:
    return Edit(op=op, content=content, target=target, source=EditSource.SLOW)


WISDOM = "- Old wisdom.\nmore of it"


@given(
    bodies,
    st.builds(
        guide,
        st.sampled_from(EditOp),
        st.one_of(lines, st.just("- New wisdom.")),
        st.sampled_from(["", WISDOM, "- Use pnpm.", PROTECTED]),
    ),
)
def test_guidance_changes_nothing_but_the_protected_block(body: str, wanted: Edit) -> None:
    candidate, _ = update(a_text(body), [wanted], refuse=nothing)

    assert BLOCK.sub("", candidate.body).split() == BLOCK.sub("", body).split()


def test_guidance_is_written_replaced_and_taken_away() -> None:
    assert apply("- One.", guide(EditOp.APPEND, WISDOM)) == (f"- One.\n{PROTECTED}", [EditFate.APPLIED])
    assert apply(f"- One.\n{PROTECTED}\n- Two.", guide(EditOp.REPLACE, "- New.", WISDOM)) == (
        "- One.\n<!-- slow-update:begin -->\n- New.\n<!-- slow-update:end -->\n- Two.",
        [EditFate.APPLIED],
    )
    assert apply(f"- One.\n{PROTECTED}", guide(EditOp.DELETE, target=WISDOM)) == ("- One.", [EditFate.APPLIED])


BAD_GUIDANCE = {
    "another guidance stands there": (PROTECTED, guide(EditOp.APPEND, "- New."), EditFate.UNMATCHED),
    "none stands there": ("- One.", guide(EditOp.REPLACE, "- New.", WISDOM), EditFate.UNMATCHED),
    "it stands there": (PROTECTED, guide(EditOp.REPLACE, WISDOM, WISDOM), EditFate.DUPLICATE),
    "it closes its block": ("- One.", guide(EditOp.APPEND, "<!-- slow-update:end -->\n- New."), EditFate.REFUSED),
    "two blocks": (f"{PROTECTED}\n{PROTECTED}", guide(EditOp.REPLACE, "- New.", WISDOM), EditFate.REFUSED),
    "an open block": (PROTECTED[:-5], guide(EditOp.APPEND, "- New."), EditFate.REFUSED),
}


@pytest.mark.parametrize(("body", "wanted", "fate"), BAD_GUIDANCE.values(), ids=BAD_GUIDANCE)
def test_guidance_that_does_not_fit_changes_nothing(body: str, wanted: Edit, fate: EditFate) -> None:
    assert apply(body, wanted) == (body, [fate])
