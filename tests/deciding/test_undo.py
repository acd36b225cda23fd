"""What was adopted is taken out again, alone or on the way to another version of a file."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.deciding.decide import Adopted, CanComeBack, Event
from skillopt_sleep.deciding.undo import last_changed, steps_to, take, take_back, undoable, versions, versions_of
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.undo import Left, Undone, undo
from tests.cli.walked import rules
from tests.command import Home
from tests.deciding.desk import desk
from tests.deciding.test_decide import adopted
from tests.proposals.staging import NOW, propose


def test_an_undo_says_how_it_left_each_file_and_that_it_can_come_back(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_bytes()
    events: list[Event] = []
    with desk(home, monkeypatch) as at:
        adopted(at)
        name = undoable(at.store, at.journal, "p-0001")
        take_back(at.store, at.journal, name, agreed=None, on_event=events.append)
        assert last_changed(at.store, at.journal, AdoptionState.UNDONE).proposal == "P-0001"
    taken, can = events
    assert isinstance(taken, Undone)
    assert (taken.files[str(path)], taken.folders_left) == (Left.BEFORE, ())
    assert can == CanComeBack("P-0001")
    assert path.read_bytes() == before


def test_what_was_never_adopted_is_not_undone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(home, monkeypatch) as at:
        with pytest.raises(ConfigError, match="P-0001 is waiting, so it can't be undone"):
            undoable(at.store, at.journal, "P-0001")
        with pytest.raises(ConfigError, match="no proposal is adopted"):
            last_changed(at.store, at.journal, AdoptionState.DONE)


def test_what_is_undone_already_can_be_adopted_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(home, monkeypatch) as at:
        adopted(at)
        take_back(at.store, at.journal, "P-0001", agreed=None, on_event=lambda _event: None)
        with pytest.raises(ConfigError, match="P-0001 is undone already") as refused:
            undoable(at.store, at.journal, "P-0001")
        assert "undo --redo P-0001" in refused.value.remedy


def test_a_file_goes_to_each_of_its_versions(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.project / "CLAUDE.md"
    events: list[Event] = []
    with desk(home, monkeypatch) as at:
        adopted(at)
        (step,) = steps_to(at.store, at.journal, path, 0)
        take(at.store, at.journal, step, agreed={}, on_event=events.append)
        assert rules(home) == []
        (back,) = steps_to(at.store, at.journal, path, 1)
        take(at.store, at.journal, back, agreed={}, on_event=events.append)
    with desk(home, monkeypatch) as at:
        assert [version.live for version in versions_of(at.journal, path)] == [("P-0001",)]
        with pytest.raises(ConfigError, match="has 1 versions"):
            steps_to(at.store, at.journal, path, 4)
        with pytest.raises(ConfigError, match=r"elsewhere/CLAUDE\.md doesn't exist"):
            versions_of(at.journal, Path("/elsewhere/CLAUDE.md"))
    assert [type(event) for event in events] == [Undone, CanComeBack, Adopted]
    assert rules(home) == ["- Use pnpm, never npm."]


def test_each_adoption_and_undo_makes_a_version(tmp_path: Path) -> None:
    path = tmp_path / "shop-api" / "CLAUDE.md"
    path.parent.mkdir()
    path.write_bytes(b"# Rules\n")
    journal = Journal(tmp_path / "adoptions")
    folders = [propose(tmp_path / "night", path, path.parent, f"- {name}", number=name)[0] for name in ("p1", "p2")]
    for minute, folder in enumerate(folders):
        adopt(folder, journal=journal, at=NOW + timedelta(minutes=minute))
    undo("p1", journal=journal, at=NOW + timedelta(minutes=2))

    found = versions(journal, path)

    assert [(one.number, one.proposal, one.adopted) for one in found] == [
        (1, "p1", True),
        (2, "p2", True),
        (3, "p1", False),
    ]
    assert [one.live for one in found] == [("p1",), ("p1", "p2"), ("p2",)]
    assert versions(journal, path.with_name("AGENTS.md")) == ()
    adopt(folders[0], journal=journal, at=NOW + timedelta(minutes=3))
    assert [one.live for one in versions(journal, path)] == [("p2",), ("p2", "p1")]
