"""A rule of a proposal can be taken by itself, with what is known of it alone."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import UnsafeEdit
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.divide import divide
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.stage import FolderStager, read_proposal
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.records import (
    AppliedEdit,
    Edit,
    EditEffect,
    EditFate,
    EditOp,
    Effect,
    Evidence,
    Proof,
    Proposal,
    Solved,
)
from tests.builders import a_lesson, changed
from tests.proposals.corpus import splice
from tests.proposals.staging import NOW, accepted, document, page

ONE = Edit(op=EditOp.APPEND, content="- Be brief.", lessons=("brief",))
TWO = Edit(op=EditOp.APPEND, content="- Use pnpm.", lessons=("pnpm",))
BRIEF = Evidence(session="claude_code:1", turn=0, quote="shorter, please")
PNPM = Evidence(session="claude_code:2", turn=4, quote="we use pnpm here")
HELPED = EditEffect(edit=TWO, effect=Effect.HELPED, n=8, before=0.25, after=1.0, interval=(0.4, 0.9))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# Rules\n")
    return folder


def staged(root: Path, tmp_path: Path, *edits: Edit) -> tuple[Path, Proposal]:
    body = "\n".join(edit.content for edit in edits)
    outcome = accepted(
        document(root / "CLAUDE.md", root),
        body,
        edits=tuple(AppliedEdit(edit=edit, fate=EditFate.APPLIED) for edit in edits),
        effects=(HELPED,),
        evidence=(BRIEF, PNPM),
    )
    (proposal,), _ = FolderStager().stage([outcome], page(tmp_path / "night"))
    return tmp_path / "night" / "proposals" / proposal.id, proposal


def test_each_rule_is_a_proposal_with_its_own_proof_and_words(root: Path, tmp_path: Path) -> None:
    folder, whole = staged(root, tmp_path, ONE, TWO)
    lessons = [a_lesson("Be brief", id="brief", quotes=(BRIEF,)), a_lesson("Use pnpm", id="pnpm", quotes=(PNPM,))]

    one, two = divide(whole, folder, lessons=lessons, into=folder.parent)

    assert (one.id, one.edits, one.lessons, one.evidence) == ("p1.1", (ONE,), ("brief",), (BRIEF,))
    assert (one.proof, one.tested.n, one.tested.before) == (Proof.UNTESTED, 0, None)
    assert "untested" in one.label
    assert (two.id, two.proof, two.tested.n, two.tested.interval, two.evidence) == (
        "p1.2",
        Proof.TRIAL,
        8,
        (0.4, 0.9),
        (PNPM,),
    )
    assert "Use pnpm" in two.summary
    assert read_proposal(folder.parent / "p1.2") == two


def test_a_rule_whose_lesson_is_not_known_keeps_the_evidence_of_the_whole(root: Path, tmp_path: Path) -> None:
    folder, whole = staged(root, tmp_path, ONE, TWO)
    one, two = divide(whole, folder, lessons=[a_lesson("Use pnpm", id="pnpm", quotes=(PNPM,))], into=folder.parent)
    assert (one.evidence, two.evidence) == ((BRIEF, PNPM), (PNPM,))


def test_a_rule_says_nothing_of_what_all_rules_together_solved(root: Path, tmp_path: Path) -> None:
    folder, whole = staged(root, tmp_path, ONE, TWO)
    together = changed(whole, solved=Solved(before=1, after=9, n=10, requests=4))
    own = Solved(before=2, after=8, n=8, requests=3)
    counted = changed(together, effects=(replace(HELPED, solved=own),))
    one, two = divide(counted, folder, lessons=(), into=folder.parent)
    assert (one.tested.solved, two.tested.solved) == (None, own)


def test_rules_that_are_taken_one_by_one_meet_in_the_file_and_leave_it_alone(root: Path, tmp_path: Path) -> None:
    folder, whole = staged(root, tmp_path, ONE, TWO)
    divide(whole, folder, lessons=(), into=folder.parent)
    journal = Journal(tmp_path / "adoptions")
    for name in ("p1.2", "p1.1"):
        adopt(folder.parent / name, journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == splice(b"# Rules\n", "- Use pnpm.\n- Be brief.")
    undo("p1.2", journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == splice(b"# Rules\n", "- Be brief.")
    undo("p1.1", journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == b"# Rules\n"


def test_rules_that_build_on_one_another_are_taken_whole(root: Path, tmp_path: Path) -> None:
    after = replace(TWO, op=EditOp.INSERT_AFTER, target="- Be brief.")
    folder, whole = staged(root, tmp_path, ONE, after)
    with pytest.raises(UnsafeEdit, match=r"rule 2 of p1 can't be taken by itself") as caught:
        divide(whole, folder, lessons=(), into=folder.parent)
    assert "name it whole: p1" in caught.value.remedy
    assert [path.name for path in folder.parent.iterdir()] == ["p1"]
