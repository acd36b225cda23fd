"""A file that an adoption wrote is put back with its bytes and its attributes."""

import stat
import sys
from pathlib import Path

import pytest

from skillopt_sleep.errors import AdoptInterrupted
from skillopt_sleep.kit.attributes import attributes_of
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.written import Move, Written, put, put_back, sweep

OLD, NEW = b"old\n", b"old\nand new\n"


def a_file(path: Path, *, before: bytes | None) -> Written:
    attributes = attributes_of(path) if path.exists() else None
    return Written(
        path=str(path),
        target=str(path),
        existed=before is not None,
        attributes=attributes,
        before=digest(before),
        after=digest(NEW),
    )


def test_bytes_and_mode_come_back(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    file = a_file(path, before=OLD)
    path.write_bytes(NEW)
    path.chmod(0o600)
    assert file.now == file.after

    put_back(file, OLD)

    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (OLD, 0o640)
    assert file.now == file.before


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    file = a_file(path, before=None)
    path.write_bytes(NEW)

    put_back(file, None)

    assert not path.exists()
    assert file.now == file.before == ""


def test_bytes_that_are_not_those_of_before_are_told(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(OLD)
    with pytest.raises(AdoptInterrupted, match="changed while"):
        put_back(a_file(path, before=OLD), NEW)


def test_only_the_beginnings_of_its_texts_are_swept(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(OLD)
    ours, others = tmp_path / ".CLAUDE.md.abcdefgh", tmp_path / ".CLAUDE.md.abcdefg1"
    ours.write_bytes(NEW[:6])
    others.write_bytes(b"mine")

    sweep(a_file(path, before=OLD), [OLD, NEW])

    assert {entry.name for entry in tmp_path.iterdir()} == {"CLAUDE.md", others.name}


def test_what_is_written_between_our_look_and_our_write_stays(tmp_path: Path) -> None:
    """Another program appends a line while we write; the disk is slow."""
    first, second = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    for path in (first, second):
        path.write_bytes(OLD)
    moves = [Move(str(path), path, OLD, NEW, attributes_of(path), attributes_of(path)) for path in (first, second)]
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
