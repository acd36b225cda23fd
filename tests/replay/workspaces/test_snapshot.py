"""Where a session began is told as exactly as it is known."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillopt_sleep.records import NO_WORKSPACE_WORDS, NoWorkspace, Session, Snapshot, Workspace
from skillopt_sleep.replay.workspaces import Bases, workspace_of
from skillopt_sleep.stores.spool import HookSpool
from tests.agent_hooks import SESSION, Hooked
from tests.replay.workspaces.repositories import git, repository, state


@pytest.fixture
def shop(tmp_path: Path) -> Path:
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


def test_a_hooks_snapshot_says_where_the_agent_stood(tmp_path: Path, shop: Path) -> None:
    head = git(shop, "rev-parse", "HEAD")
    snapshot = Snapshot(session="claude_code:s1", root=str(shop), commit=head)
    found = workspace_of(session(shop / "src", "f" * 40), snapshot, folder=tmp_path / "workspaces")
    assert found == Workspace(root=str(shop), commit=head, folder="src")


def test_a_commit_alone_leaves_the_uncommitted_work_unknown(tmp_path: Path, shop: Path) -> None:
    found = workspace_of(session(shop, "f" * 40), folder=tmp_path / "workspaces")
    assert found == Workspace(root=str(shop), commit="f" * 40)


@pytest.mark.parametrize("noted", ["", "main", "--upload-pack=x", "abc1234"])
def test_without_both_it_is_what_was_checked_out_then(tmp_path: Path, shop: Path, noted: str) -> None:
    before = state(shop)
    found = workspace_of(session(shop, noted), folder=tmp_path / "workspaces")
    assert found == Workspace(root=str(shop), commit=git(shop, "rev-parse", "HEAD"))
    assert state(shop) == before
    assert list((tmp_path / "workspaces").iterdir()) == []


def test_what_can_not_be_had_again_has_its_reason(tmp_path: Path, shop: Path) -> None:
    folder = tmp_path / "workspaces"
    assert workspace_of(session(tmp_path / "gone"), folder=folder) is NoWorkspace.GONE
    snapshot = Snapshot(session="claude_code:s1", root=str(shop), commit="f" * 40)
    assert workspace_of(session(tmp_path), snapshot, folder=folder) is NoWorkspace.NO_FOLDER
    shutil.rmtree(shop)
    assert workspace_of(session(shop), snapshot, folder=folder) is NoWorkspace.GONE
    (tmp_path / "plain").mkdir()
    assert workspace_of(session(tmp_path / "plain"), folder=folder) is NoWorkspace.NO_REPOSITORY
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
    found = workspace_of(session(root), snapshot, folder=tmp_path / "workspaces")
    assert isinstance(found, Workspace)
    tree = Bases(tmp_path / "workspaces").of(found).path
    assert {path.name: path.read_bytes() for path in tree.iterdir() if path.is_file()} == {
        "a.py": b"one\n",
        "b.bin": bytes(range(256)),
    }
