"""Which sessions a night reads."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.transcripts.files import ignore
from skillopt_sleep.night.harvest import harvest, refresh
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.protocols.crew import Again, Reach
from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import (
    Gaps,
    HalfRead,
    LeftOut,
    Origin,
    Packed,
    Reading,
    Role,
    Session,
    Snapshot,
    Stamp,
    Turn,
)
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.schema import create
from tests.sessions import Exchange, claude_session

NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
RULES = HarvestRules(
    now=NOW,
    horizon=NOW - timedelta(days=7),
    include_headless=False,
    excluded=lambda project, cwd: False,
    own_roots=("/own/replays",),
)


class Listed:
    """A source of sessions made here; a file's size is the length of its sessions' texts."""

    name = "listed"

    def __init__(self, files: dict[str, Reading]) -> None:
        self.files = files
        self.closed: list[str] = []
        self.read_paths: list[str] = []

    def stamps(self, unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        for folder in self.closed:
            unlisted(folder, "Permission denied")
        return ((path, Stamp(1, len(repr(reading)), 1)) for path, reading in self.files.items())

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        stamps = dict(self.stamps())
        self.read_paths = list(paths)
        return ((path, stamps[path], self.files[path]) for path in paths)


def a_session(name: str, *, hours: float = 2, turns: Sequence[Turn] | None = None, **fields: Any) -> Session:
    when = NOW - timedelta(hours=hours)
    kept = tuple(turns) if turns is not None else (typed(f"{name}-t"),)
    base = Session(id=f"listed:{name}", source="listed", project="/p", cwd="/p", started=when, ended=when, turns=kept)
    return msgspec.structs.replace(base, **fields)


def typed(name: str, text: str = "fix it") -> Turn:
    return Turn(role=Role.USER, origin=Origin.USER, text=text, id=name)


def a_source(*sessions: Session | tuple[Session, LeftOut]) -> Listed:
    pairs = [session if isinstance(session, tuple) else (session, None) for session in sessions]
    return Listed({f"/{session.id}": Reading(sessions=(Packed.of(session, why),)) for session, why in pairs})


@pytest.fixture
def index() -> Iterator[SqliteIndex]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create(connection)
    yield SqliteIndex(connection, threading.RLock())
    connection.close()


def test_usable_sessions_come_newest_first_and_are_counted(index: SqliteIndex) -> None:
    found = harvest([a_source(a_session("old", hours=9), a_session("new", hours=1))], index, RULES)
    assert [session.id for session in found.sessions] == ["listed:new", "listed:old"]
    assert (found.counts.seen, found.counts.used, found.counts.skipped) == (2, 2, {})


def test_only_files_that_changed_are_read_again(index: SqliteIndex) -> None:
    source = a_source(a_session("a"), a_session("b"))
    harvest([source], index, RULES)
    source.files["/listed:b"] = Reading(sessions=(Packed.of(a_session("b", turns=[typed("x", "something else")])),))
    harvest([source], index, RULES)
    assert source.read_paths == ["/listed:b"]
    assert refresh(source, index, {}) == 0


def test_what_was_read_in_a_folder_that_can_not_be_listed_stays_and_the_folder_is_named(index: SqliteIndex) -> None:
    files = {f"/{where}/x": Reading(sessions=(Packed.of(a_session(where)),)) for where in ("a/b", "ab", "c")}
    source = Listed(files)
    harvest([source], index, RULES)

    source.files, source.closed = {"/c/x": files["/c/x"]}, ["/a"]
    found = harvest([source], index, RULES)

    assert set(index.stamps(source.name)) == {"/a/b/x", "/c/x"}
    (note,) = found.notes
    assert note.summary.startswith("/a: ")
    assert note.summary.endswith("Permission denied")
    assert "readable" in note.remedy

    source.closed = []
    found = harvest([source], index, RULES)
    assert (set(index.stamps(source.name)), found.notes) == ({"/c/x"}, ())


def test_an_unread_session_outlives_its_file(index: SqliteIndex) -> None:
    source = a_source(a_session("a"))
    harvest([source], index, RULES)
    files = dict(source.files)
    source.files.clear()
    assert harvest([source], index, RULES).counts.used == 1
    source.files.update(files)
    assert len(harvest([source], index, RULES).sessions) == 1


def test_sessions_of_other_projects_than_the_one_asked_for_are_not_called_excluded(index: SqliteIndex) -> None:
    found = [a_session("a"), a_session("b", project="/q", cwd="/q"), a_session("c", project="/r", cwd="/p/in")]
    rules = replace(RULES, only="/p", excluded=lambda project, cwd: cwd == "/p/in")
    counts = harvest([a_source(*found)], index, rules).counts
    assert (counts.used, counts.skipped) == (1, {"excluded": 1, "other_project": 1})


def test_a_source_that_is_turned_off_is_not_read_from_memory(index: SqliteIndex) -> None:
    harvest([a_source(a_session("a"))], index, RULES)
    assert harvest([], index, RULES).counts.seen == 0


def test_what_a_fork_copied_from_an_earlier_nights_session_is_left_out(index: SqliteIndex) -> None:
    first = a_session("first")
    source = a_source(first)
    harvest([source], index, RULES)
    index.mark_read([f"listed:{first.id.partition(':')[2]}"], "one")
    fork = a_session("fork", turns=first.turns)
    found = harvest([a_source(first, fork)], index, RULES)
    assert found.sessions == ()
    assert found.copies == ("listed:fork",)


@pytest.mark.parametrize(
    ("session", "by_itself", "reason"),
    [
        (a_session("s", cwd="/own/replays/x"), LeftOut.SUBAGENT, "subagent"),
        (a_session("s", cwd="/own/replays/x"), None, "own_replay"),
        (a_session("s", cwd="/own/replays/x"), LeftOut.HEADLESS, "own_replay"),
        (a_session("s", cwd="/own/replays"), None, "own_replay"),
        (a_session("s"), LeftOut.HEADLESS, "headless"),
        (a_session("s", turns=[]), LeftOut.NO_USER_TURN, "no_user_turn"),
        (a_session("s", project="/secret"), None, "excluded"),
        (a_session("s", project="/secret", hours=0.1), None, "excluded"),
        (a_session("s", hours=0.1), None, "active"),
        (a_session("s", hours=-1), None, "active"),
        (a_session("s", hours=24 * 8), None, "older"),
    ],
)
def test_a_session_is_left_out_for_the_first_reason_that_holds(
    session: Session, by_itself: LeftOut | None, reason: str, index: SqliteIndex
) -> None:
    rules = replace(RULES, excluded=lambda project, cwd: project == "/secret")
    found = harvest([Listed({"/s": Reading(sessions=(Packed.of(session, by_itself),))})], index, rules)
    assert found.sessions == ()
    assert found.counts.skipped == {reason: 1}
    assert found.copies == ()


@pytest.mark.parametrize("cwd", ["/own/replays-of-mine", "/own", ""])
def test_a_folder_that_only_looks_like_ours_is_not_ours(cwd: str, index: SqliteIndex) -> None:
    assert harvest([a_source(a_session("s", cwd=cwd))], index, RULES).counts.used == 1


@pytest.mark.parametrize("hours", [0.17, -25, 24 * 6.9])
def test_a_session_that_rests_or_comes_from_a_wrong_clock_is_used(hours: float, index: SqliteIndex) -> None:
    assert harvest([a_source(a_session("s", hours=hours))], index, RULES).counts.used == 1


def test_an_unreadable_file_is_counted_and_told(index: SqliteIndex) -> None:
    found = harvest([Listed({"/x": Reading(unreadable="/x: Permission denied")})], index, RULES)
    assert found.counts.skipped == {"unreadable": 1}
    assert [note.summary for note in found.notes] == ["/x: Permission denied"]


def test_records_of_unknown_kinds_are_told_with_the_version_that_wrote_them(index: SqliteIndex) -> None:
    half = HalfRead("9.1", ("human_input", "typed"), 5, 10)
    used = a_session("a", gaps=Gaps(half_read=half), source="codex")
    empty = a_session("b", gaps=Gaps(half_read=half), source="codex", turns=())
    source = a_source(used, a_session("c"), (empty, LeftOut.NO_USER_TURN))
    source.name = "codex"
    (note,) = harvest([source], index, RULES).notes
    assert note.expected
    assert "Codex 9.1" in note.summary
    assert "50 % of records of 2 unknown kinds" in note.summary


def test_headless_sessions_are_used_when_asked_for(index: SqliteIndex) -> None:
    rules = replace(RULES, include_headless=True)
    empty = a_session("e", turns=[])
    found = harvest([a_source((a_session("s"), LeftOut.HEADLESS), (empty, LeftOut.HEADLESS))], index, rules)
    assert [session.id for session in found.sessions] == ["listed:s"]
    assert found.counts.skipped == {"no_user_turn": 1}


def test_sessions_of_an_earlier_night_come_only_when_asked_for(index: SqliteIndex) -> None:
    source = a_source(a_session("a"))
    harvest([source], index, RULES)
    index.mark_read(["listed:a"], "N-1")
    assert harvest([source], index, RULES).counts.seen == 0
    every = replace(RULES, again=Again(since=None))
    assert harvest([source], index, every).counts.used == 1


def test_the_prompts_that_a_fork_copied_are_counted(index: SqliteIndex) -> None:
    first = a_session("first", hours=5, turns=[typed("1")])
    fork = a_session("fork", hours=4, turns=[typed("1"), typed("2", "instead")])
    found = harvest([a_source(fork, first)], index, RULES)
    assert {session.id: session.typed for session in found.sessions} == {
        "listed:first": ("fix it",),
        "listed:fork": ("instead",),
    }


def test_a_mere_copy_has_no_user_turn_and_is_done_with(index: SqliteIndex) -> None:
    source = a_source(a_session("first", hours=5, turns=[typed("1")]), a_session("copy", hours=4, turns=[typed("1")]))
    found = harvest([source], index, RULES)
    assert [session.id for session in found.sessions] == ["listed:first"]
    assert found.counts.skipped == {"no_user_turn": 1}
    assert found.copies == ("listed:copy",)


def test_a_session_whose_texts_were_forgotten_is_no_copy(index: SqliteIndex) -> None:
    source = a_source(a_session("forgotten", turns=[]), a_session("other"))
    found = harvest([source], index, RULES)
    assert [session.id for session in found.sessions] == ["listed:other"]
    assert (found.counts.skipped, found.copies) == ({"no_user_turn": 1}, ())


def test_a_shorter_copy_of_a_file_does_not_replace_the_longer_one_that_is_gone(index: SqliteIndex) -> None:
    longer, shorter = a_session("a", hours=2), a_session("a", hours=3)
    source = a_source(longer)
    source.files["/copy"] = Reading(sessions=(Packed.of(shorter),))
    assert harvest([source], index, RULES).sessions == (longer,)
    assert refresh(source, index, {}) == 0
    del source.files["/listed:a"]
    found = harvest([source], index, RULES)
    assert (found.sessions, source.read_paths) == ((longer,), ["/copy"])


def test_a_file_that_could_not_be_read_is_tried_every_time(index: SqliteIndex) -> None:
    source = Listed({"/x": Reading(unreadable="/x: Permission denied")})
    harvest([source], index, RULES)
    found = harvest([source], index, RULES)
    assert (source.read_paths, found.counts.skipped) == (["/x"], {"unreadable": 1})


def test_sessions_of_a_project_that_moved_are_those_of_its_new_folder(index: SqliteIndex) -> None:
    rules = replace(RULES, exists=lambda folder: folder == "/new/shop")
    source = a_source(
        a_session("a", project="/old/shop", cwd="/old/shop", commit="c1"),
        a_session("b", project="/old/shop", cwd="/old/shop"),
        a_session("c", project="/new/shop", cwd="/new/shop", commit="c1"),
    )
    found = harvest([source], index, rules)
    assert [session.project for session in found.sessions] == ["/new/shop"] * 3
    assert {session.cwd for session in found.sessions} == {"/old/shop", "/new/shop"}


def test_a_real_folder_of_sessions_is_harvested_once(tmp_path: Path, index: SqliteIndex) -> None:
    for number in range(3):
        claude_session(
            tmp_path / "projects", cwd=f"/home/dev/app-{number}", started=NOW - timedelta(hours=number + 2),
            exchanges=[Exchange("fix it", "Fixed.")], headless=number == 2,
        )  # fmt: skip
    source = ClaudeCode(tmp_path)
    found = harvest([source], index, RULES)
    assert [session.cwd for session in found.sessions] == ["/home/dev/app-0", "/home/dev/app-1"]
    assert found.counts.skipped == {"headless": 1}
    assert refresh(source, index, {}) == 0


# what the hooks said ------------------------------------------------------------------------------------


class Noted:
    """A spool with the notes of one session."""

    def __init__(self, session: str, *, ended: datetime | None = None, snapshot: Snapshot | None = None) -> None:
        self._session, self._ended, self._snapshot = session, ended, snapshot

    def ended(self, session: str) -> datetime | None:
        return self._ended if session == self._session else None

    def snapshot(self, session: str) -> Snapshot | None:
        return self._snapshot if session == self._session else None


@pytest.mark.parametrize(
    ("ended", "reads"),
    [
        (timedelta(minutes=1), True),
        (timedelta(minutes=2), True),
        (timedelta(minutes=3), False),  # it was taken up again
        (-timedelta(minutes=1), False),  # said by a clock that was wrong
    ],
)
def test_a_session_whose_agent_said_that_it_is_over_needs_no_rest(
    index: SqliteIndex, ended: timedelta, reads: bool
) -> None:
    source = a_source(a_session("one", hours=2 / 60), a_session("two", hours=2 / 60))
    rules = replace(RULES, spool=Noted("listed:one", ended=NOW - ended))
    found = harvest([source], index, rules)
    assert [session.id for session in found.sessions] == (["listed:one"] if reads else [])
    assert found.counts.skipped == {"active": 1 if reads else 2}


def test_a_session_begins_at_the_commit_that_a_hook_saw(index: SqliteIndex) -> None:
    snapshot = Snapshot(session="listed:one", root="/p", commit="c0ffee")
    source = a_source(a_session("one"), a_session("two"))
    found = harvest([source], index, replace(RULES, spool=Noted("listed:one", snapshot=snapshot)))
    assert {session.id: session.commit for session in found.sessions} == {"listed:one": "c0ffee", "listed:two": ""}
    assert found.snapshots == (snapshot,)


def test_the_commit_that_an_agent_wrote_down_itself_holds(index: SqliteIndex) -> None:
    snapshot = Snapshot(session="listed:one", root="/p", commit="c0ffee")
    source = a_source(a_session("one", commit="abcdef"))
    (session,) = harvest([source], index, replace(RULES, spool=Noted("listed:one", snapshot=snapshot))).sessions
    assert session.commit == "abcdef"


def test_a_session_that_is_left_out_brings_no_snapshot(index: SqliteIndex) -> None:
    snapshot = Snapshot(session="listed:one", root="/p", commit="c0ffee")
    source = a_source((a_session("one"), LeftOut.HEADLESS))
    assert harvest([source], index, replace(RULES, spool=Noted("listed:one", snapshot=snapshot))).snapshots == ()


def test_only_the_sessions_that_a_person_names_are_read_again(index: SqliteIndex) -> None:
    source = a_source(a_session("a"), a_session("b"))
    harvest([source], index, RULES)
    index.mark_read(["listed:a", "listed:b"], "N-1")
    found = harvest([source], index, replace(RULES, again=Again(since=None, sessions=frozenset({"listed:b"}))))
    assert [session.id for session in found.sessions] == ["listed:b"]
    assert found.counts.seen == 1


def test_a_session_that_is_read_again_keeps_what_was_copied_from_it(index: SqliteIndex) -> None:
    first = a_session("first", hours=5, turns=[typed("1")])
    fork = a_session("fork", hours=4, turns=[typed("1"), typed("2", "instead")])
    source = a_source(fork, first)
    harvest([source], index, RULES)
    index.mark_read(["listed:first", "listed:fork"], "N-1")
    for name, said in (("listed:first", ("fix it",)), ("listed:fork", ("instead",))):
        again = Again(since=None, sessions=frozenset({name}))
        (found,) = harvest([source], index, replace(RULES, again=again)).sessions
        assert (found.id, found.typed) == (name, said)


def test_sessions_beyond_the_reach_stay_unread_and_a_note_counts_them(index: SqliteIndex) -> None:
    answer = Turn(role=Role.ASSISTANT, origin=Origin.ASSISTANT, text="Done.")
    turns = [[typed(f"{n}a", f"fix {n}"), answer, typed(f"{n}b")] for n in range(3)]
    source = a_source(*(a_session(f"{n}", hours=n + 1, turns=turns[n]) for n in range(3)))
    found = harvest([source], index, replace(RULES, reach=Reach(calls=1, tokens=10**6, per_call=2)))
    assert [session.id for session in found.sessions] == ["listed:0", "listed:1"]
    assert found.counts.skipped == {"later": 1}
    assert [(note.expected, note.summary[:15]) for note in found.notes] == [(True, "1 session waits")]
