import os
import stat
import tempfile
from pathlib import Path

import pytest

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.proposals.paths import read_live, writable
from tests.attributes import as_stranger, needs_root, open_to_strangers


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def refused(path: Path, root: Path) -> str:
    with pytest.raises(UnsafePath) as caught:
        writable(path, root=root)
    assert str(path) in caught.value.message
    assert caught.value.remedy
    return caught.value.message


def test_a_plain_file_and_one_that_does_not_exist_yet_may_be_written(root: Path) -> None:
    file = root / "CLAUDE.md"
    assert writable(file, root=root) == file.resolve()
    file.write_text("a")
    assert writable(file, root=root) == file.resolve()
    new = root / ".claude" / "rules" / "a.md"
    assert writable(new, root=root) == new.resolve()


def test_a_link_inside_of_the_root_leads_to_its_file(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "rules.md").write_text("a")
    (root / "CLAUDE.md").symlink_to("docs/rules.md")
    assert writable(root / "CLAUDE.md", root=root) == (root / "docs" / "rules.md").resolve()


def test_a_root_that_is_a_link_itself_is_fine(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    (root / "CLAUDE.md").write_text("a")
    assert writable(tmp_path / "alias" / "CLAUDE.md", root=tmp_path / "alias") == (root / "CLAUDE.md").resolve()


def test_a_link_out_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("a")
    (root / "CLAUDE.md").symlink_to(tmp_path / "secret.md")
    assert "outside" in refused(root / "CLAUDE.md", root)
    (tmp_path / "elsewhere").mkdir()
    (root / ".claude").symlink_to(tmp_path / "elsewhere")
    assert "outside" in refused(root / ".claude" / "rules" / "a.md", root)
    assert "outside" in refused(root / ".." / "secret.md", root)
    assert "outside" in refused(root, root)


def test_a_link_to_nothing_and_a_loop_are_refused(root: Path) -> None:
    (root / "CLAUDE.md").symlink_to("gone.md")
    assert "doesn't exist" in refused(root / "CLAUDE.md", root)
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    refused(root / "a", root)
    refused(root / "a" / "c.md", root)


def test_git_s_own_folder_is_refused(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("a")
    (root / "CLAUDE.md").symlink_to(".git/config")
    assert "git's own folder" in refused(root / "CLAUDE.md", root)


def test_a_folder_a_pipe_and_a_file_in_place_of_a_folder_are_refused(root: Path) -> None:
    (root / "CLAUDE.md").mkdir()
    assert "plain file" in refused(root / "CLAUDE.md", root)
    os.mkfifo(root / "AGENTS.md")
    assert "plain file" in refused(root / "AGENTS.md", root)
    (root / ".claude").write_text("a")
    refused(root / ".claude" / "rules" / "a.md", root)


def test_a_hard_linked_file_is_refused(root: Path) -> None:
    (root / "CLAUDE.md").write_text("a")
    (root / "copy.md").hardlink_to(root / "CLAUDE.md")
    assert "hard-linked" in refused(root / "CLAUDE.md", root)


def test_a_read_only_file_is_refused(root: Path) -> None:
    (root / "CLAUDE.md").write_text("a")
    (root / "CLAUDE.md").chmod(0o444)
    assert "read-only" in refused(root / "CLAUDE.md", root)


def test_a_relative_path_and_a_root_that_is_gone_are_refused(root: Path) -> None:
    with pytest.raises(UnsafePath, match="absolute"):
        writable(Path("CLAUDE.md"), root=root)
    with pytest.raises(UnsafePath, match=r"the folder .* is gone"):
        writable(root / "gone" / "CLAUDE.md", root=root / "gone")


def test_reading_never_waits_on_a_pipe(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(UnsafePath, match="plain file"):
        read_live(root / "pipe")
    assert read_live(root / "nothing") is None


def test_a_socket_or_device_is_refused(root: Path) -> None:
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    (root / "CLAUDE.md").symlink_to("/dev/null")
    refused(root / "CLAUDE.md", root)
    with pytest.raises(UnsafePath, match="plain file"):
        read_live(Path("/dev/null"))


@pytest.mark.timeout(60)
def test_a_live_file_is_read_up_to_a_mebibyte(root: Path) -> None:
    file = root / "CLAUDE.md"
    file.write_bytes(b"x" * (1 << 20))
    assert read_live(file) == b"x" * (1 << 20)
    file.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(UnsafePath, match=r"CLAUDE\.md.*larger than"):
        read_live(file)
    with file.open("wb") as sparse:
        sparse.truncate(3 << 30)
    with pytest.raises(UnsafePath, match="larger than"):
        read_live(file)


@needs_root
def test_a_file_that_would_lose_its_owner_is_refused_before_anything_is_spent_on_it() -> None:
    # Where strangers can come; pytest's own folders are its user's alone.
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "project" / "CLAUDE.md"
        file.parent.mkdir()
        file.write_text("theirs\n")
        open_to_strangers(Path(name))

        said = as_stranger(lambda: str(writable(file, root=file.parent)))

    assert "UnsafePath" in said
    assert "belongs to another user" in said
