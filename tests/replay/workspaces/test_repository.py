"""A folder's repository is found, and is its own or refused."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import repository_above, repository_at
from tests.replay.workspaces.repositories import git, repository, write


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    repository(tmp_path / "shop")
    return tmp_path / "shop"


def refused(folder: Path) -> NoWorkspace:
    with pytest.raises(WorkspaceRefused) as error:
        repository_above(folder)
    return error.value.code


def test_the_nearest_repository_above_is_found(shop: Path) -> None:
    (shop / "src" / "deep").mkdir()
    found = repository_above(shop / "src" / "deep")
    assert (found.root, found.git, found.common, found.shallow) == (shop, shop / ".git", shop / ".git", False)


def test_what_is_none_is_refused(tmp_path: Path, shop: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(shop), "bare.git")
    assert refused(tmp_path / "bare.git") is NoWorkspace.BARE
    assert refused(tmp_path / "bare.git" / "refs") is NoWorkspace.BARE
    assert refused(tmp_path / "gone") is NoWorkspace.GONE
    assert refused(Path("shop")) is NoWorkspace.GONE
    assert refused(Path("/no\0where")) is NoWorkspace.GONE
    git(shop, "config", "core.bare", "true")
    assert refused(shop) is NoWorkspace.BARE
    (tmp_path / "plain").mkdir()
    with pytest.raises(WorkspaceRefused) as error:
        repository_at(tmp_path / "plain")
    assert error.value.code is NoWorkspace.NO_REPOSITORY


def test_worktrees_of_a_repository_and_of_a_bare_one_are_their_own(tmp_path: Path, shop: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "fix"))
    git(tmp_path, "clone", "-q", "--bare", str(shop), "hub/.bare")
    git(tmp_path / "hub" / ".bare", "worktree", "add", "-q", str(tmp_path / "hub" / "main"), "main")
    assert repository_at(tmp_path / "fix").common == shop / ".git"
    assert repository_at(tmp_path / "hub" / "main").common == tmp_path / "hub" / ".bare"
    write(tmp_path / "hub", {".git": "gitdir: ./.bare\n"})
    assert refused(tmp_path / "hub") is NoWorkspace.BARE


def test_a_git_that_leads_to_somebody_elses_repository_is_refused(tmp_path: Path, shop: Path) -> None:
    for name in ("pointer", "link", "loop", "borrowed", "linked", "pack", "worktree"):
        (tmp_path / name).mkdir()
    write(tmp_path / "pointer", {".git": f"gitdir: {shop}/.git\n"})
    (tmp_path / "link" / ".git").symlink_to(shop / ".git")
    for name in ("borrowed", "linked", "pack"):
        git(tmp_path / name, "init", "-q")
    write(tmp_path / "borrowed", {".git/objects/info/alternates": f"{shop}/.git/objects\n"})
    (tmp_path / "linked" / ".git" / "objects").rename(tmp_path / "unused")
    (tmp_path / "linked" / ".git" / "objects").symlink_to(shop / ".git" / "objects")
    (tmp_path / "pack" / ".git" / "objects" / "ab").symlink_to(shop / ".git" / "objects")
    fake = {"HEAD": "ref: refs/heads/main\n", "commondir": f"{shop}/.git\n", "gitdir": f"{tmp_path}/worktree/.git\n"}
    write(tmp_path / "worktree" / "fake", fake)
    write(tmp_path / "worktree", {".git": "gitdir: fake\n"})
    for name in ("pointer", "link", "borrowed", "linked", "pack", "worktree"):
        assert refused(tmp_path / name) is NoWorkspace.NOT_OWN, name


@pytest.mark.parametrize("text", ["", "gitdir: nowhere\n", "gitdir: .git\n", "\xff", "gitdir: " + "x/" * 9000])
def test_a_broken_pointer_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert refused(tmp_path) in {NoWorkspace.UNREADABLE, NoWorkspace.NOT_OWN}


def test_a_pipe_where_git_keeps_a_file_does_not_block(tmp_path: Path, shop: Path) -> None:
    (shop / ".git" / "config").unlink()
    os.mkfifo(shop / ".git" / "config")
    repository_at(shop)
    os.mkfifo(tmp_path / ".git")
    assert refused(tmp_path) is NoWorkspace.NOT_OWN
    (shop / ".git" / "objects" / "00").mkdir(exist_ok=True)
    os.mkfifo(shop / ".git" / "objects" / "00" / ("1" * 38))
    assert refused(shop) is NoWorkspace.NOT_OWN


def test_the_home_folder_is_no_workspace(monkeypatch: pytest.MonkeyPatch, shop: Path) -> None:
    monkeypatch.setenv("HOME", str(shop))
    assert refused(shop / "src") is NoWorkspace.HOME_FOLDER
