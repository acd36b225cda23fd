import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, UnsafeEdit, UnsafePath
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded
from skillopt_sleep.proposals.undo import Left, undo
from tests.attributes import as_stranger, needs_root, open_to_strangers, seen
from tests.proposals.corpus import splice
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


def test_the_mode_that_the_person_gave_the_file_since_stays(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    path.chmod(0o664)
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    path.chmod(0o600)
    undo("p1", journal=journal, at=NOW)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"# Rules\n", 0o600)


def test_a_file_we_made_goes_with_the_folders_we_made(root: Path, night: Path, journal: Journal) -> None:
    path = root / live.SKILL
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    undone = undo("p1", journal=journal, at=NOW)
    assert undone.files == {str(path): Left.REMOVED}
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


def test_folders_the_disk_refused_to_remove_go_with_the_next_recovery(
    root: Path, night: Path, journal: Journal, refusing: Callable[[Path, int], None]
) -> None:
    path = root / live.SKILL
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    refusing(path.parent, 2)
    undone = undo("p1", journal=journal, at=NOW)
    assert undone.files == {str(path): Left.REMOVED}
    assert undone.folders_left[-1] == str(path.parent)
    for _ in range(2):
        assert path.parent.is_dir()
        assert journal_entry(journal).state is AdoptionState.UNDONE
        journal.recover()
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]
    (root / ".agents").mkdir()
    journal.recover()
    assert (root / ".agents").is_dir()  # it is the user's now


def test_an_adoption_into_folders_that_were_left_takes_them_over(
    root: Path, night: Path, journal: Journal, refusing: Callable[[Path, int], None]
) -> None:
    path = root / live.SKILL
    folder, _ = propose(night, path, root)
    second, _ = propose(night, path, root, number="p2")
    adopt(folder, journal=journal, at=NOW)
    refusing(path.parent, 2)
    undo("p1", journal=journal, at=NOW)
    adopt(second, journal=journal, at=NOW)
    journal.recover()
    assert path.is_file()
    undo("p2", journal=journal, at=NOW)
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]


def test_folders_of_an_adoption_that_failed_go_with_a_later_recovery(
    root: Path, night: Path, journal: Journal, refusing: Callable[[Path, int], None]
) -> None:
    path = root / live.RULES
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    journal.mark(journal_entry(journal), AdoptionState.PREPARED)
    path.unlink()
    refusing(path.parent, 1)
    journal.recover()
    assert path.parent.is_dir()
    journal.recover()
    assert journal.entries() == ()
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]


@needs_root
@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")
def test_an_undo_that_could_not_bring_the_owner_back_is_refused_and_can_be_done_later(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    path = root / "CLAUDE.md"
    os.chown(path, 1234, 1234)
    path.chmod(0o666)
    before = seen(path)
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    adopted = path.read_bytes()
    open_to_strangers(tmp_path)

    def undone() -> str:
        with pytest.raises(UnsafePath) as caught:
            undo("p1", journal=Journal(tmp_path / "adoptions"), at=NOW)
        return caught.value.message

    assert "it belongs to another user" in as_stranger(undone)
    assert (seen(path), path.read_bytes()) == (before, adopted)
    assert journal_entry(journal).state is AdoptionState.DONE
    undo("p1", journal=journal, at=NOW)
    assert (seen(path), path.read_bytes()) == (before, b"# Rules\n")


def test_an_edit_after_the_adoption_is_never_undone(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.write_bytes(b"# Rules, edited\n" + path.read_bytes().removeprefix(b"# Rules\n") + b"mine\n")
    path.chmod(0o600)

    undone = undo("p1", journal=journal, at=NOW)

    assert undone.files == {str(path): Left.KEPT}
    assert path.read_bytes() == b"# Rules, edited\nmine\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_gone_has_nothing_to_undo(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.unlink()
    undone = undo("p1", journal=journal, at=NOW)
    assert (undone.files, undone.already) == ({str(path): Left.NOTHING}, True)
    assert not path.exists()
    assert journal_entry(journal).state is AdoptionState.UNDONE


def test_a_rule_that_was_edited_by_hand_is_the_persons_and_stays(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root, "- one\n- two")[0], journal=journal, at=NOW)
    edited = splice(b"# Rules\n", "- one, always\n- two\n- mine")
    path.write_bytes(edited)
    with pytest.raises(MergeNeeded) as asked:
        undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == edited
    undo("p1", journal=journal, at=NOW, agreed=asked.value.plan)
    assert path.read_bytes() == b"# Rules\n\n- one, always\n- mine\n"


def test_what_the_person_wrote_in_a_file_of_our_own_stays(root: Path, night: Path, journal: Journal) -> None:
    path = root / live.RULES
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.write_text(f"{live.RULES_HEAD}{RULE}\n- mine\n")
    with pytest.raises(MergeNeeded) as asked:
        undo("p1", journal=journal, at=NOW)
    undo("p1", journal=journal, at=NOW, agreed=asked.value.plan)
    assert path.read_text() == f"{live.RULES_HEAD}- mine\n"


def journal_entry(journal: Journal) -> Entry:
    entry = journal.get("p1")
    assert entry is not None
    return entry


def journal_copy(journal: Journal, which: str) -> Path:
    entry = journal_entry(journal)
    (file,) = entry.files
    return journal.copy_of(entry, file.before if which == "before" else file.after)


def test_undoing_twice_is_undoing_once(root: Path, night: Path, journal: Journal) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    adopt(folder, journal=journal, at=NOW)
    assert not undo("p1", journal=journal, at=NOW).already
    assert undo("p1", journal=journal, at=NOW).already
    assert adopt(folder, journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == splice(b"# Rules\n", RULE)


def test_undoing_again_beside_a_later_adoption_is_undoing_once(root: Path, night: Path, journal: Journal) -> None:
    """The later one was once said to have changed the rule, which was only gone."""
    path = root / "CLAUDE.md"
    for number, rule in (("p1", "- one"), ("p2", "- one\n- two")):
        adopt(propose(night, path, root, rule, number=number)[0], journal=journal, at=NOW)
    for _ in range(2):
        undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == splice(b"# Rules\n", "- two")


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
    assert adopt(folder, journal=journal, at=NOW)


def test_text_that_git_brought_back_can_be_undone_again(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    adopted = path.read_bytes()
    undo("p1", journal=journal, at=NOW)
    path.write_bytes(adopted)
    assert not undo("p1", journal=journal, at=NOW).already
    assert path.read_bytes() == b"# Rules\n"


def test_text_that_git_brought_back_is_taken_out_before_it_is_adopted_again(
    root: Path, night: Path, journal: Journal
) -> None:
    path, own = root / "CLAUDE.md", root / live.SKILL
    folder, _ = propose(night, path, root, twin=own)
    adopt(folder, journal=journal, at=NOW)
    adopted = path.read_bytes()
    undo("p1", journal=journal, at=NOW)
    path.write_bytes(b"mine\n" + adopted)
    with pytest.raises(UnsafeEdit, match=r"already.*nothing was written") as caught:
        adopt(folder, journal=journal, at=NOW)
    assert "skillopt-sleep undo p1" in caught.value.remedy
    undo("p1", journal=journal, at=NOW)
    assert (path.read_bytes(), own.exists()) == (b"mine\n# Rules\n", False)
    adopt(folder, journal=journal, at=NOW)
    assert (path.read_bytes(), own.exists()) == (b"mine\n" + adopted, True)
    undo("p1", journal=journal, at=NOW)
    assert (path.read_bytes(), own.exists()) == (b"mine\n# Rules\n", False)


def test_what_another_adoption_put_there_is_not_adopted_once_more(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    before = path.read_bytes()
    first, second = (propose(night, path, root, number=number)[0] for number in ("p1", "p2"))
    adopt(first, journal=journal, at=NOW)
    undo("p1", journal=journal, at=NOW)
    adopt(second, journal=journal, at=NOW)
    adopted, known = path.read_bytes(), journal.entries()
    with pytest.raises(UnsafeEdit, match=r"already.*nothing was written"):
        adopt(first, journal=journal, at=NOW)
    assert (path.read_bytes(), journal.entries()) == (adopted, known)
    undo("p2", journal=journal, at=NOW)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["p9", "../p1", "/etc", "", ".", ".lock", "a/b"])
def test_what_was_never_adopted_cannot_be_undone(name: str, journal: Journal) -> None:
    with pytest.raises(ProposalError) as caught:
        undo(name, journal=journal, at=NOW)
    assert caught.value.remedy


def test_a_file_that_became_a_link_is_followed_inside_of_the_project(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    path.rename(root / "AGENTS.md")
    path.symlink_to("AGENTS.md")
    undo("p1", journal=journal, at=NOW)
    assert path.is_symlink()
    assert (root / "AGENTS.md").read_bytes() == b"# Rules\n"
    path.unlink()
    path.symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_bytes(splice(b"# Rules\n", RULE))
    with pytest.raises(UnsafePath, match="outside of"):
        undo("p1", journal=journal, at=NOW)


def test_a_damaged_copy_is_never_restored(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    for spoil in (lambda copy: copy.write_bytes(b"#"), Path.unlink):
        spoil(journal_copy(journal, "before"))
        with pytest.raises(AdoptInterrupted, match="damaged"):
            undo("p1", journal=journal, at=NOW)
        assert path.read_bytes() == splice(b"# Rules\n", RULE)


def test_a_file_that_was_saved_as_utf_16_is_refused_and_left_alone(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    adopt(folder, journal=journal, at=NOW)
    adopted = path.read_bytes()
    wide = adopted.decode().encode("utf-16")
    path.write_bytes(wide)
    for act in (lambda: undo("p1", journal=journal, at=NOW), lambda: adopt(folder, journal=journal, at=NOW)):
        with pytest.raises(UnsafeEdit, match="not UTF-8"):
            act()
        assert path.read_bytes() == wide
    path.write_bytes(adopted)
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == b"# Rules\n"
