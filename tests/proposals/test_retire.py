"""A rule whose lesson the person took back is proposed for removal, on their own words."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.retire import retire
from skillopt_sleep.proposals.stage import FolderStager, read_proposal
from skillopt_sleep.records import Edit, EditOp, Evidence, Lesson, LessonState, Proof, Proposal, Task
from tests.builders import an_edit, changed
from tests.fakes import NOON
from tests.proposals.staging import NOW, RULE, NightPage, accepted, document, with_twin

SAID = Evidence(session="claude_code:9", turn=4, quote="stop running the linter before commits", at=NOON)
OTHER = "- Say what you ran."


@dataclass
class Page(NightPage):
    """A page that knows what was adopted and rejected."""

    adopted: list[Proposal] = field(default_factory=list)
    refused: list[Edit] = field(default_factory=list)
    known: list[Task] = field(default_factory=list)

    def live(self) -> tuple[Proposal, ...]:
        return tuple(self.adopted)

    def rejected(self, path: str) -> tuple[Edit, ...]:
        return tuple(self.refused)

    def tasks(self, projects: object) -> tuple[Task, ...]:
        return tuple(self.known)


def a_page(folder: Path, **fields: Any) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    return Page(folder=folder, **fields)


def a_lesson(name: str, **fields: Any) -> Lesson:
    return replace(Lesson(id=name, project="/p", wording=name, first=NOON, last=NOON), **fields)


ENDED = a_lesson("lint", state=LessonState.TAKEN_BACK)
BACK = a_lesson("new", takes_back="lint", quotes=(SAID,))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# Rules\n\nUse tabs.\n")
    return folder


@pytest.fixture
def proposal(root: Path, tmp_path: Path) -> Proposal:
    """A live proposal of two rules, one for each of two lessons."""
    read = document(root / "CLAUDE.md", root)
    outcome = accepted(read, f"{RULE}\n{OTHER}")
    night = a_page(tmp_path / "first")
    (staged,), _ = FolderStager().stage([outcome], night)
    adopt(night.folder / "proposals" / staged.id, journal=Journal(tmp_path / "adoptions"), at=NOW)
    edits = (an_edit(RULE, lessons=("lint",)), an_edit(OTHER, lessons=("say",)))
    return replace(staged, edits=edits)


def test_the_rule_of_a_lesson_that_was_taken_back_is_proposed_for_removal_with_the_persons_words(
    root: Path, tmp_path: Path, proposal: Proposal
) -> None:
    night = a_page(tmp_path / "second", adopted=[proposal])

    (removal,), notes = retire([ENDED, BACK], night)

    assert notes == ()
    assert (removal.proof, removal.lessons, removal.evidence) == (Proof.WORDS, ("lint",), (SAID,))
    assert removal.label.startswith("by your own words")
    (edit,) = removal.edits
    assert (edit.op, edit.target.strip()) == (EditOp.DELETE, RULE)
    assert "stop running the linter" in edit.reason
    assert "2026" in edit.reason
    folder = night.folder / "proposals" / removal.id
    assert read_proposal(folder) == removal
    adopt(folder, journal=Journal(tmp_path / "adoptions-2"), at=NOW)
    text = (root / "CLAUDE.md").read_text()
    assert RULE not in text
    assert OTHER in text
    assert "Use tabs." in text


def test_a_rule_that_does_not_stand_any_more_or_whose_removal_was_rejected_is_left_alone(
    root: Path, tmp_path: Path, proposal: Proposal
) -> None:
    night = a_page(tmp_path / "second", adopted=[proposal])
    (removal,), _ = retire([ENDED, BACK], night)

    assert retire([ENDED, BACK], a_page(tmp_path / "third", adopted=[proposal], refused=list(removal.edits))) == (
        (),
        (),
    )
    (root / "CLAUDE.md").write_bytes(b"# Rules\n")
    assert retire([ENDED, BACK], a_page(tmp_path / "fourth", adopted=[proposal])) == ((), ())


def test_what_waits_is_proposed_again_only_when_its_file_changed(
    root: Path, tmp_path: Path, proposal: Proposal
) -> None:
    (removal,), _ = retire([ENDED, BACK], a_page(tmp_path / "second", adopted=[proposal]))

    assert retire([ENDED, BACK], a_page(tmp_path / "third", adopted=[proposal], waits=[removal])) == ((), ())
    file = root / "CLAUDE.md"
    file.write_bytes(file.read_bytes().replace(b"Use tabs.", b"Use spaces."))
    (again,), _ = retire([ENDED, BACK], a_page(tmp_path / "fourth", adopted=[proposal], waits=[removal]))
    assert (again.id, again.version) == (removal.id, 2)


def test_a_lesson_taken_back_without_words_is_removed_without_a_quote(tmp_path: Path, proposal: Proposal) -> None:
    night = a_page(tmp_path / "second", adopted=[proposal])

    (removal,), _ = retire([a_lesson("lint", state=LessonState.TAKEN_BACK)], night)

    assert removal.edits[0].target.strip() == RULE
    assert removal.evidence == ()


def test_nothing_is_removed_for_a_lesson_that_holds(tmp_path: Path, proposal: Proposal) -> None:
    assert retire([a_lesson("lint")], a_page(tmp_path / "second", adopted=[proposal])) == ((), ())


def test_a_file_that_can_not_be_edited_is_a_note(root: Path, tmp_path: Path, proposal: Proposal) -> None:
    (root / "CLAUDE.md").unlink()

    found, (note,) = retire([ENDED, BACK], a_page(tmp_path / "second", adopted=[proposal]))

    assert found == ()
    assert note.stage == "retire"


@pytest.fixture
def pair(root: Path, tmp_path: Path) -> Proposal:
    """A live proposal of one rule in CLAUDE.md and in AGENTS.md."""
    (root / "AGENTS.md").write_bytes(b"# For Codex\n")
    read = with_twin(document(root / "CLAUDE.md", root), root / "AGENTS.md")
    night = a_page(tmp_path / "first")
    (staged,), _ = FolderStager().stage([accepted(read, RULE)], night)
    adopt(night.folder / "proposals" / staged.id, journal=Journal(tmp_path / "adoptions"), at=NOW)
    return replace(staged, edits=(an_edit(RULE, lessons=("lint",)),))


def test_a_rule_that_stands_in_both_files_of_a_pair_is_removed_from_both_as_one_proposal(
    root: Path, tmp_path: Path, pair: Proposal
) -> None:
    agents = root / "AGENTS.md"
    agents.write_bytes(agents.read_bytes().replace(RULE.encode(), f"{OTHER}\n{RULE}".encode()))
    night = a_page(tmp_path / "second", adopted=[pair])

    (removal,), notes = retire([ENDED, BACK], night)

    assert notes == ()
    assert removal.paths == pair.paths
    assert len(removal.edits) == 1
    assert retire([ENDED, BACK], a_page(tmp_path / "third", adopted=[pair], waits=[removal])) == ((), ())
    assert retire([ENDED, BACK], a_page(tmp_path / "fourth", adopted=[pair], refused=list(removal.edits))) == ((), ())
    adopt(night.folder / "proposals" / removal.id, journal=Journal(tmp_path / "adoptions-2"), at=NOW)
    assert RULE not in (root / "CLAUDE.md").read_text() + agents.read_text()
    assert OTHER in agents.read_text()


def test_a_rule_that_stands_in_one_file_of_a_pair_only_is_removed_there(
    root: Path, tmp_path: Path, pair: Proposal
) -> None:
    (root / "CLAUDE.md").write_bytes(b"# Rules\n")
    (removal,), notes = retire([ENDED, BACK], a_page(tmp_path / "second", adopted=[pair]))
    assert (removal.paths, notes) == ((str(root / "AGENTS.md"),), ())

    (root / "CLAUDE.md").unlink()
    (removal,), (note,) = retire([ENDED, BACK], a_page(tmp_path / "third", adopted=[pair]))
    assert removal.paths == (str(root / "AGENTS.md"),)
    assert "CLAUDE.md" in note.summary


def test_what_was_adopted_in_a_pair_and_later_in_one_of_its_files_is_one_removal(
    root: Path, tmp_path: Path, pair: Proposal
) -> None:
    later = changed(pair, id="p9", copies=(), edits=(an_edit("- Lint twice.", lessons=("lint",)),))
    (removal,), _ = retire([ENDED, BACK], a_page(tmp_path / "second", adopted=[pair, later]))

    assert removal.paths == pair.paths
