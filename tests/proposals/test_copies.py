"""A change goes to the document's twins too, where its edits fit and nothing speaks against it."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillopt_sleep.agents.codex.documents import MOST_BYTES
from skillopt_sleep.proposals.changes import ProposedChange, changes
from skillopt_sleep.proposals.copies import CopiedFile, copies
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.records import Edit, EditOp, Note
from tests.builders import an_edit
from tests.proposals.corpus import splice
from tests.proposals.staging import RULE, accepted, document, with_twin

BRIEF, TABS = "- Be brief.", "- Use tabs."


class Copied(NamedTuple):
    change: ProposedChange
    files: list[CopiedFile]
    notes: list[Note]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# Rules\n")
    (folder / "AGENTS.md").write_bytes(b"# For Codex\n")
    return folder


def copied(root: Path, body: str = RULE, *edits: Edit, most: int = 1000, **fields: Any) -> Copied:
    """A change of CLAUDE.md to this body by these edits, copied to AGENTS.md."""
    read = with_twin(document(root / "CLAUDE.md", root), root / "AGENTS.md")
    (change,) = changes(accepted(read, body))
    notes: list[Note] = []
    found = copies(change._replace(edits=edits or change.edits, **fields), allowed=(), most=most, notes=notes)
    return Copied(*found, notes)


def block(root: Path, name: str, body: str) -> None:
    (root / name).write_bytes(splice((root / name).read_bytes(), body))


def test_the_twin_gets_the_same_rules_in_its_own_text(root: Path) -> None:
    found = copied(root)

    ((copy, text),) = found.files
    assert found.notes == []
    assert found.change.document.read_by == ("Claude Code", "Codex")
    assert text == (b"# For Codex\n", splice(b"# For Codex\n", RULE))
    assert (copy.document, copy.path) == ("shop-api/AGENTS.md", str(root / "AGENTS.md"))
    assert (copy.base, copy.result) == (digest(text.base), digest(text.result))


def test_where_the_rules_differ_the_edits_are_made_in_each_by_itself(root: Path) -> None:
    block(root, "CLAUDE.md", f"{TABS}\n{BRIEF}")
    block(root, "AGENTS.md", f"{BRIEF}\n- Say why.")
    shorter = Edit(op=EditOp.REPLACE, target=BRIEF, content="- Be very brief.")

    found = copied(root, f"{TABS}\n- Be very brief.\n{RULE}", shorter, an_edit(RULE))

    ((_, text),) = found.files
    assert text.result == splice(b"# For Codex\n", f"- Be very brief.\n- Say why.\n{RULE}")


@pytest.mark.parametrize("text", [splice(b"# For Codex\n", f"{BRIEF}\n{RULE}"), f"# By hand\n\n{RULE}\n".encode()])
def test_a_twin_that_says_it_already_is_reached_and_not_changed(root: Path, text: bytes) -> None:
    (root / "AGENTS.md").write_bytes(text)

    found = copied(root)

    assert (found.files, found.notes) == ([], [])
    assert found.change.document.read_by == ("Claude Code", "Codex")


def test_a_twin_in_which_a_target_is_missing_is_left_out_and_told(root: Path) -> None:
    block(root, "CLAUDE.md", f"{TABS}\n{BRIEF}")

    left_out(copied(root, BRIEF, Edit(op=EditOp.DELETE, target=f"{TABS}\n")), "rules differ")


def test_a_body_that_its_edits_do_not_make_is_not_copied_to_other_rules(root: Path) -> None:
    block(root, "AGENTS.md", BRIEF)

    left_out(copied(root, TABS, an_edit(RULE)), "rules differ")


def left_out(found: Copied, because: str) -> None:
    """The twin isn't part of it, and a note says why; that rules differ is no problem, anything else is one."""
    assert found.files == []
    assert found.change.document.read_by == ("Claude Code",)
    (note,) = found.notes
    assert because in note.summary
    assert "doesn't reach Codex" in note.summary
    assert note.remedy
    assert note.expected is (because == "rules differ")


def test_a_twin_keeps_the_limits_of_its_own(root: Path) -> None:
    block(root, "AGENTS.md", f"{BRIEF}\n{TABS}")
    left_out(copied(root, most=len(RULE)), "max_chars")

    (root / "AGENTS.md").write_bytes(b"x" * (MOST_BYTES - 10))
    left_out(copied(root), "32 KiB")


def test_what_the_guard_refuses_beside_the_twins_own_lines_is_left_out(root: Path) -> None:
    block(root, "CLAUDE.md", "See https://example.org/style.")
    rule = "- Follow https://example.org/style."
    body = f"See https://example.org/style.\n{rule}"

    left_out(copied(root, body, an_edit(rule), evidence=()), "AGENTS.md isn't proposed")


def test_a_twin_that_can_not_be_read_is_left_out_and_told(root: Path) -> None:
    read = with_twin(document(root / "CLAUDE.md", root), root / "AGENTS.md")
    (change,) = changes(accepted(read))
    (root / "AGENTS.md").unlink()

    notes: list[Note] = []
    left_out(Copied(*copies(change, allowed=(), most=1000, notes=notes), notes), "doesn't exist")
