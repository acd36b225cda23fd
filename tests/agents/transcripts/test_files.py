"""Finding session files."""

import errno
import os
from pathlib import Path

import pytest

from skillopt_sleep.agents.transcripts.files import NO_STAMP, find_sessions, read_each
from skillopt_sleep.records import Reading, Stamp

PATH_MAX = 4096  # of Linux, the longest there is


def test_session_files_are_found_at_any_depth_with_their_stamps(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c.jsonl"
    deep.parent.mkdir(parents=True)
    deep.write_bytes(b"12345")
    (tmp_path / "top.jsonl").write_bytes(b"")
    (tmp_path / "a" / "notes.txt").write_bytes(b"x")
    found = dict(find_sessions(str(tmp_path)))
    assert found.keys() == {str(deep), str(tmp_path / "top.jsonl")}
    info = deep.stat()
    assert found[str(deep)] == (info.st_ino, 5, info.st_mtime_ns)
    assert found[str(deep)].size == 5


def test_links_and_pipes_are_passed_over_and_a_folder_named_like_a_file_is_entered(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").write_bytes(b"1")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "odd.jsonl").mkdir()
    (tmp_path / "odd.jsonl" / "in.jsonl").write_bytes(b"2")
    found = {Path(path).name for path, _ in find_sessions(str(tmp_path))}
    assert found == {"real.jsonl", "in.jsonl"}


def test_a_folder_that_is_not_there_or_is_none_holds_nothing_and_is_not_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    unlisted: dict[str, str] = {}
    for name in ("nowhere", "file"):
        assert list(find_sessions(str(tmp_path / name), unlisted.setdefault)) == []
    assert unlisted == {}


def test_a_folder_that_is_a_link_to_itself_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    unlisted: dict[str, str] = {}
    assert list(find_sessions(str(tmp_path / "loop"), unlisted.setdefault)) == []
    assert unlisted == {str(tmp_path / "loop"): os.strerror(errno.ELOOP)}


def test_a_folder_whose_path_is_too_long_is_told_of_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "a.jsonl").write_bytes(b"1")
    name = "x" * 200
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(PATH_MAX // len(name) + 1):
        os.mkdir(name, dir_fd=handle)
        outer, handle = handle, os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(outer)
    os.close(handle)
    unlisted: dict[str, str] = {}
    found = list(find_sessions(str(tmp_path), unlisted.setdefault))
    assert [path for path, _ in found] == [str(tmp_path / "open" / "a.jsonl")]
    ((folder, reason),) = unlisted.items()
    assert folder.startswith(str(tmp_path / name))
    assert reason == os.strerror(errno.ENAMETOOLONG)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read whatever the mode says")
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_folder_that_may_not_be_entered_is_told_of_once(mode: int, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    for name in ("a", "b"):
        (closed / f"{name}.jsonl").write_bytes(b"1")
    unlisted: dict[str, str] = {}
    closed.chmod(mode)
    try:
        assert list(find_sessions(str(tmp_path), unlisted.setdefault)) == []
    finally:
        closed.chmod(0o700)
    assert list(unlisted) == [str(closed)]


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.jsonl").write_bytes(b"1")
    (tmp_path / "link").symlink_to(real)
    assert [path for path, _ in find_sessions(str(tmp_path / "link"))] == [str(tmp_path / "link" / "a.jsonl")]


def odd(path: str) -> tuple[Stamp, Reading]:
    if path == "/odd":
        raise ValueError("a\x1b[31mb")
    return NO_STAMP, Reading()


def test_whatever_goes_wrong_in_one_file_the_others_are_read() -> None:
    found = {path: reading.unreadable for path, _, reading in read_each(["/a", "/odd", "/b"], odd)}
    assert (found["/a"], found["/b"]) == ("", "")
    assert found["/odd"].startswith("/odd: a bug: ValueError")
