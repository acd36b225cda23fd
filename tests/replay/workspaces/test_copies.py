"""A copy is thrown away, and takes the text on trial where it is wanted and nowhere else."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces import Base, WorkspaceRefused
from skillopt_sleep.replay.workspaces.bases import MOST_COPIED
from skillopt_sleep.replay.workspaces.copies import shares_blocks
from tests.replay.workspaces.repositories import act, base_of, commit, repository, state


@pytest.fixture
def base(tmp_path: Path, layers: bool) -> Base:
    root = tmp_path / "shop"
    files = {"a.py": "one\n", "src/b.py": "two\n", "AGENTS.md": "old\n", "docs/guide.md": "text\n"}
    repository(root, files)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "manual").symlink_to("docs")
    name = commit(root, {})
    (root / "node_modules" / "left-pad").mkdir(parents=True)
    (root / "package.json").touch()
    return base_of(tmp_path, root, name, layers=layers)


def test_what_is_done_in_a_copy_stays_there_and_goes_with_it(base: Base) -> None:
    before = state(base.path), state(base.root)
    with base.copy() as copy:
        act(copy, "sh", "-c", "echo more >> a.py; rm -r src; mkdir -p new/deep; echo x > new/deep/c; chmod 000 new")
        place = copy.tree.upper.parent
        assert copy.changes().files == ("a.py", "new/deep/c", "src/b.py")
    assert not place.exists()
    assert (state(base.path), state(base.root)) == before


def test_copies_of_one_base_do_not_know_one_another(base: Base) -> None:
    with base.copy() as one, base.copy() as two:
        act(one, "sh", "-c", "echo one > a.py")
        assert act(two, "cat", "a.py") == "one\n"
        act(two, "sh", "-c", "echo two > a.py")
        assert "+two" in two.changes().diff


@pytest.mark.parametrize("name", ["AGENTS.md", ".claude/skills/shop/SKILL.md", "docs/CLAUDE.md"])
def test_the_document_is_there_and_is_no_change_and_git_says_nothing_of_it(base: Base, name: str) -> None:
    with base.copy() as copy:
        copy.write(name, b"the text on trial\n")
        assert act(copy, "cat", name) == "the text on trial\n"
        assert act(copy, "git", "status", "--porcelain") == ""
        act(copy, "sh", "-c", f"echo more >> {name}; echo two > a.py")
        assert act(copy, "git", "status", "--porcelain") == " M a.py\n"
        assert copy.changes().files == ("a.py",)
        assert "trial" not in copy.changes().diff


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "/etc/x",
        "../x",
        "a/../../x",
        ".git/config",
        ".GIT/hooks/x",
        "CLAUDE.md",
        "manual/x",
        "a.py/x",
        "src",
        "x\0y",
    ],
)
def test_a_document_goes_nowhere_else(base: Base, name: str) -> None:
    with base.copy() as copy:
        before = state(copy.tree.upper)
        with pytest.raises(WorkspaceRefused) as refused:
            copy.write(name, b"x")
        assert refused.value.code is NoWorkspace.UNSAFE_PATH
        assert state(copy.tree.upper) == before


def test_a_folder_of_dependencies_has_a_place_to_stand_that_is_no_change(base: Base) -> None:
    with base.copy() as copy:
        assert act(copy, "ls", "node_modules") == ""
        act(copy, "sh", "-c", "touch node_modules/x")
        assert copy.changes().files == ()


def test_the_agent_can_commit_in_its_copy(base: Base) -> None:
    with base.copy() as copy:
        act(copy, "sh", "-c", "echo two > a.py; git add a.py && git commit -qm two", HOME="/nonexistent")
        assert act(copy, "git", "log", "--format=%s") == "two\nThe project\n"
        assert copy.changes().files == ("a.py",)


@pytest.mark.parametrize(
    "left",
    [
        "rm -rf .git; ln -s {} .git",
        "rm -rf .git/info; mkdir -p .git; ln -s {} .git/info",
        "rm -f .git/index; ln -s {}/index .git/index",
    ],
)
@pytest.mark.parametrize("name", ["tests/new.py", "a.py"])
def test_no_link_that_an_attempt_left_leads_a_given_test_out(
    base: Base, tmp_path: Path, left: str, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with base.copy() as copy:
        act(copy, "sh", "-c", left.format(outside))
        copy.changes()
        copy.overwrite(name, b"the test\n")
        assert act(copy, "cat", name) == "the test\n"
    assert list(outside.iterdir()) == []


def test_a_pipe_that_an_attempt_left_holds_nothing_up(base: Base) -> None:
    with base.copy() as copy:
        act(
            copy,
            "sh",
            "-c",
            "rm -f .git/info/exclude .git/index; mkdir -p .git/info; mkfifo .git/info/exclude .git/index",
        )
        copy.changes()
        copy.overwrite("tests/new.py", b"the test\n")
        assert act(copy, "cat", "tests/new.py") == "the test\n"


@pytest.mark.parametrize(
    "left",
    [
        "rm -r docs",
        "rm docs/guide.md",
        "rm -r docs; echo f > docs",
        "rm -r docs; ln -s {} docs",
        "rm docs/guide.md; ln -s {}/x docs/guide.md",
        "rm docs/guide.md; mkdir -p docs/guide.md/deep",
        "rm docs/guide.md; mkfifo docs/guide.md",
        "chmod 000 docs/guide.md docs",
    ],
)
def test_a_given_test_stands_where_it_belongs_whatever_an_attempt_left_there(
    base: Base, tmp_path: Path, left: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with base.copy() as copy:
        act(copy, "sh", "-c", f"echo other > docs/other.md; {left.format(outside)}")
        has_other = "other" in act(copy, "sh", "-c", "chmod -R u+rwX docs; cat docs/other.md; true")
        copy.changes()
        copy.overwrite("docs/guide.md", b"the test\n")
        assert act(copy, "cat", "docs/guide.md") == "the test\n"
        assert act(copy, "sh", "-c", "ls docs | wc -l").strip() == ("2" if has_other else "1")
    assert list(outside.iterdir()) == []


def test_a_whole_copy_has_the_bytes_modes_times_and_links_and_no_inode_in_common(base: Base) -> None:
    (base.path / "a.py").chmod(0o755)
    os.utime(base.path / "a.py", (1, 1))
    (base.path / "twin").hardlink_to(base.path / "a.py")
    with (base.path / "hole").open("wb") as file:
        file.truncate(64 * 1024**2)
        file.write(b"begin")
    with replace(base, layers=False).copy() as copy:
        upper = copy.tree.upper
        names = {path.relative_to(base.path) for path in base.path.rglob("*")}
        assert {path.relative_to(upper) for path in upper.rglob("*")} == names | {Path("node_modules")}
        info = (upper / "a.py").stat()
        assert (info.st_mode & 0o777, info.st_mtime) == (0o755, 1)
        assert (upper / "manual").readlink() == Path("docs")
        assert (upper / "hole").stat().st_blocks * 512 < 8 * 1024**2
        assert {path.lstat().st_ino for path in upper.rglob("*")}.isdisjoint(
            path.lstat().st_ino for path in base.path.rglob("*")
        )


def test_a_large_repository_is_refused_where_each_file_would_have_to_be_copied(tmp_path: Path) -> None:
    if shares_blocks(tmp_path):
        pytest.skip("files share their blocks here, so that copies cost nothing")
    root = tmp_path / "large"
    name = repository(root, {f"{number % 100}/{number}": "x" for number in range(MOST_COPIED + 1)})
    with pytest.raises(WorkspaceRefused) as refused:
        base_of(tmp_path, root, name, layers=False)
    assert refused.value.code is NoWorkspace.TOO_LARGE
    assert "too large to copy here" in refused.value.message
    assert base_of(tmp_path, root, name, layers=True)
