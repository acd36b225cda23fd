import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafeEdit, UnsafePath
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import MergeNeeded
from skillopt_sleep.proposals.undo import Left, undo
from tests.attributes import (
    ACCESS_LIST,
    STRANGER,
    access_list,
    as_stranger,
    decorate,
    needs_attributes,
    needs_root,
    open_to_strangers,
    seen,
)
from tests.builders import changed
from tests.proposals.corpus import CORPUS, splice
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


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPUS)
def test_adopting_changes_nothing_but_our_block_and_undo_brings_every_byte_back(
    name: str, root: Path, night: Path, journal: Journal
) -> None:
    path = root / "CLAUDE.md"
    path.write_bytes(CORPUS[name])
    folder, _ = propose(night, path, root)
    is_new = adopt(folder, journal=journal, at=NOW)
    assert path.read_bytes() == splice(CORPUS[name], RULE)
    assert is_new
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == CORPUS[name]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_the_mode_of_the_file_is_kept(mode: int, root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    path.chmod(mode)
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@needs_attributes
def test_attributes_of_the_file_are_kept_as_the_person_leaves_them(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    decorate(path)
    before = seen(path)
    assert ACCESS_LIST in before[3]
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert seen(path) == before
    path.chmod(0o600)
    os.removexattr(path, ACCESS_LIST)
    os.setxattr(path, "user.comment", b"another")
    os.setxattr(path, "user.since", b"1")
    since = seen(path)
    undo("p1", journal=journal, at=NOW)
    assert seen(path) == since != before


@needs_attributes
def test_a_file_gets_no_access_list_that_it_did_not_have(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    before = seen(path)
    os.setxattr(root, "system.posix_acl_default", access_list(STRANGER))
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert seen(path) == before
    undo("p1", journal=journal, at=NOW)
    assert seen(path) == before


@needs_root
def test_owner_and_group_are_kept_as_the_person_leaves_them(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    os.chown(path, 1234, STRANGER)
    path.chmod(0o640)
    before = seen(path)
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert seen(path) == before
    os.chown(path, 0, 0)
    since = seen(path)
    undo("p1", journal=journal, at=NOW)
    assert seen(path) == since != before


@needs_root
def test_a_file_whose_owner_would_be_lost_is_refused_and_nothing_is_written(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    path = root / "CLAUDE.md"
    path.chmod(0o666)
    folder, _ = propose(night, path, root)
    before = seen(path), path.read_bytes()
    open_to_strangers(tmp_path)

    def adopted() -> str:
        with pytest.raises(UnsafePath) as caught:
            adopt(folder, journal=Journal(tmp_path / "adoptions"), at=NOW)
        return caught.value.message

    said = as_stranger(adopted)
    assert f"{path} can't be replaced: it belongs to another user" in said
    assert (seen(path), path.read_bytes()) == before
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]
    assert journal.entries() == ()


@pytest.mark.parametrize("umask", [0o077, 0o002, 0o000])
def test_a_new_file_has_the_mode_that_the_users_umask_gives_it(
    umask: int, root: Path, night: Path, journal: Journal
) -> None:
    path = root / live.RULES
    folder, _ = propose(night, path, root)
    before = os.umask(umask)
    try:
        adopt(folder, journal=journal, at=NOW)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o777 & ~umask


def test_a_link_stays_and_its_file_is_written(root: Path, night: Path, journal: Journal) -> None:
    (root / "AGENTS.md").write_bytes(b"# Agents\n")
    path = root / "CLAUDE.md"
    path.unlink()
    path.symlink_to("AGENTS.md")
    adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert path.readlink() == Path("AGENTS.md")
    assert (root / "AGENTS.md").read_bytes() == splice(b"# Agents\n", RULE)
    undo("p1", journal=journal, at=NOW)
    assert path.is_symlink()
    assert (root / "AGENTS.md").read_bytes() == b"# Agents\n"


def test_a_new_file_is_made_with_its_folders_as_the_users_own(root: Path, night: Path, journal: Journal) -> None:
    path = root / live.RULES
    assert adopt(propose(night, path, root)[0], journal=journal, at=NOW)
    assert path.read_text() == f"{live.RULES_HEAD}{RULE}\n"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o777 & ~umask
    assert sorted(entry.name for entry in root.iterdir()) == [".claude", "CLAUDE.md"]


@pytest.mark.parametrize("edited", [b"# Rules\nmine\n", b"# Rules", b"", b"\xef\xbb\xbf# Rules\r\n", b"caf\xe9\n"])
def test_what_the_user_wrote_after_staging_stays_and_the_rule_goes_beside_it(
    edited: bytes, root: Path, night: Path, journal: Journal
) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    path.write_bytes(edited)
    adopt(folder, journal=journal, at=NOW)
    assert path.read_bytes() == splice(edited, RULE)
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == edited


def test_a_file_that_is_gone_is_told_in_a_line_and_not_made_again(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    path.unlink()
    with pytest.raises(UnsafePath, match="doesn't exist"):
        adopt(folder, journal=journal, at=NOW)
    assert not path.exists()
    assert journal.entries() == ()


def test_a_folder_that_is_gone_is_told_in_a_line(root: Path, night: Path, journal: Journal) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    adopt(folder, journal=journal, at=NOW)
    later, _ = propose(night, root / "CLAUDE.md", root, f"{RULE}\n- two", number="p2")
    root.rename(root.with_name("moved"))
    for act in (lambda: adopt(later, journal=journal, at=NOW), lambda: undo("p1", journal=journal, at=NOW)):
        with pytest.raises(UnsafePath) as caught:
            act()
        assert caught.value.message == f"the folder {root} is gone"
        assert "Errno" not in caught.value.remedy


def test_a_block_that_was_edited_by_hand_asks_and_keeps_what_the_person_wrote(
    root: Path, night: Path, journal: Journal
) -> None:
    path = root / "CLAUDE.md"
    path.write_bytes(splice(b"# Rules\n", "- one\n- two"))
    folder, _ = propose(night, path, root, "- one\n- 2")
    edited = splice(b"# Rules\n", "- one, says me\n- mine\n- two")
    path.write_bytes(edited)
    with pytest.raises(MergeNeeded) as asked:
        adopt(folder, journal=journal, at=NOW)
    assert asked.value.plan.edited == (str(path),)
    assert path.read_bytes() == edited

    adopt(folder, journal=journal, at=NOW, agreed=asked.value.plan)
    assert path.read_bytes() == splice(b"# Rules\n", "- one, says me\n- mine\n- 2")
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == edited


def test_only_the_text_that_was_seen_is_agreed_to(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    path.write_bytes(splice(b"# Rules\n", "- one"))
    folder, _ = propose(night, path, root, "- one\n- two")
    path.write_bytes(splice(b"# Rules\n", "- one\n- mine"))
    with pytest.raises(MergeNeeded) as asked:
        adopt(folder, journal=journal, at=NOW)
    path.write_bytes(splice(b"# Rules\n", "- one\n- mine\n- more"))
    with pytest.raises(MergeNeeded):
        adopt(folder, journal=journal, at=NOW, agreed=asked.value.plan)
    assert path.read_bytes() == splice(b"# Rules\n", "- one\n- mine\n- more")


def test_what_was_taken_out_by_hand_can_be_adopted_again(root: Path, night: Path, journal: Journal) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    adopt(folder, journal=journal, at=NOW)
    path.write_bytes(b"# Rules, edited\n")
    assert adopt(folder, journal=journal, at=NOW)
    assert path.read_bytes() == splice(b"# Rules, edited\n", RULE)
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == b"# Rules, edited\n"


def test_a_folder_that_is_a_link_by_the_time_it_is_made_is_not_followed(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    folder, _ = propose(night, root / live.RULES, root)
    outside, made = tmp_path / "outside", root / live.RULES.parts[0]
    (outside / "rules").mkdir(parents=True)
    waiting = [str(made)]

    def swap(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.mkdir" and os.fspath(arguments[0]) in waiting:
            waiting.clear()
            made.symlink_to(outside)

    sys.addaudithook(swap)  # for the rest of the process, so it does this once
    with pytest.raises(ProposalError, match="writing failed"):
        adopt(folder, journal=journal, at=NOW)
    assert waiting == []
    assert list((outside / "rules").iterdir()) == []


def test_a_file_that_appeared_after_staging_wins(root: Path, night: Path, journal: Journal) -> None:
    path = root / live.RULES
    folder, _ = propose(night, path, root)
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(UnsafePath, match="left alone"):
        adopt(folder, journal=journal, at=NOW)
    assert path.read_text() == "mine"


def test_adopting_twice_is_adopting_once(root: Path, night: Path, journal: Journal) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    adopt(folder, journal=journal, at=NOW)
    written = (root / "CLAUDE.md").stat()
    assert not adopt(folder, journal=journal, at=NOW)
    assert (root / "CLAUDE.md").stat().st_ino == written.st_ino


def test_a_number_given_twice_costs_no_undo(root: Path, night: Path, journal: Journal) -> None:
    first, second = root / "CLAUDE.md", root / "AGENTS.md"
    for file in (first, second):
        file.write_bytes(b"# Rules\n")
    adopt(propose(night, first, root)[0], journal=journal, at=NOW)
    folder, _ = propose(night, second, root)
    with pytest.raises(ProposalError, match="whose undo would be lost"):
        adopt(folder, journal=journal, at=NOW)
    assert second.read_bytes() == b"# Rules\n"
    second.write_bytes(first.read_bytes())
    with pytest.raises(ProposalError):
        adopt(folder, journal=journal, at=NOW)
    undo("p1", journal=journal, at=NOW)
    assert first.read_bytes() == b"# Rules\n"


def test_a_result_that_is_not_what_was_staged_is_refused(root: Path, night: Path, journal: Journal) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    (folder / "result").write_bytes(b"something else\n")
    with pytest.raises(StaleProposal, match="p1 was changed since"):
        adopt(folder, journal=journal, at=NOW)
    (folder / "result").unlink()
    with pytest.raises(StaleProposal, match="is missing"):
        adopt(folder, journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == b"# Rules\n"


@pytest.mark.parametrize("result", [b"# Ruled\n", b"", splice(b"# rules\n", RULE), splice(b"# Rules\n", RULE) + b"x"])
def test_nothing_but_our_part_is_ever_taken_from_a_proposal(
    result: bytes, root: Path, night: Path, journal: Journal
) -> None:
    folder, proposal = propose(night, root / "CLAUDE.md", root)
    (folder / "result").write_bytes(result)
    (folder / "proposal.json").write_bytes(to_json(changed(proposal, result=digest(result))))
    with suppress(UnsafeEdit):
        adopt(folder, journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() in (b"# Rules\n", splice(b"# Rules\n", RULE))


def test_a_path_that_became_unsafe_is_refused(root: Path, night: Path, journal: Journal, tmp_path: Path) -> None:
    path = root / "CLAUDE.md"
    folder, _ = propose(night, path, root)
    (root / "copy.md").hardlink_to(path)
    with pytest.raises(UnsafePath, match="hard-linked"):
        adopt(folder, journal=journal, at=NOW)
    path.rename(tmp_path / "outside.md")
    path.symlink_to(tmp_path / "outside.md")
    with pytest.raises(UnsafePath, match="outside"):
        adopt(folder, journal=journal, at=NOW)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnsafePath, match="plain file"):
        adopt(folder, journal=journal, at=NOW)
    assert (tmp_path / "outside.md").read_bytes() == b"# Rules\n"


def test_a_folder_that_leads_outside_by_now_is_refused(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    folder, _ = propose(night, root / live.RULES, root)
    (tmp_path / "elsewhere").mkdir()
    (root / ".claude").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath, match="outside"):
        adopt(folder, journal=journal, at=NOW)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"])
def test_an_instruction_file_is_never_created(name: str, root: Path, night: Path, journal: Journal) -> None:
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    folder, proposal = propose(night, path, root)
    path.unlink()
    new = changed(proposal, base="")
    (folder / "proposal.json").write_bytes(to_json(new))
    with pytest.raises(UnsafePath, match="doesn't exist"):
        adopt(folder, journal=journal, at=NOW)
    assert not path.exists()
    with pytest.raises(UnsafePath, match="doesn't exist"):
        live.load(path, root=root, name=name)


def test_proposals_for_one_file_are_adopted_and_undone_in_any_order(
    root: Path, night: Path, journal: Journal
) -> None:
    path = root / "CLAUDE.md"
    first, _ = propose(night, path, root, "- one", number="p1")
    second, _ = propose(night, path, root, "- two", number="p2")
    adopt(first, journal=journal, at=NOW)
    adopt(second, journal=journal, at=NOW)
    assert path.read_bytes() == splice(b"# Rules\n", "- one\n- two")
    third, _ = propose(night, path, root, "- one\n- 2", number="p3")
    adopt(third, journal=journal, at=NOW)
    with pytest.raises(StaleProposal) as caught:
        undo("p2", journal=journal, at=NOW)
    assert caught.value.remedy.endswith("skillopt-sleep undo p3")
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes() == splice(b"# Rules\n", "- 2")
    undo("p3", journal=journal, at=NOW)
    assert path.read_bytes() == splice(b"# Rules\n", "- two")
    undo("p2", journal=journal, at=NOW)
    assert path.read_bytes() == b"# Rules\n"


def test_the_last_undo_removes_a_file_of_our_own_that_another_adoption_made(
    root: Path, night: Path, journal: Journal
) -> None:
    path = root / live.SKILL
    first, _ = propose(night, path, root, "- one", number="p1")
    second, _ = propose(night, path, root, "- two", number="p2")
    adopt(first, journal=journal, at=NOW)
    adopt(second, journal=journal, at=NOW)
    undo("p1", journal=journal, at=NOW)
    assert path.read_text() == f"{live.SKILL_HEAD}- two\n"
    undo("p2", journal=journal, at=NOW)
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]


def test_a_disk_that_refuses_is_told_and_leaves_the_file(
    root: Path, night: Path, journal: Journal, tmp_path: Path
) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root)
    adopt(propose(night, root / live.RULES, root, number="p0")[0], journal=journal, at=NOW)
    # A file where the journal wants its folder: what a damaged disk looks like, whoever runs the tests.
    (tmp_path / "adoptions" / "p1").write_text("")
    with pytest.raises(ProposalError) as caught:
        adopt(folder, journal=journal, at=NOW)
    assert "is as it was before" in caught.value.message
    assert (root / "CLAUDE.md").read_bytes() == b"# Rules\n"
    (tmp_path / "adoptions" / "p1").unlink()
    adopt(folder, journal=journal, at=NOW)
    entry = journal.get("p1")
    assert entry is not None
    assert entry.state is AdoptionState.DONE


@pytest.mark.slow
def test_a_hundred_adoptions_and_undos_end_where_they_began(root: Path, night: Path, journal: Journal) -> None:
    before = (root / "CLAUDE.md").read_bytes()
    block, _ = propose(night, root / "CLAUDE.md", root)
    new, _ = propose(night, root / live.SKILL, root, number="p2")
    for _ in range(100):
        adopt(block, journal=journal, at=NOW)
        adopt(new, journal=journal, at=NOW)
        undo("p1", journal=journal, at=NOW)
        undo("p2", journal=journal, at=NOW)
    assert (root / "CLAUDE.md").read_bytes() == before
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]
    assert len(journal.entries()) == 2


@pytest.fixture
def agents(root: Path) -> Path:
    """The file of the other agent."""
    path = root / "AGENTS.md"
    path.write_bytes(b"# For Codex\r\nmine")
    return path


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_pair_is_adopted_in_both_files_and_undone_in_both(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    path = root / "CLAUDE.md"
    before = everything(root)
    folder, _ = propose(night, path, root, twin=agents)

    is_new = adopt(folder, journal=journal, at=NOW)

    assert everything(root) == {name: splice(data, RULE) for name, data in before.items()}
    assert is_new
    assert not adopt(folder, journal=journal, at=NOW)
    undone = undo("p1", journal=journal, at=NOW)
    assert (undone.files, undone.already) == ({str(path): Left.BEFORE, str(agents): Left.BEFORE}, False)
    assert everything(root) == before
    assert undo("p1", journal=journal, at=NOW).already
    adopt(folder, journal=journal, at=NOW)
    assert everything(root) != before


def test_a_twin_that_is_new_comes_with_its_folders_and_goes_with_them(
    root: Path, night: Path, journal: Journal
) -> None:
    before = everything(root)
    folder, _ = propose(night, root / "CLAUDE.md", root, twin=root / live.SKILL)

    adopt(folder, journal=journal, at=NOW)
    assert RULE in (root / live.SKILL).read_text()
    undo("p1", journal=journal, at=NOW)
    assert everything(root) == before
    assert [entry.name for entry in root.iterdir()] == ["CLAUDE.md"]


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
def test_if_one_file_of_a_pair_can_not_be_written_neither_is(
    name: str, root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root, twin=agents)
    (root / name).write_bytes(b"<<<<<<< mine\n")
    before = everything(root)

    with pytest.raises(UnsafeEdit) as caught:
        adopt(folder, journal=journal, at=NOW)

    assert str(root / name) in caught.value.message
    assert everything(root) == before
    assert journal.entries() == ()


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
def test_an_edit_of_one_file_of_a_pair_stays_when_both_are_undone(
    name: str, root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    before = everything(root)
    adopt(propose(night, root / "CLAUDE.md", root, twin=agents)[0], journal=journal, at=NOW)
    (root / name).write_bytes(b"edited\n" + (root / name).read_bytes())

    undo("p1", journal=journal, at=NOW)

    assert everything(root) == before | {name: b"edited\n" + before[name]}


def test_two_files_of_a_pair_that_became_one_are_told_in_a_line(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root, twin=agents)
    (root / "CLAUDE.md").unlink()
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    with pytest.raises(UnsafePath, match="lead to the same file"):
        adopt(folder, journal=journal, at=NOW)
    assert agents.read_bytes() == b"# For Codex\r\nmine"


def test_what_was_put_back_by_hand_in_one_file_is_undone_in_the_other(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    before = everything(root)
    adopt(propose(night, root / "CLAUDE.md", root, twin=agents)[0], journal=journal, at=NOW)
    agents.write_bytes(before["AGENTS.md"])

    undo("p1", journal=journal, at=NOW)

    assert everything(root) == before


def test_a_later_adoption_in_one_of_the_files_stays(root: Path, night: Path, journal: Journal, agents: Path) -> None:
    before = everything(root)
    adopt(propose(night, root / "CLAUDE.md", root, twin=agents)[0], journal=journal, at=NOW)
    later, _ = propose(night, agents, root, f"{RULE}\n- Be brief.", number="p2")
    adopt(later, journal=journal, at=NOW)

    undo("p1", journal=journal, at=NOW)

    assert everything(root) == before | {"AGENTS.md": splice(before["AGENTS.md"], "- Be brief.")}
    undo("p2", journal=journal, at=NOW)
    assert everything(root) == before


def once(target: Path, then: Callable[[], None]) -> None:
    """Do this when the target is about to be written, for the first time only."""
    waiting = [str(target)]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" and os.fspath(arguments[1]) in waiting:
            waiting.clear()
            then()

    sys.addaudithook(hook)  # for the rest of the process, so it does this once


def no_space() -> None:
    raise OSError(errno.ENOSPC, "no space left")


def test_a_disk_that_refuses_the_second_file_leaves_neither_written(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root, twin=agents)
    before = everything(root)
    once(agents, no_space)

    with pytest.raises(ProposalError, match="is as it was before") as caught:
        adopt(folder, journal=journal, at=NOW)

    assert f"{root / 'CLAUDE.md'} is as it was before" in caught.value.message
    assert f"{agents} is as it was before" in caught.value.message
    assert everything(root) == before
    adopt(folder, journal=journal, at=NOW)
    assert everything(root) != before


def test_a_second_file_that_is_edited_while_the_first_is_written_takes_the_first_back(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    folder, _ = propose(night, root / "CLAUDE.md", root, twin=agents)
    before = everything(root)

    def edit() -> None:
        agents.write_bytes(b"edited\n")

    once(root / "CLAUDE.md", edit)

    with pytest.raises(StaleProposal, match=r"AGENTS\.md was changed"):
        adopt(folder, journal=journal, at=NOW)

    assert everything(root) == before | {"AGENTS.md": b"edited\n"}
    assert journal.entries() == ()


def test_an_undo_that_stops_between_the_files_is_finished_by_the_next_one(
    root: Path, night: Path, journal: Journal, agents: Path
) -> None:
    before = everything(root)
    adopt(propose(night, root / "CLAUDE.md", root, twin=agents)[0], journal=journal, at=NOW)
    once(agents, no_space)

    with pytest.raises(ProposalError, match="writing failed"):
        undo("p1", journal=journal, at=NOW)

    assert everything(root) == before
    assert undo("p1", journal=journal, at=NOW).already
