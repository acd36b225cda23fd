"""A whole copy shares nothing with what it was taken from."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.replay.workspaces import Limits, WorkspaceRefused
from skillopt_sleep.replay.workspaces.whole import copy_base, copy_left
from tests.replay.workspaces.repositories import write


@pytest.mark.parametrize("copy", [copy_base, copy_left])
def test_a_copy_has_the_bytes_modes_times_and_links_and_no_inode_in_common(tmp_path: Path, copy: object) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    write(source, {"a": "1", "d/b": b"\xff\x00", "d/-rf": "2"})
    (source / "a").chmod(0o755)
    os.utime(source / "a", (1, 1))
    (source / "in").symlink_to("d/b")
    (source / "twin").hardlink_to(source / "a")
    if copy is copy_left:
        target.mkdir()
        copy_left(source, target, Limits())
    else:
        copy_base(source, target, Limits())
    assert sorted(path.name for path in target.rglob("*")) == sorted(path.name for path in source.rglob("*"))
    assert (target / "d" / "b").read_bytes() == b"\xff\x00"
    info = (target / "a").stat()
    assert (info.st_mode & 0o777, info.st_mtime) == (0o755, 1)
    assert (target / "in").readlink() == Path("d/b")
    ours = {path.lstat().st_ino for path in source.rglob("*")}
    assert not ours & {path.lstat().st_ino for path in target.rglob("*")}


def test_what_was_left_is_copied_without_pipes_and_within_bounds(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    write(source, {"locked/a": "1", "b": "22222"})
    os.mkfifo(source / "pipe")
    (source / "b").chmod(0)
    (source / "locked").chmod(0)
    target.mkdir()
    copy_left(source, target, Limits())
    assert sorted(path.name for path in target.rglob("*")) == ["a", "b", "locked"]
    for limits in (Limits(files=0), Limits(size=1)):
        with pytest.raises(WorkspaceRefused):
            copy_left(source, tmp_path / "more", limits)


def test_a_file_of_nothing_but_its_length_takes_no_room_in_a_copy_either(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    target.mkdir()
    with (source / "hole").open("wb") as file:
        file.write(b"begin")
        file.truncate(64 * 1024**2)
        file.seek(32 * 1024**2)
        file.write(b"middle")
    copy_left(source, target, Limits())
    assert (target / "hole").read_bytes() == (source / "hole").read_bytes()
    assert (target / "hole").stat().st_blocks * 512 < 8 * 1024**2
