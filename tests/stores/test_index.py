"""What was parsed from which file, and which sessions no night has used."""

import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.records import (
    Exact,
    Hear,
    Heard,
    LeftOut,
    Origin,
    Packed,
    Reading,
    Role,
    Session,
    Stamp,
    Task,
    Turn,
)
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.schema import create
from tests.builders import changed

START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
STAMP = Stamp(1, 100, 5)


def a_session(name: str = "1", *, text: str = "fix it", minutes: int = 0, source: str = "codex") -> Session:
    turn = Turn(role=Role.USER, origin=Origin.USER, text=text, id="t")
    when = START + timedelta(minutes=minutes)
    return Session(
        id=f"{source}:{name}", source=source, project="/p", cwd="/p/src", started=when, ended=when, turns=(turn,)
    )


def held(*sessions: Session, left_out: LeftOut | None = None) -> Reading:
    return Reading(sessions=tuple(Packed.of(session, left_out) for session in sessions))


@pytest.fixture(params=[None, ""], ids=["autocommit", "legacy"])
def index(request: pytest.FixtureRequest) -> Iterator[SqliteIndex]:
    connection = sqlite3.connect(":memory:", isolation_level=request.param, check_same_thread=False)
    create(connection)
    yield SqliteIndex(connection, threading.RLock())
    connection.close()


def unread(index: SqliteIndex) -> list[str]:
    return [line.id for line in index.lines(unread=True)]


def test_what_was_put_is_there_again_newest_first(index: SqliteIndex) -> None:
    older, newer = a_session("1"), a_session("2", minutes=5)
    index.put("codex", [("/a", STAMP, held(older)), ("/b", STAMP, held(newer, left_out=LeftOut.HEADLESS))])
    first, second = index.lines(unread=True)
    assert (first.id, first.left_out, second.left_out) == ("codex:2", LeftOut.HEADLESS, None)
    assert (second.source, second.project, second.cwd, second.ended) == ("codex", "/p", "/p/src", START)
    assert index.sessions(["codex:1", "codex:2"]) == (older, newer)
    assert index.sessions(["codex:2", "codex:unknown", "codex:1"]) == (newer, older)


def test_stamps_are_those_of_the_last_reading_by_source(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index.put("codex", [("/a", Stamp(1, 200, 6), held(a_session()))])
    index.put("claude_code", [("/c", STAMP, Reading())])
    assert index.stamps("codex") == {"/a": Stamp(1, 200, 6)}
    assert index.stamps("codex")["/a"].size == 200
    assert index.stamps("claude_code") == {"/c": STAMP}
    assert index.stamps("other") == {}


def test_a_session_that_did_not_change_stays_read(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index.mark_read(["codex:1"], "N-1")
    assert unread(index) == []
    index.put("codex", [("/a", Stamp(1, 100, 9), held(a_session()))])
    assert unread(index) == []
    assert [line.id for line in index.lines(unread=False)] == ["codex:1"]


def test_a_session_that_went_on_is_unread_again(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index.mark_read(["codex:1"], "N-1")
    index.put("codex", [("/a", STAMP, held(a_session(text="fix it all", minutes=1)))])
    assert unread(index) == ["codex:1"]


def test_a_session_that_continued_during_the_night_stays_unread(index: SqliteIndex) -> None:
    used = a_session("1"), a_session("2")
    index.put("codex", [("/a", STAMP, held(used[0])), ("/b", STAMP, held(used[1]))])
    index.put("codex", [("/a", Stamp(1, 200, 6), held(a_session("1", text="and now the tests", minutes=9)))])

    index.mark_read(["codex:1", "codex:2"], "N-1", ended={session.id: session.ended for session in used})

    assert unread(index) == ["codex:1"]


def test_of_two_files_with_one_session_the_later_ending_one_counts(index: SqliteIndex) -> None:
    longer = a_session(text="and on", minutes=5)
    index.put("codex", [("/sessions/a", STAMP, held(a_session())), ("/archived/a", STAMP, held(longer))])
    index.put("codex", [("/sessions/a", Stamp(1, 1, 1), held(a_session(text="fix it now")))])
    assert index.sessions(["codex:1"]) == (longer,)
    assert len(index.lines(unread=True)) == 1


def test_a_session_moved_to_another_file_stays_read(index: SqliteIndex) -> None:
    index.put("codex", [("/sessions/a", STAMP, held(a_session()))])
    index.mark_read(["codex:1"], "N-1")
    index.put("codex", [("/archived/a", STAMP, held(a_session()))])
    assert unread(index) == []


def test_a_session_that_ended_when_it_did_stays_read_whatever_the_reader_makes_of_it(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index.mark_read(["codex:1"], "N-1")
    index.put("codex", [("/a", Stamp(7, 100, 8), held(a_session(text="fix it (as a newer reader has it)")))])
    assert (unread(index), index.sessions(["codex:1"])[0].typed) == ([], ("fix it (as a newer reader has it)",))


def test_what_was_forgotten_of_a_session_stays_forgotten_when_its_file_says_the_same_again(
    index: SqliteIndex,
) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index._connection.execute("UPDATE sessions SET body = ?", (Packed.of(a_session(text="")).body,))
    index.put("codex", [("/a", Stamp(7, 100, 8), held(a_session()))])
    assert index.sessions(["codex:1"])[0].typed == ("",)


def test_a_file_that_became_shorter_replaces_itself(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session(minutes=9)))])
    index.put("codex", [("/a", STAMP, held(a_session(text="new")))])
    assert index.sessions(["codex:1"])[0].typed == ("new",)


def test_an_unreadable_file_is_a_line_with_its_reason_until_it_can_be_read(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, Reading(unreadable="/a: Permission denied"))])
    (line,) = index.lines(unread=True)
    assert (line.id, line.left_out) == ("codex:file:/a", LeftOut.UNREADABLE)
    assert index.sessions([line.id])[0].turns[0].text == "/a: Permission denied"
    index.put("codex", [("/a", STAMP, held(a_session()))])
    assert unread(index) == ["codex:1"]


def test_an_unreadable_file_is_tried_again_and_what_it_held_is_not_used(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session())), ("/b", STAMP, held(a_session("2")))])
    index.mark_read(["codex:2"], "N-1")
    index.put("codex", [(path, STAMP, Reading(unreadable=f"{path}: no")) for path in ("/a", "/b")])
    assert set(index.stamps("codex").values()) == {Stamp(0, 0, 0)}
    assert unread(index) == ["codex:file:/a", "codex:file:/b"]
    assert index.sessions(["codex:1", "codex:2"]) == (a_session("2"),)


def test_a_session_outlives_its_file_unless_it_is_of_no_use(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session())), ("/b", STAMP, Reading(unreadable="/b: no"))])
    index.put("codex", [("/c", STAMP, held(a_session("2"), left_out=LeftOut.SUBAGENT))])
    index.forget("codex", ["/a", "/b", "/c"])
    assert (unread(index), index.stamps("codex")) == (["codex:1"], {})
    index.put("codex", [("/moved", STAMP, held(a_session()))])
    assert (unread(index), set(index.stamps("codex"))) == (["codex:1"], {"/moved"})


def test_forgetting_a_file_also_forgets_the_files_it_had_replaced(index: SqliteIndex) -> None:
    longer = a_session(text="and on", minutes=5)
    index.put("codex", [("/long", STAMP, held(longer)), ("/short", STAMP, held(a_session()))])
    index.put("codex", [("/other", STAMP, held(a_session("2")))])
    index.put("tasks_file", [("/tasks", STAMP, Reading())])
    index.forget("codex", [])
    assert set(index.stamps("codex")) == {"/long", "/short", "/other"}
    index.forget("codex", ["/long"])
    assert set(index.stamps("codex")) == {"/other"}
    assert unread(index) == ["codex:1", "codex:2"]
    index.put("codex", [("/short", STAMP, held(a_session()))])
    assert index.sessions(["codex:1"]) == (longer,)
    assert index.stamps("tasks_file") == {"/tasks": STAMP}


def test_many_files_are_forgotten_at_once_but_not_what_nights_used(index: SqliteIndex) -> None:
    of_agents = [(f"/{n}", STAMP, held(a_session(str(n)), left_out=LeftOut.SUBAGENT)) for n in range(1200)]
    index.put("codex", of_agents)
    index.mark_read(["codex:7"], "N-1")
    index.forget("codex", [f"/{n}" for n in range(1199)])
    assert set(index.stamps("codex")) == {"/1199"}
    assert sorted(line.id for line in index.lines(unread=False)) == ["codex:1199", "codex:7"]


def hearing(rules: int, take: str) -> Hear:
    return lambda session: Heard(rules=rules, typed=(take,), started=session.started)


def takes(index: SqliteIndex, rules: int) -> dict[str, str | None]:
    """What these rules read of the first turn of each session, None where they have read nothing."""
    found: dict[str, str | None] = {}
    for one in index.held(rules, unread=False):
        found[one.line.id] = one.heard.typed[0] if one.heard else None
    return found


def test_what_the_rules_read_is_kept_with_the_session_its_file_and_its_night(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index.hear(hearing(1, "request"), rules=1)
    index.put("codex", [("/b", STAMP, held(a_session("2")))])
    index.mark_read(["codex:2"], "N-1")
    assert {one.line.id: (one.path, one.night) for one in index.held(1, unread=False)} == {
        "codex:1": ("/a", ""),
        "codex:2": ("/b", "N-1"),
    }
    assert takes(index, 1) == {"codex:1": "request", "codex:2": None}


def test_the_rules_read_once_what_they_have_not_read_and_a_new_version_reads_again(index: SqliteIndex) -> None:
    index.put("codex", [(f"/{n}", STAMP, held(a_session(str(n)))) for n in range(150)])
    index.hear(hearing(1, "request"), rules=1)
    index.hear(hearing(1, "read twice"), rules=1)
    assert set(takes(index, 1).values()) == {"request"}
    assert set(takes(index, 2).values()) == {None}
    index.hear(hearing(2, "correction"), rules=2)
    assert set(takes(index, 2).values()) == {"correction"}


def test_a_session_that_the_rules_fail_on_is_an_unreadable_file_and_the_others_are_read(index: SqliteIndex) -> None:
    index.put("codex", [(f"/{n}", STAMP, held(a_session(str(n)))) for n in range(3)])

    def hear(session: Session) -> Heard | str:
        return "a bug: IndexError: no such turn" if session.id == "codex:1" else hearing(1, "request")(session)

    index.hear(hear, rules=1)

    assert takes(index, 1) == {"codex:0": "request", "codex:2": "request", "codex:file:/1": "request"}
    (stand_in,) = index.sessions(["codex:file:/1"])
    assert stand_in.turns[0].text == "/1: a bug: IndexError: no such turn"
    assert index.stamps("codex")["/1"] != STAMP


def test_a_session_that_was_read_anew_meanwhile_is_not_given_what_was_heard_before(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])

    def hear(session: Session) -> Heard | str:
        index.put("codex", [("/a", STAMP, held(changed(session, damaged=1)))])
        return hearing(1, "outdated")(session)

    index.hear(hear, rules=1)
    assert takes(index, 1) == {"codex:1": None}


def test_reviewed_tasks_are_those_of_the_last_reading(index: SqliteIndex) -> None:
    def task(name: str) -> Task:
        return Task(
            id=name,
            prompt="x",
            reference=Exact(answer="y"),
            session=f"f#{name}",
            project="/p",
            source="tasks_file",
            at=START,
        )

    index.put("tasks_file", [("/t", STAMP, Reading(tasks=(task("a"), task("b"))))])
    assert [found.id for found in index.reviewed({"tasks_file"})] == ["a", "b"]
    index.put("tasks_file", [("/t", STAMP, Reading(tasks=(task("b"),)))])
    assert index.reviewed({"tasks_file"}) == (task("b"),)
    index.put("tasks_file", [("/t", STAMP, Reading(unreadable="/t: task 1: no"))])
    assert index.reviewed({"tasks_file"}) == ()


def test_ended_sorts_as_time_whatever_the_fraction(index: SqliteIndex) -> None:
    moments = [START + timedelta(microseconds=micro) for micro in (0, 10, 100_000, 999_999, 1_000_000)]
    sessions = [msgspec.structs.replace(a_session(str(n)), ended=at) for n, at in enumerate(moments)]
    index.put("codex", [(f"/{n}", STAMP, held(session)) for n, session in enumerate(sessions)])
    assert [line.ended for line in index.lines(unread=True)] == moments[::-1]


def test_more_files_than_a_batch_are_all_kept(index: SqliteIndex) -> None:
    index.put("codex", ((f"/{n}", STAMP, held(a_session(str(n)))) for n in range(700)))
    assert len(index.lines(unread=True)) == 700
    assert len(index.sessions([f"codex:{n}" for n in range(700)])) == 700


def test_a_reading_that_fails_half_way_leaves_whole_files(index: SqliteIndex) -> None:
    def readings() -> Iterator[tuple[str, Stamp, Reading]]:
        for number in range(300):
            yield f"/{number}", STAMP, held(a_session(str(number)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.put("codex", readings())
    assert len(index.stamps("codex")) == len(index.lines(unread=True)) == 256


def test_marks_are_part_of_a_transaction_that_is_already_open(index: SqliteIndex) -> None:
    index.put("codex", [("/a", STAMP, held(a_session()))])
    index._connection.execute("BEGIN IMMEDIATE")
    index.mark_read(["codex:1"], "N-1")
    index._connection.rollback()
    assert unread(index) == ["codex:1"]


def test_stamps_show_what_another_connection_wrote(tmp_path: Path) -> None:
    def opened() -> SqliteIndex:
        connection = sqlite3.connect(tmp_path / "sleep.db", isolation_level=None)
        create(connection)
        return SqliteIndex(connection, threading.RLock())

    ours, theirs = opened(), opened()
    assert ours.stamps("codex") == {}
    theirs.put("codex", [("/a", STAMP, held(a_session()))])
    assert ours.stamps("codex") == {"/a": STAMP}
    for index in (ours, theirs):
        index._connection.close()
