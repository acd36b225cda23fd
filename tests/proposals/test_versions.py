from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.proposals.versions import Step, events, keep, steps, versions
from tests.proposals.staging import NOW, propose


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "shop-api" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_bytes(b"# Rules\n")
    return file


@pytest.fixture
def journal(path: Path, tmp_path: Path) -> Journal:
    """Two adoptions, an undo of the first, and its adoption again."""
    journal = Journal(tmp_path / "adoptions")
    folders = [propose(tmp_path / "night", path, path.parent, f"- {name}", number=name)[0] for name in ("p1", "p2")]
    for minute, folder in enumerate(folders):
        adopt(folder, journal=journal, at=NOW + timedelta(minutes=minute))
    undo("p1", journal=journal, at=NOW + timedelta(minutes=2))
    keep(journal)
    adopt(folders[0], journal=journal, at=NOW + timedelta(minutes=3))
    keep(journal)
    return journal


def test_each_adoption_and_undo_makes_a_version(journal: Journal, path: Path) -> None:
    found = versions(journal, path)
    assert [(one.number, one.event.proposal, one.event.adopted) for one in found] == [
        (1, "p1", True),
        (2, "p2", True),
        (3, "p1", False),
        (4, "p1", True),
    ]
    assert [one.live for one in found] == [("p1",), ("p1", "p2"), ("p2",), ("p2", "p1")]
    assert versions(journal, path.with_name("AGENTS.md")) == ()


def test_the_way_to_a_version_undoes_the_newest_first(journal: Journal, path: Path) -> None:
    known = versions(journal, path)
    assert steps(known, 0) == (Step("p1", adopting=False), Step("p2", adopting=False))
    assert steps(known, 3) == (Step("p1", adopting=False),)
    assert steps(known, 4) == ()
    assert steps(known[:3], 1) == (Step("p2", adopting=False), Step("p1", adopting=True))


def test_nothing_is_kept_twice_and_a_damaged_list_begins_anew(journal: Journal, tmp_path: Path) -> None:
    before = events(journal)
    keep(journal)
    assert events(journal) == before
    (tmp_path / "adoptions" / "events.json").write_bytes(b"{")
    assert events(journal) == ()
    keep(journal)
    assert [event.proposal for event in events(journal)] == ["p2", "p1"]
