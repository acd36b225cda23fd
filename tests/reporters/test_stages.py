"""A night's folder is read a line at a time, whatever is wrong with it."""

from pathlib import Path

import msgspec

from skillopt_sleep.reporters.stages import head, rows


class Named(msgspec.Struct):
    """A row of which only the name is read."""

    name: str


def test_only_the_named_fields_of_each_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "stage.jsonl"
    path.write_bytes(b'{"name": "a", "much": [1, 2]}\n{"name": "b"}\n')
    assert [row.name for row in rows(path, Named)] == ["a", "b"]


def test_without_the_file_there_are_no_rows(tmp_path: Path) -> None:
    assert list(rows(tmp_path / "stage.jsonl", Named)) == []


def test_lines_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "stage.jsonl"
    path.write_bytes(b'{"name": "a"}\n{"name": \xff}\n{"name": 3}\n[]\n{"na')
    assert [row.name for row in rows(path, Named)] == ["a"]


def test_a_head_says_that_there_is_more() -> None:
    assert (head("abc", 3), head("abcd", 3)) == ("abc", "ab…")
