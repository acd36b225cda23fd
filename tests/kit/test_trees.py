"""A folder is removed whatever is in it, and nothing outside is touched."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.kit.trees import remove_tree


def test_locked_folders_odd_names_links_and_pipes_go_and_what_links_lead_to_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "in").mkdir(parents=True)
    (outside / "file").write_text("1")
    (outside / "in").chmod(0o500)
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    for name in (b"new\nline", b"\xff", b"-rf", b"0.removed"):
        os.mkdir(os.path.join(os.fsencode(top), b"a", name))  # noqa: PTH102, PTH118
    (top / "a" / "to-folder").symlink_to(outside)
    (top / "to-file").symlink_to(outside / "file")
    os.mkfifo(top / "a" / "b" / "pipe")
    (top / "a" / "b").chmod(0)
    (top / "a").chmod(0)
    assert remove_tree(top)
    assert not top.exists()
    assert (outside / "file").read_text() == "1"
    assert (outside / "in").stat().st_mode & 0o777 == 0o500


def test_a_folder_deeper_than_any_path_goes(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    at = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    assert remove_tree(tmp_path / "top")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "file", "nothing"])
def test_what_is_no_folder_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "link":
        path.symlink_to(tmp_path)
    elif kind == "file":
        path.touch()
    assert remove_tree(path) is (kind == "nothing")
    assert os.path.lexists(path) is (kind != "nothing")
