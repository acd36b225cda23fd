"""One edit changes a body or says why not; all of them do, or none."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.proposals.edited import (
    BEGIN,
    END,
    all_edited,
    edited,
    guidance,
    is_whole,
    named_target,
    with_guidance,
)
from skillopt_sleep.records import Edit, EditFate, EditOp
from tests.builders import an_edit

BODY = "- Use tabs.\n- Be brief."


@pytest.mark.parametrize(
    ("edit", "body", "fate", "because"),
    [
        (an_edit("- Say why."), f"{BODY}\n- Say why.", EditFate.APPLIED, ""),
        (an_edit("- be  BRIEF."), BODY, EditFate.DUPLICATE, "says it already"),
        (Edit(op=EditOp.DELETE, target="- Be loud."), BODY, EditFate.UNMATCHED, "its target"),
        (
            Edit(op=EditOp.REPLACE, target="tabs", content="spaces"),
            BODY.replace("tabs", "spaces"),
            EditFate.APPLIED,
            "",
        ),
    ],
)
def test_an_edit_ends_with_its_fate_and_the_reason(edit: Edit, body: str, fate: EditFate, because: str) -> None:
    changed, ended, why = edited(BODY, edit)

    assert (changed, ended) == (body, fate)
    assert because in why


@pytest.mark.parametrize(
    ("body", "target", "left"),
    [
        ("- One.\n- Two.\n- Three.", "- Two.", "- One.\n- Three."),
        ("- One.\n- Two.\n- Three.", "- Two.\n", "- One.\n- Three."),
        ("- One.\n- Two.", "- One.", "- Two."),
        ("- One.\n- Two.", "- Two.", "- One."),
        ("- One.", "- One.", ""),
        ("- One.\n- Two.\n- Three.", "- One.\n- Two.", "- Three."),
        ("# A\n\nOne.\n\n# B", "One.", "# A\n\n# B"),
        ("# A\n \nOne.\n \n# B", "One.", "# A\n \n# B"),
        ("One.\n\n# B", "One.", "# B"),
        ("# A\n\nOne.", "One.", "# A"),
        ("# A\n\nOne. Two.\n\n# B", " Two.", "# A\n\nOne.\n\n# B"),
        ("# A\n\n\nOne.\n\n\n# B", "One.", "# A\n\n\n# B"),
        ("- One two.", " two", "- One."),
    ],
)
def test_a_rule_that_is_taken_out_leaves_no_empty_line(body: str, target: str, left: str) -> None:
    assert edited(body, Edit(op=EditOp.DELETE, target=target)) == (left, EditFate.APPLIED, "")


@pytest.mark.parametrize("target", ["One.", "One.\n", "\nOne.", "\n\nOne.\n\n"])
def test_a_deletion_names_its_lines_without_the_line_breaks_around_them(target: str) -> None:
    named = named_target(EditOp.DELETE, target)
    assert edited("# A\n\nOne.\n\n# B", Edit(op=EditOp.DELETE, target=named))[0] == "# A\n\n# B"
    assert named_target(EditOp.REPLACE, target) == target
    assert named_target(EditOp.DELETE, "\n\n") == "\n\n"


def test_all_edits_fit_or_none_is_applied() -> None:
    known, new = an_edit("- Be brief."), an_edit("- Say why.")
    unknown = Edit(op=EditOp.DELETE, target="- Be loud.")

    assert all_edited(BODY, (known, new)) == f"{BODY}\n- Say why."
    assert all_edited(BODY, (new, unknown)) is None
    assert all_edited(BODY, ()) == BODY


BLOCK = f"{BEGIN}\n- Old wisdom.\n{END}"
texts = st.text(alphabet="ab- .\n", max_size=40)
contents = texts.map(lambda text: text.strip("\n")).filter(bool)


@given(texts, texts, contents, contents)
def test_nothing_outside_of_the_block_changes_when_it_is_rewritten(
    before: str, after: str, old: str, new: str
) -> None:
    text = f"{before}{BEGIN}\n{old}\n{END}{after}"

    assert with_guidance(text, new) == f"{before}{BEGIN}\n{new}\n{END}{after}"


@given(texts, contents)
def test_a_new_block_comes_last_and_holds_its_content(text: str, content: str) -> None:
    changed = with_guidance(text, content)

    assert changed.endswith(f"{BEGIN}\n{content}\n{END}")
    assert changed.startswith(text.rstrip("\n"))
    assert guidance(changed) == content
    assert is_whole(changed)


@given(texts, contents)
def test_a_block_that_goes_leaves_the_text_as_it_was(text: str, content: str) -> None:
    assert with_guidance(with_guidance(text, content), "") == text.rstrip("\n")
    assert with_guidance(text, "") == text


def test_a_text_without_a_block_says_nothing() -> None:
    assert guidance("- One.") == ""


@pytest.mark.parametrize("text", ["", "- One.", BLOCK, f"- One.\n{BLOCK}\n- Two."])
def test_one_block_or_none_is_whole(text: str) -> None:
    assert is_whole(text)


@pytest.mark.parametrize(
    "text", [BEGIN, END, f"{END}\n{BEGIN}", f"{BLOCK}\n{BLOCK}", f"{BEGIN}\n{BLOCK}", f"{BLOCK}{END}"]
)
def test_any_other_number_of_markers_is_damage(text: str) -> None:
    assert not is_whole(text)
