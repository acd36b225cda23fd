"""Where a project's folder has moved to."""

import pytest

from skillopt_sleep.night.moved import at_their_folders, moved
from skillopt_sleep.records import Session
from tests.builders import a_session


def at(project: str, commit: str = "") -> Session:
    """A session in a project, at a commit."""
    return a_session(id=f"{project}-{commit}", project=project, cwd=project, commit=commit)


def test_a_project_moved_to_where_its_commit_is_known() -> None:
    sessions = [at("/old/shop", "c1"), at("/old/shop"), at("/new/shop", "c1"), at("/new/shop", "c2")]
    assert moved(sessions, lambda folder: folder == "/new/shop") == {"/old/shop": "/new/shop"}


@pytest.mark.parametrize(
    ("sessions", "there"),
    [
        ([at("/old/shop", "c1"), at("/new/shop", "c1")], {"/old/shop", "/new/shop"}),
        ([at("/old/shop", "c1"), at("/new/shop", "c1")], set[str]()),
        ([at("/old/shop", "c1"), at("/new/shop", "c2")], {"/new/shop"}),
        ([at("/old/shop"), at("/new/shop")], {"/new/shop"}),
        ([at("/old/shop", "c1"), at("/new/store", "c1")], {"/new/store"}),
        ([at("/old/shop", "c1"), at("/new/shop", "c1"), at("/too/shop", "c1")], {"/new/shop", "/too/shop"}),
        ([at("", "c1"), at("/shop", "c1")], {"/shop"}),
        ([], {"/shop"}),
    ],
    ids=[
        "both there",
        "none there",
        "other commits",
        "no commit",
        "other name",
        "two places",
        "no folder",
        "nothing",
    ],
)
def test_what_is_not_sure_moved_nowhere(sessions: list[Session], there: set[str]) -> None:
    assert moved(sessions, lambda folder: folder in there) == {}


def test_a_session_moves_with_its_project_but_keeps_its_working_folder() -> None:
    sessions = [at("/old/shop", "c1"), at("/old/shop"), at("/new/shop", "c1")]
    found = at_their_folders(sessions, lambda folder: folder == "/new/shop")
    assert [session.project for session in found] == ["/new/shop"] * 3
    assert [session.cwd for session in found] == ["/old/shop", "/old/shop", "/new/shop"]
