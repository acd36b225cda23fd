"""What a session began and ended with is found without running git in the repository."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import NO_WORKSPACE_WORDS, NoWorkspace, Session, Snapshot, Workspace
from skillopt_sleep.replay.workspaces import Bases, WorkspaceRefused, ends_of, workspace_of
from skillopt_sleep.replay.workspaces.history import commit_at
from skillopt_sleep.replay.workspaces.repository import repository_at
from skillopt_sleep.stores.hooks import HookSpool
from tests.agent_hooks import SESSION, Hooked
from tests.fakes import NOON
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
    before = state(shop)
    try:
        return commit_at(repository_at(shop), datetime(2026, 3, 2, hour, 30, tzinfo=UTC))
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


# Where a session began.


@pytest.fixture
def store(tmp_path: Path) -> Path:
    repository(tmp_path / "shop")
    return tmp_path / "shop"


def session(cwd: Path, commit: str = "") -> Session:
    now = datetime.now(UTC)
    return Session(
        id="claude_code:s1",
        source="claude_code",
        project=str(cwd),
        cwd=str(cwd),
        started=now,
        ended=now,
        turns=(),
        commit=commit,
    )


def test_a_hooks_snapshot_says_where_the_agent_stood(tmp_path: Path, store: Path) -> None:
    head = git(store, "rev-parse", "HEAD")
    snapshot = Snapshot(session="claude_code:s1", root=str(store), commit=head)
    found = workspace_of(session(store / "src", "f" * 40), snapshot)
    assert found == Workspace(root=str(store), commit=head, folder="src")


def test_a_commit_alone_leaves_the_uncommitted_work_unknown(tmp_path: Path, store: Path) -> None:
    found = workspace_of(session(store, "f" * 40))
    assert found == Workspace(root=str(store), commit="f" * 40)


@pytest.mark.parametrize("noted", ["", "main", "--upload-pack=x", "abc1234"])
def test_without_both_it_is_what_was_checked_out_then(tmp_path: Path, store: Path, noted: str) -> None:
    before = state(store)
    found = workspace_of(session(store, noted))
    assert found == Workspace(root=str(store), commit=git(store, "rev-parse", "HEAD"))
    assert state(store) == before


def test_what_can_not_be_had_again_has_its_reason(tmp_path: Path, store: Path) -> None:
    assert workspace_of(session(tmp_path / "gone")) is NoWorkspace.GONE
    snapshot = Snapshot(session="claude_code:s1", root=str(store), commit="f" * 40)
    assert workspace_of(session(tmp_path), snapshot) is NoWorkspace.NO_FOLDER
    shutil.rmtree(store)
    assert workspace_of(session(store), snapshot) is NoWorkspace.GONE
    (tmp_path / "plain").mkdir()
    assert workspace_of(session(tmp_path / "plain")) is NoWorkspace.NO_REPOSITORY
    assert set(NO_WORKSPACE_WORDS) == set(NoWorkspace)


def test_what_the_hook_noted_is_what_stands_in_the_base(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path)
    root = tmp_path / "project"
    repository(root, {"a.py": "one\n", "b.bin": bytes(range(256))})
    (root / "a.py").write_text("two\n")
    (root / "new.py").write_text("new\n")
    hooked.started()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "later")
    snapshot = HookSpool(hooked.spool).snapshot(f"claude_code:{SESSION}")
    found = workspace_of(session(root), snapshot)
    assert isinstance(found, Workspace)
    bases = Bases(tmp_path / "workspaces")
    tree = bases.of(found).path
    assert {path.name: path.read_bytes() for path in tree.iterdir() if path.is_file()} == {
        "a.py": b"one\n",
        "b.bin": bytes(range(256)),
    }


# What it ended with.


def after_noon(minutes: int) -> dict[str, str]:
    moment = (NOON + timedelta(minutes=minutes)).isoformat()
    return {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Commits at noon, and 10, 30 and 40 minutes later."""
    repository(tmp_path / "shop", {"a.py": "0"})
    return [commit(tmp_path / "shop", {"a.py": str(minutes)}, **after_noon(minutes)) for minutes in (0, 10, 30, 40)]


def ended(folder: Path, start: str, minutes: int) -> list[str]:
    workspace = Workspace(root=str(folder / "shop"), commit=start, folder="src")
    states = ends_of(workspace, NOON + timedelta(minutes=minutes))
    assert all(state.folder == "src" for state in states)
    return [state.commit for state in states]


def test_what_was_committed_when_the_session_ended_comes_before_the_next_commit(
    tmp_path: Path, names: list[str]
) -> None:
    assert ended(tmp_path, names[0], 20) == [names[1], names[2]]
    assert ended(tmp_path, names[0], 5) == [names[1]]
    assert ended(tmp_path, names[0], 50) == [names[3]]


def test_a_commit_that_came_much_later_is_none_of_the_sessions(tmp_path: Path, names: list[str]) -> None:
    assert ended(tmp_path, names[0], -60 * 24 * 30) == []


def test_a_folder_that_is_no_repository_has_none(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    assert ended(tmp_path, "0" * 40, 0) == []
