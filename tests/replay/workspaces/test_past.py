"""What was checked out at some time is found without running git in the repository."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces import WorkspaceRefused
from skillopt_sleep.replay.workspaces.past import commit_at
from skillopt_sleep.replay.workspaces.repository import repository_at
from tests.replay.workspaces.repositories import commit, git, repository, state


def at(hour: int) -> str:
    return f"2026-03-02T{hour:02}:00:00 +0000"


def dated(root: Path, hour: int, text: str) -> str:
    return commit(root, {"a.py": text}, GIT_AUTHOR_DATE=at(hour), GIT_COMMITTER_DATE=at(hour))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    git(tmp_path / "shop", "init", "-q")
    return tmp_path / "shop"


def found(shop: Path, hour: int) -> str:
    scratch = shop.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    before = state(shop)
    try:
        return commit_at(repository_at(shop), datetime(2026, 3, 2, hour, 30, tzinfo=UTC), scratch=scratch)
    finally:
        assert state(shop) == before


def test_git_noted_what_was_checked_out_even_if_no_branch_has_it_any_more(shop: Path) -> None:
    first = dated(shop, 8, "1\n")
    second = dated(shop, 10, "2\n")
    git(shop, "reset", "-q", "--hard", first, GIT_COMMITTER_DATE=at(12))
    third = dated(shop, 14, "3\n")
    assert [found(shop, hour) for hour in (8, 11, 12, 15)] == [first, second, first, third]


@pytest.mark.parametrize("packed", [False, True])
def test_without_a_note_it_is_the_branchs_last_commit_before_that_time(shop: Path, packed: bool) -> None:
    commits = [dated(shop, hour, f"{hour}\n") for hour in (8, 10, 12)]
    (shop / ".git" / "logs" / "HEAD").unlink()
    if packed:
        git(shop, "pack-refs", "--all")
    assert [found(shop, hour) for hour in (8, 11, 12, 15)] == [*commits, commits[2]]
    with pytest.raises(WorkspaceRefused) as refused:
        found(shop, 7)
    assert refused.value.code is NoWorkspace.NO_COMMIT


def test_a_shallow_clone_says_that_it_does_not_reach_back(tmp_path: Path, shop: Path) -> None:
    commits = [dated(shop, hour, f"{hour}\n") for hour in (8, 10, 12)]
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{shop}", "clone")
    (tmp_path / "clone" / ".git" / "logs" / "HEAD").unlink()
    assert found(tmp_path / "clone", 11) == commits[1]
    with pytest.raises(WorkspaceRefused) as refused:
        found(tmp_path / "clone", 8)
    assert refused.value.code is NoWorkspace.SHALLOW


@pytest.mark.parametrize(
    "head", ["ref: refs/heads/../../../../etc/passwd\n", "ref: refs/heads/none\n", "", "\xff\xfe"]
)
def test_a_head_that_names_nothing_is_refused(shop: Path, head: str) -> None:
    dated(shop, 8, "1\n")
    (shop / ".git" / "logs" / "HEAD").unlink()
    (shop / ".git" / "HEAD").write_text(head)
    with pytest.raises(WorkspaceRefused):
        found(shop, 9)


def test_a_branch_that_is_not_born_yet_has_none(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(WorkspaceRefused):
        found(shop, 9)
    assert repository(tmp_path / "other")
