"""A waiting proposal is made again for a file that changed around our part, with the rules that were proposed."""

from pathlib import Path

import pytest

from skillopt_sleep.errors import StaleProposal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.renew import renewed
from skillopt_sleep.records import Proposal
from tests.proposals.corpus import splice
from tests.proposals.staging import RULE, propose


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# Rules\r\n")
    (folder / "AGENTS.md").write_bytes(b"# For Codex\n")
    return folder


@pytest.fixture
def staged(root: Path, tmp_path: Path) -> tuple[Path, Proposal]:
    return propose(tmp_path / "night", root / "CLAUDE.md", root, twin=root / "AGENTS.md")


def test_files_that_are_as_they_were_need_no_new_version(staged: tuple[Path, Proposal]) -> None:
    folder, proposal = staged
    assert renewed(proposal, folder) is None


def test_the_rules_go_into_the_file_as_it_is_now_byte_for_byte(root: Path, staged: tuple[Path, Proposal]) -> None:
    folder, proposal = staged
    now = b"\xef\xbb\xbf# Rules\r\n\r\nWe like tea."
    (root / "CLAUDE.md").write_bytes(now)

    found = renewed(proposal, folder)

    assert found is not None
    again, files = found
    assert (again.id, again.version) == (proposal.id, 2)
    assert (again.base, again.result) == (digest(now), digest(splice(now, RULE)))
    assert [file.text.result for file in files] == [splice(now, RULE), splice(b"# For Codex\n", RULE)]
    assert again.sha != proposal.sha
    assert (again.body, again.copies, again.edits) == (proposal.body, proposal.copies, proposal.edits)


def test_a_change_of_the_second_file_is_followed_too(root: Path, staged: tuple[Path, Proposal]) -> None:
    folder, proposal = staged
    (root / "AGENTS.md").write_bytes(b"# For Codex, edited\n")

    found = renewed(proposal, folder)

    assert found is not None
    assert found[0].base == proposal.base
    assert found[0].copies[0].result == digest(splice(b"# For Codex, edited\n", RULE))


def test_rules_that_changed_are_not_overwritten(root: Path, staged: tuple[Path, Proposal]) -> None:
    folder, proposal = staged
    (root / "CLAUDE.md").write_bytes(splice(b"# Rules\r\n", "- Say please."))

    with pytest.raises(StaleProposal, match="changed"):
        renewed(proposal, folder)


@pytest.mark.parametrize("damage", [b"- Something else.\n", None])
def test_a_proposed_text_that_is_damaged_or_gone_is_not_used(
    root: Path, staged: tuple[Path, Proposal], damage: bytes | None
) -> None:
    folder, proposal = staged
    (root / "CLAUDE.md").write_bytes(b"# Rules, edited\n")
    (folder / "result").unlink()
    if damage is not None:
        (folder / "result").write_bytes(damage)

    with pytest.raises(StaleProposal, match="its new text"):
        renewed(proposal, folder)
