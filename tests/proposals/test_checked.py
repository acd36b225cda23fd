"""The bytes to adopt are made only for the file as it was read, and only of what the guard lets pass."""

from pathlib import Path

import pytest

from skillopt_sleep.errors import StaleProposal, UnsafeEdit
from skillopt_sleep.proposals.changes import ProposedChange, changes, checked
from tests.proposals.corpus import splice
from tests.proposals.staging import RULE, accepted, document

BASE = b"# Rules\n"


def a_change(root: Path, body: str = RULE) -> ProposedChange:
    path = root / "CLAUDE.md"
    path.write_bytes(BASE)
    (change,) = changes(accepted(document(path, root), body))
    return change


def test_it_is_the_live_bytes_and_those_to_adopt(tmp_path: Path) -> None:
    assert checked(a_change(tmp_path), allowed=()) == (BASE, splice(BASE, RULE))


def test_a_file_that_was_edited_or_would_stay_as_it_is_is_refused(tmp_path: Path) -> None:
    change = a_change(tmp_path)
    with pytest.raises(StaleProposal, match="as it is"):
        checked(change._replace(body="", edits=()), allowed=())
    (tmp_path / "CLAUDE.md").write_bytes(splice(b"# Mine\n", "- mine"))
    with pytest.raises(StaleProposal, match="edited during the night"):
        checked(change, allowed=())


def test_what_the_guard_refuses_is_refused_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(UnsafeEdit, match=r"CLAUDE\.md isn't proposed"):
        checked(a_change(tmp_path, "- Read https://example.org/rules first."), allowed=())
