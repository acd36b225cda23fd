import stat
from pathlib import Path

import pytest

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, StaleProposal
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.block import splice
from skillopt_sleep.proposals.journal import AdoptionState, Journal
from skillopt_sleep.proposals.undo import undo
from tests.proposals.staging import NOW, RULE, propose


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# Rules\n")
    return folder


@pytest.fixture
def night(tmp_path: Path) -> Path:
    return tmp_path / "night"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "adoptions")


def test_the_mode_of_before_comes_back(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    path.chmod(0o664)
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.chmod(0o600)
    undo("p1", journal=journal, at=NOW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_file_we_made_goes_with_the_folders_we_made(root: Path, night: Path, journal: Journal) -> None:
    path = root / live.SKILL
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    undone = undo("p1", journal=journal, at=NOW)
    assert undone.removed
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]


def test_folders_that_were_there_or_hold_something_stay(root: Path, night: Path, journal: Journal) -> None:
    (root / ".agents").mkdir()
    path = root / live.SKILL
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    (root / ".agents" / "skills" / "mine.md").write_text("mine")
    undo("p1", journal=journal, at=NOW)
    assert (root / ".agents" / "skills" / "mine.md").read_text() == "mine"
    assert not (root / ".agents" / "skills" / "skillopt-sleep").exists()
    (root / ".agents" / "skills" / "mine.md").unlink()
    (root / ".agents" / "skills").rmdir()
    adopt(propose(night, path, root, number="p2")[0], journal=journal, at=NOW)
    undo("p2", journal=journal, at=NOW)
    assert list((root / ".agents").iterdir()) == []


def test_an_edit_after_the_adoption_is_never_undone(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    adopted = path.read_bytes()
    path.write_bytes(adopted + b"mine\n")
    with pytest.raises(StaleProposal) as caught:
        undo("p1", journal=journal, at=NOW)
    assert f"diff {journal_copy(journal, 'after')} {path}" in caught.value.remedy
    assert str(journal_copy(journal, "before")) in caught.value.remedy
    assert journal_copy(journal, "after").read_bytes() == adopted
    assert journal_copy(journal, "before").read_bytes() == b"# Rules\n"
    assert path.read_bytes() == adopted + b"mine\n"
    path.unlink()
    with pytest.raises(StaleProposal):
        undo("p1", journal=journal, at=NOW)
    assert not path.exists()


def journal_copy(journal: Journal, which: str) -> Path:
    entry = journal.get("p1")
    assert entry is not None
    return journal.before(entry) if which == "before" else journal.after(entry)


def test_undoing_twice_is_undoing_once(root: Path, night: Path, journal: Journal) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    adopt(folder, journal=journal, at=NOW)
    assert not undo("p1", journal=journal, at=NOW).already
    assert undo("p1", journal=journal, at=NOW).already
    assert not adopt(folder, journal=journal, at=NOW).already
    assert (root / "CLAUDE.md").read_bytes() == splice(b"# Rules\n", RULE)


def test_what_the_person_put_back_by_hand_is_undone(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    adopt(folder, journal=journal, at=NOW)
    path.write_bytes(b"# Rules\n")

    assert undo("p1", journal=journal, at=NOW).already

    entry = journal.get("p1")
    assert entry is not None
    assert entry.state is AdoptionState.UNDONE
    assert path.read_bytes() == b"# Rules\n"
    assert not adopt(folder, journal=journal, at=NOW).already


def test_text_that_git_brought_back_can_be_undone_again(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    adopted = path.read_bytes()
    undo("p1", journal=journal, at=NOW)
    path.write_bytes(adopted)
    assert not undo("p1", journal=journal, at=NOW).already
    assert path.read_bytes() == b"# Rules\n"


@pytest.mark.parametrize("name", ["p9", "../p1", "/etc", "", ".", ".lock", "a/b"])
def test_what_was_never_adopted_cannot_be_undone(name: str, journal: Journal) -> None:
    with pytest.raises(ProposalError) as caught:
        undo(name, journal=journal, at=NOW)
    assert caught.value.remedy


def test_a_link_that_leads_elsewhere_by_now_is_refused(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.rename(root / "AGENTS.md")
    path.symlink_to("AGENTS.md")
    with pytest.raises(StaleProposal):
        undo("p1", journal=journal, at=NOW)
    assert (root / "AGENTS.md").read_bytes() == splice(b"# Rules\n", RULE)


def test_a_damaged_copy_is_never_restored(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    for spoil in (lambda copy: copy.write_bytes(b"#"), Path.unlink):
        spoil(journal_copy(journal, "before"))
        with pytest.raises(AdoptInterrupted, match="damaged"):
            undo("p1", journal=journal, at=NOW)
        assert path.read_bytes() == splice(b"# Rules\n", RULE)
