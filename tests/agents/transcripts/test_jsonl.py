"""Reading lines while their file may still grow."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.agents.transcripts.jsonl import LONGEST_LINE, Records

PIECE = 4 * 1024 * 1024


def lines_of(path: Path) -> tuple[list[bytes], int]:
    lines = Records(str(path), bytes.strip)
    return list(lines), lines.damaged


def test_every_line_comes_once_and_blank_ones_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n\ntwo\nthree")
    assert lines_of(path) == ([b"one", b"two", b"three"], 0)


def test_lines_longer_than_a_piece_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    long = b"x" * (PIECE + 17)
    path.write_bytes(b"a\n" + long + b"\nb\n" + long + b"\n" + b"c" * (2 * PIECE) + b"\n" + long)
    assert lines_of(path) == ([b"a", long, b"b", long, b"c" * (2 * PIECE), long], 0)


@pytest.mark.parametrize("ending", [b"\n", b""])
def test_a_line_that_is_too_long_is_passed_over_and_counted(tmp_path: Path, ending: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"a\n" + b"x" * (LONGEST_LINE + 1) + b"\nb\n" + b"y" * (LONGEST_LINE + PIECE + 1) + ending)
    assert lines_of(path) == ([b"a", b"b"], 2)


def test_a_file_is_read_only_as_far_as_it_went_when_it_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    lines = Records(str(path), bytes.strip)
    with path.open("ab") as file:
        file.write(b"three\n")
    assert list(lines) == [b"one", b"two"]
    assert lines.stamp.size == 8


def test_a_file_that_was_cut_short_meanwhile_just_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    lines = Records(str(path), bytes.strip)
    path.write_bytes(b"one\n")
    assert list(lines) == [b"one"]


def test_links_pipes_and_folders_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").write_bytes(b"one\n")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("link.jsonl", "pipe.jsonl", "."):
        with pytest.raises(OSError, match=r"not a regular file|symbolic links|directory"):
            Records(str(tmp_path / name), bytes.strip)
