"""One edit changes a body or says why not; all of them do, or none."""

import pytest

from skillopt_sleep.kit.edited import all_edited, edited, named_target
from skillopt_sleep.records import Edit, EditOp, Fate
from tests.builders import an_edit

BODY = "- Use tabs.\n- Be brief."


@pytest.mark.parametrize(
    ("edit", "body", "fate", "because"),
    [
        (an_edit("- Say why."), f"{BODY}\n- Say why.", Fate.APPLIED, ""),
        (an_edit("- be  BRIEF."), BODY, Fate.DUPLICATE, "says it already"),
        (Edit(op=EditOp.DELETE, target="- Be loud."), BODY, Fate.UNMATCHED, "its target"),
        (Edit(op=EditOp.REPLACE, target="tabs", content="spaces"), BODY.replace("tabs", "spaces"), Fate.APPLIED, ""),
    ],
)
def test_an_edit_ends_with_its_fate_and_the_reason(edit: Edit, body: str, fate: Fate, because: str) -> None:
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
    assert edited(body, Edit(op=EditOp.DELETE, target=target)) == (left, Fate.APPLIED, "")


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
