"""Why one session is used or left out."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.cli.harvest_shown import explained
from skillopt_sleep.night.account import SessionHistory
from skillopt_sleep.night.explain import explain, find
from skillopt_sleep.records import HalfRead, LeftOut, Reading, ToolEvent
from skillopt_sleep.settings import ProjectsSettings, Settings
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.wiring.history import excluded_by
from tests.builders import a_turn
from tests.night.test_account import NOW, RULES, Shelf, a_session, holding, opened, surveyed

HALF = HalfRead("9.9.9", ("human_input",), 3, 10)


@pytest.fixture
def opening() -> Iterator[tuple[sqlite3.Connection, SqliteIndex]]:
    connection, index = opened()
    yield connection, index
    connection.close()


@pytest.fixture
def index(opening: tuple[sqlite3.Connection, SqliteIndex]) -> SqliteIndex:
    return opening[1]


def a_history(index: SqliteIndex, *readings: Reading, **rules: Any) -> SessionHistory:
    shelf = Shelf("codex", {f"/sessions/{n}.jsonl": (1, reading) for n, reading in enumerate(readings)})
    said = replace(RULES, **rules)
    found = surveyed([shelf], index, said)
    return SessionHistory.of(found, index, said, sources=["codex"], horizon=NOW - timedelta(days=7))


def told(index: SqliteIndex, history: SessionHistory, name: str = "codex:1", settings: Settings | None = None) -> str:
    line = find(history, name)
    explanation = explain(history, line, index, partial(excluded_by, settings or Settings()))
    assert explanation.data()["id"] == line.id
    return "\n".join(explained(explanation, now=NOW))


def test_a_used_session_is_told_with_its_place_and_its_turns(index: SqliteIndex) -> None:
    said = [a_turn(text) for text in ("fix the build", "no, use pnpm, never npm\nplease\x1b[0m", "thanks" + "!" * 90)]
    done = (ToolEvent(name="Bash", turn=0),)
    session = a_session("1", *said, cwd="/home/ada/shop/src", project="/home/ada/shop", damaged=1, tools=done)
    text = told(index, a_history(index, holding(session)))
    assert text.startswith("codex:1: used\n  a person typed in it, it has ended, and nothing excludes it\n\n")
    assert (
        "file         /sessions/0.jsonl\nproject      /home/ada/shop\nfolder       /home/ada/shop/src\nended        "
        in text
    )
    assert "damage       1 unreadable line, skipped\nnight        unread: the next night reads it\n" in text
    assert "   0  request              fix the build\n" in text
    assert "   1  correction of 0      no, use pnpm, never npm please\\u{1B}[0m\n" in text
    assert text.splitlines()[-1].startswith("   2  small talk           thanks!!")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_a_night_made_of_it(index: SqliteIndex) -> None:
    history = a_history(index, holding(a_session("1")), holding(a_session("2", hours=24 * 9)))
    assert "night        unread, and too old for the first night (harvest.lookback)" in told(
        index, history, "codex:2"
    )
    index.mark_read(["codex:1"], "2026-11-20")
    assert "night        read by 2026-11-20" in told(index, a_history(index, holding(a_session("1"))))
    assert f"file         gone since {datetime.now(tz=UTC).astimezone():%-d %b}" in told(index, a_history(index))


@pytest.mark.parametrize(
    ("session", "why", "words"),
    [
        (a_session("1", entrypoint="sdk-cli"), LeftOut.HEADLESS, "started by a program (entrypoint sdk-cli), not a"),
        (a_session("1"), LeftOut.HEADLESS, "started by a program, not a person; --include-headless"),
        (a_session("1"), LeftOut.SUBAGENT, "a sub-agent's session"),
        (a_session("1", a_turn(" ")), LeftOut.NO_USER_TURN, "nothing new was typed in it"),
        (a_session("1", a_turn(" "), half_read=HALF), LeftOut.NO_USER_TURN, "of kinds that aren't known"),
        (a_session("1", a_turn(" "), damaged=1), LeftOut.NO_USER_TURN, "damaged"),
        (a_session("1", cwd="/own/x"), None, "a replay made by skillopt-sleep itself: its folder is in /own"),
        (a_session("1", hours=0.05), None, "its last record is 3 minutes old, and it must be quiet for 10 minutes"),
        (a_session("1", hours=0.01), None, "its last record is 36 seconds old"),
    ],
)
def test_the_rule_that_decided_comes_with_its_evidence(
    session: Any, why: LeftOut | None, words: str, index: SqliteIndex
) -> None:
    text = told(index, a_history(index, holding(session, why)))
    assert "left out (" in text.splitlines()[0]
    assert words in text.splitlines()[1]
    assert "no_user_turn" not in text or "nothing new" in text, "a damaged file isn't one in which nobody typed"
    assert "\nnight        unread\n" in f"{text}\n"


def test_an_excluded_project_names_who_excluded_it(tmp_path: Path, index: SqliteIndex) -> None:
    project = tmp_path / "secret"
    (project / ".skillopt-sleep").mkdir(parents=True)
    history = a_history(index, holding(a_session("1", project=str(project))), excluded=lambda *_: True)
    named = Settings(projects=ProjectsSettings(exclude=("other", "secret")))
    assert "its project is excluded by 'secret' in projects.exclude" in told(index, history, settings=named)
    own = project / ".skillopt-sleep" / "project.toml"
    own.write_text("enabled = false\n", encoding="utf-8")
    assert ".skillopt-sleep/project.toml of its project excludes the whole project" in told(index, history)
    own.write_text('exclude = ["src"]\n', encoding="utf-8")
    assert ".skillopt-sleep/project.toml of its project excludes this folder" in told(index, history)
    own.write_text("enabled = maybe\n", encoding="utf-8")
    assert "its project is excluded until its settings can be read" in told(index, history)


def test_a_session_of_a_program_that_is_read_is_not_said_to_be_a_persons(index: SqliteIndex) -> None:
    history = a_history(index, holding(a_session("1"), LeftOut.HEADLESS), include_headless=True)
    assert "started by a program, and those are included (--include-headless" in told(index, history)


def test_a_file_that_can_not_be_read_has_no_project_and_no_time(index: SqliteIndex) -> None:
    history = a_history(index, Reading(unreadable="/sessions/0.jsonl: Permission denied"))
    assert told(index, history, "/sessions/0") == (
        "codex:file:/sessions/0.jsonl: left out (unreadable)\n"
        "  /sessions/0.jsonl: Permission denied\n\n"
        "file         /sessions/0.jsonl"
    )


def test_a_fork_names_the_session_it_was_made_from(index: SqliteIndex) -> None:
    first, second = a_turn("fix the build", id="a"), a_turn("write the notes", id="b")
    origin, mere = a_session("1", first, hours=5), a_session("2", first, hours=4)
    more = a_session("3", first, second, hours=3)
    history = a_history(index, holding(origin), holding(mere), holding(more))
    text = told(index, history, "codex:2")
    assert "a copy: everything typed in it is also in codex:1" in text
    assert text.endswith("      copy                 fix the build")
    assert told(index, history, "codex:3").endswith(
        "      copy                 fix the build\n   0  request              write the notes"
    )


def test_a_project_that_moved_is_told_with_where_it_was(index: SqliteIndex) -> None:
    old = a_session("1", project="/old/shop", cwd="/old/shop", commit="c1")
    new = a_session("2", project="/new/shop", cwd="/new/shop", commit="c1")
    text = told(index, a_history(index, holding(old), holding(new), exists=lambda folder: folder == "/new/shop"))
    assert "project      /new/shop\nwas at       /old/shop, until the repository moved\n" in text


def test_a_second_file_of_a_session_leads_to_it(index: SqliteIndex) -> None:
    shelf = Shelf("codex", {"/live/roll-s1.jsonl": (1, holding(a_session("s1", hours=2)))})
    shelf.files["/old/roll-s1.jsonl"] = (1, holding(a_session("s1", hours=3)))
    found = surveyed([shelf], index)
    history = SessionHistory.of(found, index, RULES, sources=["codex"], horizon=NOW - timedelta(days=7))
    assert "file         /live/roll-s1.jsonl\nsecond file  /old/roll-s1.jsonl\n" in told(
        index, history, "/old/roll-s1.jsonl"
    )


def test_a_session_of_which_a_part_could_not_be_read_says_of_which_version_it_is(index: SqliteIndex) -> None:
    text = told(index, a_history(index, holding(a_session("1", half_read=HALF))))
    assert "\nunread       Codex 9.9.9 (tested to 0.171.0): 30 % of records of 1 unknown kind\n" in text
