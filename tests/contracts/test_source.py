"""What every source promises."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.mining.tasks_file import TasksFile
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import Reading
from tests.sessions import Exchange, claude_session, codex_session

START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
TASKS = '[[task]]\nprompt = "x"\nreference = {kind = "exact", answer = "y"}\n'


class Made(NamedTuple):
    """A source over files on disk: one whole, one with garbage in it, one gone since it was named."""

    source: SessionSource
    whole: Path
    garbage: Path
    gone: Path


def a_claude_code(home: Path) -> Made:
    def write(name: str) -> Path:
        exchanges = [Exchange("fix it", "Fixed.")]
        return claude_session(home / "projects", cwd="/app", started=START, exchanges=exchanges, session_id=name)

    return Made(ClaudeCode(home), *(write(name) for name in ("whole", "garbage", "gone")))


def a_codex(home: Path) -> Made:
    def write(name: str) -> Path:
        exchanges = [Exchange("fix it", "Fixed.")]
        return codex_session(home, cwd="/app", started=START, exchanges=exchanges, session_id=name)

    return Made(Codex(home), *(write(name) for name in ("whole", "garbage", "gone")))


def a_tasks_file(home: Path) -> Made:
    paths = tuple(home / f"{name}.toml" for name in ("whole", "garbage", "gone"))
    for path in paths:
        path.write_text(TASKS)
    return Made(TasksFile(paths), *paths)


@pytest.fixture(params=[a_claude_code, a_codex, a_tasks_file], ids=["claude_code", "codex", "tasks_file"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    make: Callable[[Path], Made] = request.param
    made = make(tmp_path)
    made.garbage.write_bytes(b"\xff\x00 not what it should be [[\n" * 3)
    made.gone.unlink()
    return made


def read(made: Made) -> dict[str, Reading]:
    paths = [str(made.whole), str(made.garbage), str(made.gone)]
    return {path: reading for path, _, reading in made.source.read(paths)}


def test_every_file_that_is_asked_for_is_answered_once_and_in_order(made: Made) -> None:
    paths = [str(made.gone), str(made.whole), str(made.garbage)]
    assert [path for path, _, _ in made.source.read(paths)] == paths


def test_nothing_that_is_in_a_file_is_an_exception(made: Made) -> None:
    found = read(made)[str(made.garbage)]
    assert found.unreadable or found.sessions


def test_a_file_that_is_gone_is_unreadable_and_says_so_in_one_line(made: Made) -> None:
    found = read(made)[str(made.gone)]
    assert found.sessions == ()
    assert found.tasks == ()
    assert str(made.gone) in found.unreadable
    assert "\n" not in found.unreadable


def test_a_whole_file_holds_something_of_this_source(made: Made) -> None:
    found = read(made)[str(made.whole)]
    assert not found.unreadable
    owned = [session.source for session in found.sessions] + [task.source for task in found.tasks]
    assert owned == [made.source.name]
    assert all(session.id.startswith(f"{made.source.name}:") for session in found.sessions)
    assert all(task.session.startswith(f"{made.source.name}:") for task in found.tasks)


def test_the_stamp_of_a_file_that_was_read_is_the_one_that_is_listed(made: Made) -> None:
    listed = dict(made.source.stamps())
    for path, stamp, _ in made.source.read([str(made.whole)]):
        assert listed[path] == stamp
        assert stamp.size == made.whole.stat().st_size


def test_a_stamp_changes_with_the_file_and_only_then(made: Made) -> None:
    before = dict(made.source.stamps())[str(made.whole)]
    assert dict(made.source.stamps())[str(made.whole)] == before
    with made.whole.open("ab") as file:
        file.write(b"\n")
    assert dict(made.source.stamps())[str(made.whole)] != before


def test_reading_the_same_bytes_twice_gives_the_same(made: Made) -> None:
    assert read(made) == read(made)


def test_listing_opens_no_file(made: Made) -> None:
    made.whole.chmod(0)
    listed = dict(made.source.stamps())
    assert str(made.whole) in listed
    assert made.whole.stat().st_ino == listed[str(made.whole)].inode
