import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.envs import documents as library
from skillopt_sleep.trainer.envs.documents import Library


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    folder = tmp_path / "shelf"
    (folder / "old").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("the key", encoding="utf-8")
    (folder / "a.txt").write_text("Receipts 10\nExpenses 7\nreceipts 12\n", encoding="utf-8")
    (folder / "old" / "b.md").write_text("\n".join(f"line {n}" for n in range(1, 301)), encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    return Library(folder)


def _use(shelf: Library, **call: Any) -> str:
    return shelf.use(json.dumps(call))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", "a.txt\nold/b.md"),
        ("*.md", "old/b.md"),
        ("**/*.md", "old/b.md"),
        ("old/*", "old/b.md"),
        ("", "a.txt\nold/b.md"),
        ("**", "a.txt\nold/b.md"),
    ],
)
def test_documents_are_found_by_the_form_of_their_path(shelf: Library, pattern: str, found: str) -> None:
    assert _use(shelf, tool="glob", pattern=pattern) == found


def test_lines_are_found_by_a_pattern(shelf: Library) -> None:
    assert _use(shelf, tool="grep", pattern="receipts") == "a.txt:1: Receipts 10\na.txt:3: receipts 12"
    assert _use(shelf, tool="grep", pattern="^line 30$", files="*.md") == "old/b.md:30: line 30"
    assert _use(shelf, tool="grep", pattern=r"^expenses \d+$", files="*.md") == "Nothing matches."
    assert _use(shelf, tool="grep", pattern=r"^expenses \d+$") == "a.txt:2: Expenses 7"


def test_only_so_many_hits_are_shown(shelf: Library) -> None:
    said = _use(shelf, tool="grep", pattern="line")
    assert len(said) <= library.SHOWN_CHARS + len(library.CUT)
    assert said.endswith(f"\n{library.CUT}")


def test_a_document_is_read_by_lines(shelf: Library) -> None:
    said = _use(shelf, tool="read", file="old/b.md", line=290).splitlines()
    assert said[:2] == ["old/b.md has 300 lines.", "290: line 290"]
    assert said[-1] == "300: line 300"
    assert "\n1: Receipts 10" in _use(shelf, tool="read", file="./a.txt", line=-5)
    assert _use(shelf, tool="read", file="a.txt", line=4) == "a.txt has 3 lines."


@pytest.mark.parametrize(
    "file", ["out.txt", "../secret.txt", "/etc/passwd", "old/../../secret.txt", "", "picture.png"]
)
def test_nothing_outside_the_folder_can_be_read(shelf: Library, file: str) -> None:
    assert _use(shelf, tool="read", file=file).startswith("There is no document")
    assert "secret" not in _use(shelf, tool="glob", pattern="../*")
    assert _use(shelf, tool="grep", pattern="the key") == "Nothing matches."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("read a.txt", "can't be done: JSON is malformed"),
        ('{"tool": "write", "file": "a.txt"}', "'write'"),
        ('{"tool": "read", "name": "a.txt"}', "unknown field `name`"),
        ('{"tool": "grep", "pattern": "("}', "missing )"),
    ],
)
def test_an_impossible_call_is_answered_in_words(shelf: Library, text: str, said: str) -> None:
    assert said in shelf.use(text)


def test_a_pattern_that_never_ends_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 5_000, encoding="utf-8")
    assert "too long" in _use(Library(tmp_path), tool="grep", pattern="(a+a+)+b(a|aa)+$")


def test_what_is_shown_fits_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(["x" * 900] * 200), encoding="utf-8")
    for call in ({"tool": "read", "file": "a.txt"}, {"tool": "grep", "pattern": "x"}):
        assert len(_use(Library(tmp_path), **call)) <= library.SHOWN_CHARS + len(library.CUT)


def test_another_content_is_another_digest(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one", encoding="utf-8")
    before = Library(tmp_path).digest()
    assert Library(tmp_path).digest() == before
    (tmp_path / "a.txt").write_text("two", encoding="utf-8")
    assert Library(tmp_path).digest() != before


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no text document"):
        Library(tmp_path / "gone")


@pytest.mark.parametrize(
    "text", ['{"tool": "grep", "pattern": "' + "(" * 3000 + '"}', '{"tool": "glob\ud800"}', "[" * 100_000]
)
def test_no_call_of_a_tool_ends_a_training(shelf: Library, text: str) -> None:
    assert shelf.use(text).startswith("That ")
