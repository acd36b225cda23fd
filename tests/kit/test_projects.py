"""Which project a folder belongs to."""

import os
import subprocess
from pathlib import Path

import pytest

from skillopt_sleep.kit.projects import is_excluded, project_root


@pytest.fixture(autouse=True)
def _fresh() -> None:
    project_root.cache_clear()


def git(folder: Path, *arguments: str) -> None:
    """Run the genuine git, without anything of this machine's settings."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **who}
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


def a_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_folder_belongs_to_the_nearest_repository_above_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "packages" / "shop"
    (inner / "src").mkdir(parents=True)
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert project_root(str(inner / "src")) == str(inner)
    assert project_root(str(tmp_path / "packages")) == str(tmp_path)


def test_a_folder_without_a_repository_is_its_own_project(tmp_path: Path) -> None:
    assert project_root(str(tmp_path)) == str(tmp_path)


def test_a_folder_that_is_gone_is_returned_as_it_is() -> None:
    assert project_root("/home/nobody/gone/app") == "/home/nobody/gone/app"
    assert project_root("") == ""
    assert project_root("/home/no\0body") == "/home/no\0body"


def test_a_worktree_belongs_to_the_repository_it_was_made_from(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    git(shop, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "fix"))
    git(shop, "worktree", "add", "-q", ".agents/feature")
    (tmp_path / "elsewhere" / "fix" / "src").mkdir()
    for inside in (tmp_path / "elsewhere" / "fix" / "src", shop / ".agents" / "feature", shop):
        assert project_root(str(inside)) == str(shop)


def test_a_worktree_whose_paths_are_relative_belongs_to_its_repository(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    git(shop, "worktree", "add", "-q", "../fix")
    (tmp_path / "fix" / ".git").write_text("gitdir: ../shop/.git/worktrees/fix\n")
    (shop / ".git" / "worktrees" / "fix" / "gitdir").write_text("../../../../fix/.git\n")
    assert project_root(str(tmp_path / "fix")) == str(shop)


def test_a_worktree_in_the_repository_that_is_gone_belongs_to_it_still(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    assert project_root(str(shop / ".agents" / "gone")) == str(shop)


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    part = a_repository(tmp_path / "part")
    whole = a_repository(tmp_path / "whole")
    git(whole, "submodule", "add", "-q", str(part), "libs/part")
    assert (whole / "libs" / "part" / ".git").is_file()
    assert project_root(str(whole / "libs" / "part")) == str(whole / "libs" / "part")


def test_a_worktree_of_a_bare_repository_is_a_project_of_its_own(tmp_path: Path) -> None:
    a_repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", "shop", "shop.git")
    git(tmp_path / "shop.git", "worktree", "add", "-q", str(tmp_path / "fix"), "HEAD")
    assert project_root(str(tmp_path / "fix")) == str(tmp_path / "fix")


def test_a_folder_that_only_claims_to_be_a_worktree_is_not_believed(tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "shop")
    git(shop, "worktree", "add", "-q", "../fix")
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for name in ("fix", "none"):
        (stranger / ".git").write_text(f"gitdir: {shop}/.git/worktrees/{name}\n")
        project_root.cache_clear()
        assert project_root(str(stranger)) == str(stranger)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir:",
        b"gitdir: \0/.git/worktrees/x\n",
        b"gitdir: \xff\xfe/.git/worktrees/x\n",
        b"gitdir: " + b"../" * 100_000 + b".git/worktrees/x",
        b"gitdir: " + b"a" * 5_000 + b"/.git/worktrees/x",
        b"gitdir: .git/worktrees/x\n",
        b"gitdir: /dev/.git/worktrees/zero\n",
        b"\x7fELF" * 1_000_000,
    ],
    ids=["empty", "no path", "null", "no UTF-8", "huge", "long name", "itself", "device", "binary"],
)
def test_a_broken_git_file_makes_its_folder_a_project(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert project_root(str(tmp_path)) == str(tmp_path)


def test_links_in_a_circle_and_pipes_are_not_waited_for(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.mkdir()
    (loop / ".git").symlink_to(".git")
    pipe = tmp_path / "pipe"
    pipe.mkdir()
    os.mkfifo(pipe / ".git")
    pointing = tmp_path / "pointing"
    (pointing / "x" / ".git" / "worktrees" / "w").mkdir(parents=True)
    (pointing / ".git").write_text("gitdir: x/.git/worktrees/w\n")
    (pointing / "x" / ".git" / "worktrees" / "w" / "gitdir").symlink_to("gitdir")
    waiting = tmp_path / "waiting"
    (waiting / "x" / ".git" / "worktrees" / "w").mkdir(parents=True)
    (waiting / ".git").write_text("gitdir: x/.git/worktrees/w\n")
    os.mkfifo(waiting / "x" / ".git" / "worktrees" / "w" / "gitdir")
    for folder in (loop, pipe, pointing, waiting):
        assert project_root(str(folder)) == str(folder)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/home/ada/secret", "/home/ada/secret"),
        ("/home/ada/secret", "/home/ada/secret/"),
        ("/home/ada/secret/deep/below", "/home/ada/secret"),
        ("/home/ada/work/client-x/api", "/home/ada/*/client-x"),
        ("/home/ada/client-x", "/home/ada/client-?"),
        ("/home/ada/anything", "*"),
        ("/home/ada/site/[slug]", "/home/ada/site/[slug]"),
        ("/home/ada/site/[slug]/page", "/home/ada/site/[slug]"),
    ],
)
def test_a_folder_and_what_is_below_it_is_left_out(path: str, pattern: str) -> None:
    assert is_excluded(path, ("/somewhere/else", pattern))


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/home/ada/secrets", "/home/ada/secret"),
        ("/home/ada", "/home/ada/secret"),
        ("/home/ada/Secret", "/home/ada/secret"),
        ("", "*"),
    ],
)
def test_another_folder_is_not(path: str, pattern: str) -> None:
    assert not is_excluded(path, (pattern,))


def test_the_home_folder_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert is_excluded(str(tmp_path / "private" / "notes"), ("~/private",))
    assert not is_excluded(str(tmp_path / "public"), ("~/private",))


def test_without_patterns_nothing_is_left_out() -> None:
    assert not is_excluded("/home/ada", ())


def test_a_folder_is_the_same_by_its_links(tmp_path: Path) -> None:
    (tmp_path / "data" / "secret").mkdir(parents=True)
    (tmp_path / "work").symlink_to(tmp_path / "data")
    real, linked = str(tmp_path / "data" / "secret"), str(tmp_path / "work" / "secret")

    assert is_excluded(real, [linked])
    assert is_excluded(f"{real}/deep", [linked])
    assert is_excluded(linked, [real])
    assert is_excluded(linked, [str(tmp_path / "data" / "s*")])
    assert not is_excluded(str(tmp_path / "data" / "open"), [linked])


def test_a_folder_is_the_same_however_its_name_is_spelled() -> None:
    assert is_excluded("/home/x/cafe\u0301", ["/home/x/caf\u00e9"])
    assert is_excluded("/home/x/caf\u00e9", ["cafe\u0301"])
    assert is_excluded("/home/x/other/../secret", ["/home/x/secret"])
    assert not is_excluded("/home/x/secret/../other", ["/home/x/secret"])


def test_a_pattern_that_no_path_can_be_excludes_nothing() -> None:
    assert not is_excluded("/work/shop", ["/work/\0", "\0"])
    assert not is_excluded("/work/\0shop", ["/work/shop"])


@pytest.mark.parametrize("pattern", ["~nobody-of-this-name/*", "~nobody-of-this-name", "[", "\ud800", "x" * 5_000])
def test_a_pattern_may_be_any_text(pattern: str) -> None:
    assert not is_excluded("/work/shop", [pattern])


@pytest.mark.parametrize("path", ["/proc/1/root/shop", "/work/\ud800shop"])
def test_a_folder_that_cannot_be_looked_at_is_what_its_name_says(path: str) -> None:
    assert is_excluded(path, [path.rpartition("/")[0]])
    assert not is_excluded(path, ["/elsewhere"])
