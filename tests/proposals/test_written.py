"""A file that an adoption wrote is put back with its bytes and its attributes."""

import stat
import sys
from pathlib import Path

from skillopt_sleep.proposals.attributes import attributes_of
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.written import Move, diff, put, sweep

OLD, NEW = b"old\n", b"old\nand new\n"


def a_move(path: Path, *, before: bytes | None) -> Move:
    attributes = attributes_of(path) if path.exists() else None
    return Move(str(path), path, before, NEW, attributes)


def test_bytes_and_mode_come_back(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    move = a_move(path, before=OLD)
    path.write_bytes(NEW)
    path.chmod(0o600)

    move.take_back()

    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (OLD, 0o640)
    assert (move.record.before, move.record.after) == (digest(OLD), digest(NEW))


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    move = a_move(path, before=None)
    path.write_bytes(NEW)

    move.take_back()

    assert not path.exists()
    assert move.record.before == ""


def test_only_the_beginnings_of_its_texts_are_swept(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(OLD)
    ours, others = tmp_path / ".CLAUDE.md.abcdefgh", tmp_path / ".CLAUDE.md.abcdefg1"
    ours.write_bytes(NEW[:6])
    others.write_bytes(b"mine")

    sweep(a_move(path, before=OLD).record, [OLD, NEW])

    assert {entry.name for entry in tmp_path.iterdir()} == {"CLAUDE.md", others.name}


def test_what_is_written_between_our_look_and_our_write_stays(tmp_path: Path) -> None:
    """Another program appends a line while we write; the disk is slow."""
    first, second = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    for path in (first, second):
        path.write_bytes(OLD)
    moves = [Move(str(path), path, OLD, NEW, attributes_of(path)) for path in (first, second)]
    line = b"mine\n"
    left = [second]

    def append(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and left == [Path(str(arguments[1]))]:
            with left.pop().open("ab") as file:
                file.write(line)

    sys.addaudithook(append)  # for the rest of the process, so it does this once

    changed = put(moves)

    assert changed == str(second)
    assert (first.read_bytes(), second.read_bytes()) == (OLD, OLD + line)
    assert put([moves[0]]) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["AGENTS.md", "CLAUDE.md"]


def test_a_difference_shows_invisible_characters_and_a_missing_last_line_end() -> None:
    shown = diff("a.md", b"one\r\n", "one\ntwo\u200b".encode())
    assert "+two\\u{200B}" in shown
    assert "No newline at end of file" in shown
    assert "\r" not in shown


def test_a_file_that_comes_or_goes_is_dev_null() -> None:
    assert "--- /dev/null\n+++ b/a.md" in diff("a.md", None, b"one\n")
    assert "--- a/a.md\n+++ /dev/null" in diff("a.md", b"one\n", None)


def test_text_that_is_not_utf8_is_shown_too() -> None:
    assert "+two" in diff("a.md", b"caf\xe9\n", b"caf\xe9\ntwo\n")
