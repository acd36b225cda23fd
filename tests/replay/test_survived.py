"""What a session ended with, as it survived in git."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import Workspace
from skillopt_sleep.replay.survived import survived
from tests.fakes import NOON
from tests.replay.workspaces.repositories import commit, repository


def at(minutes: int) -> dict[str, str]:
    moment = (NOON + timedelta(minutes=minutes)).isoformat()
    return {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Commits at noon, and 10, 30 and 40 minutes later."""
    repository(tmp_path / "shop", {"a.py": "0"})
    return [commit(tmp_path / "shop", {"a.py": str(minutes)}, **at(minutes)) for minutes in (0, 10, 30, 40)]


def found(folder: Path, start: str, minutes: int) -> list[str]:
    workspace = Workspace(root=str(folder / "shop"), commit=start, folder="src")
    states = survived(workspace, NOON + timedelta(minutes=minutes), folder=folder / "scratch")
    assert all(state.folder == "src" for state in states)
    return [state.commit for state in states]


def test_what_was_committed_when_the_session_ended_comes_before_the_next_commit(
    tmp_path: Path, names: list[str]
) -> None:
    assert found(tmp_path, names[0], 20) == [names[1], names[2]]
    assert found(tmp_path, names[0], 5) == [names[1]]
    assert found(tmp_path, names[0], 50) == [names[3]]


def test_a_commit_that_came_much_later_is_none_of_the_sessions(tmp_path: Path, names: list[str]) -> None:
    assert found(tmp_path, names[0], -60 * 24 * 30) == []


def test_a_folder_that_is_no_repository_has_none(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    assert found(tmp_path, "0" * 40, 0) == []
