"""What was adopted is taken out again, alone or on the way to another version of a file."""

import shutil
from pathlib import Path

import pytest

from skillopt_sleep.deciding.happened import Adopted, CanComeBack, Event, TakenBack
from skillopt_sleep.deciding.undo import last_changed, steps_to, take, take_back, undoable, versions_of
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.proposals.entry import AdoptionState
from tests.cli.walked import rules
from tests.command import Home
from tests.deciding.desk import desk
from tests.deciding.test_decide import adopted


def test_an_undo_says_how_it_left_each_file_and_that_it_can_come_back(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_bytes()
    events: list[Event] = []
    with desk(home, monkeypatch) as at:
        adopted(at)
        name = undoable(at.store, at.journal, "p-0001")
        take_back(at.store, at.journal, name, agreed=None, told=events.append)
        assert last_changed(at.store, at.journal, AdoptionState.UNDONE).proposal == "P-0001"
    taken, can = events
    assert isinstance(taken, TakenBack)
    assert (taken.files[str(path)], taken.folder_left) == ("is as it was before", "")
    assert can == CanComeBack("P-0001")
    assert path.read_bytes() == before


def test_what_was_never_adopted_is_not_undone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(home, monkeypatch) as at:
        with pytest.raises(ConfigError, match="P-0001 is waiting, not adopted"):
            undoable(at.store, at.journal, "P-0001")
        with pytest.raises(ConfigError, match="no proposal is adopted"):
            last_changed(at.store, at.journal, AdoptionState.DONE)


def test_a_file_goes_to_each_of_its_versions(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.project / "CLAUDE.md"
    events: list[Event] = []
    with desk(home, monkeypatch) as at:
        adopted(at)
        (step,) = steps_to(at.store, at.journal, path, 0)
        take(at.store, at.journal, step, agreed={}, told=events.append)
        assert rules(home) == []
        (back,) = steps_to(at.store, at.journal, path, 1)
        take(at.store, at.journal, back, agreed={}, told=events.append)
    with desk(home, monkeypatch) as at:
        assert [version.live for version in versions_of(at.store, at.journal, path)] == [("P-0001",), (), ("P-0001",)]
        with pytest.raises(ConfigError, match="has 3 versions"):
            steps_to(at.store, at.journal, path, 4)
        with pytest.raises(ConfigError, match=r"elsewhere/CLAUDE\.md doesn't exist"):
            versions_of(at.store, at.journal, Path("/elsewhere/CLAUDE.md"))
    assert [type(event) for event in events] == [TakenBack, CanComeBack, Adopted]
    assert rules(home) == ["- Use pnpm, never npm."]


@pytest.mark.parametrize("left", ["nothing", "an empty folder", "a folder that can't be listed"])
def test_a_project_that_is_only_away_keeps_its_rules_when_another_clone_is_looked_at(
    home: Home, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    with desk(home, monkeypatch) as at:
        adopted(at)
        if "listed" in left:
            (entry,) = at.journal.entries()
            at.journal.move(entry, Path("/", "x" * 300, "shop-api"))
    clone = shutil.copytree(home.project, home.folder / "clone")
    away = home.project.parent.rename(home.folder / "away")
    if "empty" in left:
        home.project.parent.mkdir()
    monkeypatch.chdir(clone)
    with desk(home, monkeypatch) as at:
        assert [entry.root == str(clone) for entry in at.journal.entries()] == [False]
        assert at.damaged == []
    if "empty" in left:
        home.project.parent.rmdir()
    away.rename(home.project.parent)
    if "listed" not in left:
        with desk(home, monkeypatch) as at:
            take_back(at.store, at.journal, "P-0001", agreed=None, told=lambda _: None)
        assert rules(home) == []
    assert b"pnpm" in (clone / "CLAUDE.md").read_bytes()


def test_a_project_that_is_taken_as_moved_is_told_with_both_folders(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desk(home, monkeypatch) as at:
        adopted(at)
    moved = home.project.rename(home.project.with_name("renamed"))
    monkeypatch.chdir(moved)
    with desk(home, monkeypatch) as at:
        (told,) = at.damaged
        assert str(home.project) in told.message
        assert str(moved) in told.message
    with desk(home, monkeypatch) as at:
        assert at.damaged == []
