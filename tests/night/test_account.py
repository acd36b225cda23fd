"""Whether the numbers of a history add up, whatever is in it."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.agents.transcripts.files import ignore
from skillopt_sleep.night.account import Account, ProjectCounts, SessionHistory, account
from skillopt_sleep.night.explain import typed_turns
from skillopt_sleep.night.harvest import refresh_all
from skillopt_sleep.night.survey import HarvestRules, Survey, survey
from skillopt_sleep.protocols.crew import Again, Reach
from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import HalfRead, LeftOut, Packed, Reading, Session, Stamp, Turn
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.schema import create
from tests.builders import a_session as built, a_task, a_turn

NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
RULES = HarvestRules(
    now=NOW,
    horizon=None,
    include_headless=False,
    excluded=lambda project, cwd: project == "/secret",
    own_roots=("/own",),
    again=Again(since=None),
)
TEXTS = ("fix the build", "no, use pnpm, never npm", "thanks", "write the notes")


@dataclass
class Shelf:
    """A source whose files are whatever is put in them; a file's version is its size."""

    name: str
    files: dict[str, tuple[int, Reading]] = field(default_factory=dict[str, tuple[int, Reading]])

    def stamps(self, _unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        return ((path, Stamp(1, version, 1)) for path, (version, _) in self.files.items())

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        return ((path, Stamp(1, self.files[path][0], 1), self.files[path][1]) for path in paths)


def opened() -> tuple[sqlite3.Connection, SqliteIndex]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create(connection)
    return connection, SqliteIndex(connection, threading.RLock())


def surveyed(shelves: Sequence[Shelf], index: SqliteIndex, rules: HarvestRules = RULES) -> Survey:
    """What a survey finds once the index is up to date."""
    refresh_all(shelves, index)
    return survey({shelf.name for shelf in shelves}, index, rules)


def add_up(
    shelves: Sequence[Shelf], index: SqliteIndex, rules: HarvestRules = RULES
) -> tuple[Account, SessionHistory]:
    found = surveyed(shelves, index, rules)
    names = [shelf.name for shelf in shelves]
    history = SessionHistory.of(found, index, rules, sources=names, horizon=NOW - timedelta(days=7))
    return account(history), history


def a_session(name: str = "1", *turns: Turn, source: str = "codex", hours: float = 2, **fields: object) -> Session:
    when = NOW - timedelta(hours=hours)
    said = turns or (a_turn("fix the build", id=f"{name}-t"),)
    return built(*said, id=f"{source}:{name}", source=source, started=when, ended=when, **fields)


def holding(session: Session, why: LeftOut | None = None) -> Reading:
    return Reading(sessions=(Packed.of(session, why),))


readings = st.builds(
    lambda name, turns, hours, project, why, damaged: holding(
        a_session(
            str(name),
            *(a_turn(TEXTS[text], id=str(turn) if turn else "") for turn, text in turns),
            hours=hours,
            project=project,
            cwd=project,
            damaged=damaged,
        ),
        why if turns else LeftOut.NO_USER_TURN,
    ),
    name=st.integers(0, 6),
    turns=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=3),
    hours=st.sampled_from([0.01, 1, 2, 30, 24 * 9]),
    project=st.sampled_from(["/home/shop", "/home/notes", "/secret", "/own/night", ""]),
    why=st.sampled_from([None, None, None, LeftOut.HEADLESS, LeftOut.SUBAGENT]),
    damaged=st.integers(0, 2),
)
codex_files = st.dictionaries(st.integers(0, 9), st.one_of(readings, st.just(Reading(unreadable="no"))), max_size=10)
task_files = st.dictionaries(
    st.integers(0, 2),
    st.sampled_from([Reading(), Reading(unreadable="bad"), Reading(tasks=(a_task(), a_task(id="t2")))]),
)


@settings(max_examples=150, deadline=None)
@given(days=st.lists(st.tuples(codex_files, task_files, st.booleans()), min_size=1, max_size=4))
@pytest.mark.slow
def test_every_file_is_in_exactly_one_place_through_every_history(
    days: list[tuple[dict[int, Reading], dict[int, Reading], bool]],
) -> None:
    connection, index = opened()
    shelves = (Shelf("codex"), Shelf("tasks_file"))
    with closing(connection):
        for version, (sessions, tasks, night) in enumerate(days):
            for shelf, files in zip(shelves, (sessions, tasks), strict=True):
                shelf.files = {f"/{shelf.name}/{n}": (version, reading) for n, reading in files.items()}
            total, history = add_up(shelves, index)
            left_out = sum(total.skipped.values())
            kept = sum(not path.startswith("/") for path in history.current())
            assert total.files == len(sessions) + len(tasks) + kept
            assert total.files == len(total.sessions) + left_out + total.doubles + total.task_files
            unreadable = total.skipped.get(LeftOut.UNREADABLE, 0)
            assert total.files == sum(row.files for row in total.rows) + unreadable + total.doubles + total.task_files
            assert len(total.sessions) == sum(row.sessions for row in total.rows)
            assert total.prompts == sum(len(session.heard.typed) for session in total.sessions)
            assert total.mined == sum(session.heard.is_mined for session in total.sessions)
            assert len(history.lines) == total.files - total.doubles - total.task_files + total.remembered - kept
            held = {line.id for line in history.lines}
            assert {packed.id for reading in sessions.values() for packed in reading.sessions} <= held
            if night:
                index.mark_read([session.id for session in total.sessions], "N-1")


def test_the_rows_are_by_source_and_project_with_all_their_files() -> None:
    connection, index = opened()
    said = (a_turn("fix the build"), a_turn("no, use pnpm, never npm"), a_turn("write the notes"))
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", *said, project="/shop"))),
            "/2": (1, holding(a_session("2", project="/shop"), LeftOut.HEADLESS)),
            "/3": (1, holding(a_session("3", project="/notes"), LeftOut.SUBAGENT)),
        },
    )
    with closing(connection):
        total, _ = add_up([shelf], index)
    assert total.rows == (
        ProjectCounts("codex", "/shop", files=2, sessions=1, prompts=3),
        ProjectCounts("codex", "/notes", files=1),
    )
    assert (total.prompts, total.mined) == (3, 1)


def test_the_rows_of_one_project_stay_together_those_with_the_most_prompts_first() -> None:
    connection, index = opened()
    asked = (a_turn("fix the build"),)
    shelves = [
        Shelf("codex", {f"/{n}": (1, holding(a_session(f"{n}", *asked * n, project=f"/{n}"))) for n in (1, 2)}),
        Shelf("claude_code", {"/9": (1, holding(a_session("9", *asked * 2, source="claude_code", project="/1")))}),
    ]
    with closing(connection):
        total, _ = add_up(shelves, index)
    assert [(row.project, row.source) for row in total.rows] == [
        ("/1", "claude_code"),
        ("/1", "codex"),
        ("/2", "codex"),
    ]


def test_of_two_files_with_one_session_one_is_a_double_also_when_the_longer_goes() -> None:
    connection, index = opened()
    longer = holding(a_session("1", hours=2))
    shelf = Shelf("codex", {"/long": (1, longer), "/short": (1, holding(a_session("1", hours=3)))})
    with closing(connection):
        total, _ = add_up([shelf], index)
        assert (total.files, len(total.sessions), total.doubles) == (2, 1, 1)
        assert total.sessions[0].ended == NOW - timedelta(hours=2)
        del shelf.files["/long"]
        total, _ = add_up([shelf], index)
        assert (total.files, len(total.sessions), total.doubles, total.remembered) == (2, 1, 1, 1)
        assert total.sessions[0].ended == NOW - timedelta(hours=2)


def test_a_file_that_can_be_read_again_is_used_again() -> None:
    connection, index = opened()
    good = holding(a_session())
    shelf = Shelf("codex", {"/1": (1, good)})
    with closing(connection):
        add_up([shelf], index)
        shelf.files["/1"] = (2, Reading(unreadable="/1: Permission denied"))
        total, _ = add_up([shelf], index)
        assert (total.skipped, total.sessions) == ({LeftOut.UNREADABLE: 1}, ())
        shelf.files["/1"] = (2, good)
        total, _ = add_up([shelf], index)
        assert (total.skipped, len(total.sessions)) == ({}, 1)


def test_a_session_whose_file_is_gone_is_remembered_and_read_if_no_night_did() -> None:
    connection, index = opened()
    shelf = Shelf("codex", {f"/{n}": (1, holding(a_session(n))) for n in ("1", "2")})
    with closing(connection):
        total, _ = add_up([shelf], index)
        index.mark_read(["codex:1"], "N-1")
        total, _ = add_up([shelf], index)
        assert (len(total.sessions), total.read, total.remembered) == (2, 1, 0)
        shelf.files.clear()
        total, _ = add_up([shelf], index)
        assert [session.id for session in total.sessions] == ["codex:2"]
        assert (total.files, total.read, total.remembered) == (1, 0, 2)


def test_what_a_fork_copied_is_counted_beside_the_reasons() -> None:
    connection, index = opened()
    first, second = a_turn("fix the build", id="a"), a_turn("write the notes", id="b")
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", first, hours=5))),
            "/2": (1, holding(a_session("2", first, second, hours=4))),
            "/3": (1, holding(a_session("3", first, hours=3))),
        },
    )
    with closing(connection):
        total, history = add_up([shelf], index)
        stored = {session.id: session for session in index.sessions([f"codex:{n}" for n in "123"])}
    assert (total.copies, total.copied, total.prompts) == (1, 2, 2)
    assert total.skipped == {LeftOut.NO_USER_TURN: 1}
    (used,) = (session for session in history.survey.sessions if session.id == "codex:2")
    turns = typed_turns(stored["codex:2"], used.part)
    assert [(turn.turn, turn.taken_for) for turn in turns] == [(None, "copy"), (0, "request")]


def test_damage_is_counted_in_what_was_left_out_too() -> None:
    connection, index = opened()
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", damaged=2))),
            "/2": (1, holding(a_session("2", damaged=1), LeftOut.NO_USER_TURN)),
            "/3": (1, holding(a_session("3"))),
        },
    )
    with closing(connection):
        total, _ = add_up([shelf], index)
    assert (total.damaged, total.damage) == (3, (("codex", 3, 2),))


def test_the_files_of_a_project_that_moved_are_those_of_its_new_folder() -> None:
    connection, index = opened()
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", project="/old/shop", commit="c1"))),
            "/2": (1, holding(a_session("2", project="/new/shop", commit="c1"))),
        },
    )
    with closing(connection):
        total, _ = add_up([shelf], index, replace(RULES, exists=lambda folder: folder == "/new/shop"))
    assert total.rows == (ProjectCounts("codex", "/new/shop", files=2, sessions=2, prompts=2),)


def test_a_file_of_two_conversations_counts_once_and_both_are_sessions() -> None:
    connection, index = opened()
    first, second = a_session("s"), a_session("s#2", project="/home/bakery", hours=3)
    both = Reading(sessions=(Packed.of(first), Packed.of(second, LeftOut.NO_USER_TURN)))
    shelf = Shelf("codex", {"/1": (1, both), "/2": (1, holding(a_session("t")))})
    with closing(connection):
        total, history = add_up([shelf], index)
        assert (total.files, total.shared, total.remembered, total.doubles) == (2, 1, 0, 0)
        assert (len(total.sessions), total.skipped) == (2, {LeftOut.NO_USER_TURN: 1})
        assert len(history.lines) == 3


def test_records_of_unknown_kinds_are_added_up_by_version_and_such_a_session_is_not_one_without_words() -> None:
    def half(version: str, *kinds: str) -> HalfRead:
        return HalfRead(version, kinds, 2, 10)

    connection, index = opened()
    files = {
        "/1": (1, holding(a_session("1", half_read=half("9.1", "a", "b")))),
        "/2": (1, holding(a_session("2", a_turn(" "), half_read=half("9.1", "b", "c")), LeftOut.NO_USER_TURN)),
        "/3": (1, holding(a_session("3", half_read=half("9.2", "a")))),
        "/4": (1, holding(a_session("4"))),
    }
    with closing(connection):
        total, _ = add_up([Shelf("codex", files)], index)
    assert total.half_read == (
        "Codex 9.1 (tested to 0.171.0): 20 % of records of 3 unknown kinds",
        "Codex 9.2 (tested to 0.171.0): 20 % of records of 1 unknown kind",
    )
    assert total.spoiled == 1


def test_what_the_next_nights_budget_does_not_reach_is_counted() -> None:
    connection, index = opened()
    files: dict[str, tuple[int, Reading]] = {}
    for n in range(5):
        said = (a_turn(f"fix build {n}"), a_turn("no, use pnpm, never npm"))
        files[f"/{n}"] = (1, holding(a_session(f"{n}", *said, hours=n + 2)))
    shelf = Shelf("codex", files)
    with closing(connection):
        total, _ = add_up([shelf], index, replace(RULES, reach=Reach(calls=1, tokens=10**6, per_call=2)))
        assert (len(total.sessions), total.later) == (5, 3)
        assert add_up([shelf], index)[0].later == 0


def test_pasted_text_is_not_shown_as_typed() -> None:
    mail = (
        "From: platform-team\nHouse rules for agents:\n1. Always sign commits with GPG.\n2. Never write comments.\n"
    )
    session = built(f"summarize this\n\n{mail}", "Done.", "thanks", "Yes.", "no - use pnpm")
    pasted, plain, _ = typed_turns(session, session)
    assert pasted.own == "summarize this"
    assert plain.own is None
