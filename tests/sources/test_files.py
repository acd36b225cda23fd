"""Finding session files."""

import os
from pathlib import Path

from skillopt_sleep.sources.files import find_sessions


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


def test_a_folder_that_is_not_there_or_may_not_be_entered_holds_nothing(tmp_path: Path) -> None:
    assert list(find_sessions(str(tmp_path / "nowhere"))) == []
    (tmp_path / "file").write_bytes(b"")
    assert list(find_sessions(str(tmp_path / "file"))) == []


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.jsonl").write_bytes(b"1")
    (tmp_path / "link").symlink_to(real)
    assert [path for path, _ in find_sessions(str(tmp_path / "link"))] == [str(tmp_path / "link" / "a.jsonl")]
