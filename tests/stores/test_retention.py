from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import EMPTIED
from skillopt_sleep.stores.bank import TaskMark
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_session
from tests.fakes import NOON
from tests.keeping.machine import a_machine
from tests.nights import Machine

LATER = NOON + timedelta(days=1)
NOBODY: frozenset[str] = frozenset()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = a_machine(tmp_path).store()
    store.bank.decide("P-0001", "rejected", at=NOON, leaving=("adopted",))
    return store


def without_lessons(store: SqliteStore) -> SqliteStore:
    store.bank.decide("P-0001", "rejected", at=NOON, leaving=("adopted",))
    assert store.retention.forget_lessons(LATER, asked=LATER, named=NOBODY) == (5, 1)
    return store


def test_sessions_lose_what_was_said_and_are_known_still(store: SqliteStore) -> None:
    assert store.retention.forget_sessions(NOON - timedelta(days=30)) == 0
    without_lessons(store)
    assert store.retention.forget_sessions(LATER) == 5
    assert store.retention.forget_sessions(LATER) == 0
    assert len(store.index.lines(unread=False)) == 5
    known = [line.id for line in store.index.lines(unread=False)]
    assert {session.turns for session in store.index.sessions(known)} == {()}
    store.close()


def test_an_unread_session_is_kept_whole_as_long_as_its_file(store: SqliteStore, tmp_path: Path) -> None:
    store.close()
    machine = a_machine(tmp_path / "other")
    machine.had(7)
    later = without_lessons(machine.store())
    later.index.put("claude_code", machine.shelf.read(["claude_code:shop-7"]))
    assert later.retention.forget_sessions(LATER) == 5
    later.index.forget("claude_code", ["claude_code:shop-7"])
    assert later.retention.forget_sessions(LATER) == 1
    later.close()


def test_tasks_and_lessons_of_nothing_that_waits_go(store: SqliteStore) -> None:
    pinned, edited, named, *_ = store.bank.all_tasks()
    store.bank.mark([pinned.id], TaskMark.PINNED, at=NOON)
    store.bank.write([edited], at=NOON)
    assert store.retention.forget_lessons(LATER, asked=NOON - timedelta(days=90), named=NOBODY) == (0, 0)
    assert store.retention.forget_lessons(LATER, asked=LATER, named={named.id}) == (2, 0)
    assert {task.id for task in store.bank.all_tasks()} == {pinned.id, edited.id, named.id}
    store.close()


def test_what_a_live_proposal_rests_on_stays(store: SqliteStore) -> None:
    store.bank.decide("P-0001", "adopted", at=NOON, leaving=("rejected",))
    assert store.retention.forget_lessons(LATER, asked=LATER, named=NOBODY) == (0, 0)
    store.bank.decide("P-0001", "rejected", at=NOON, leaving=("adopted",))
    assert store.retention.forget_lessons(LATER, asked=LATER, named=NOBODY) == (5, 1)
    store.close()


def test_a_nights_answers_go_and_its_report_is_replaced(store: SqliteStore) -> None:
    assert store.retention.nights(NOON - timedelta(days=1)) == ()
    assert store.retention.nights(LATER) == ("2026-03-02",)
    store.retention.forget_night("2026-03-02", None)
    assert [row for row in store.nights() if row.closed]
    store.close()


def test_the_turns_that_taught_a_lesson_outlive_their_session_and_go_with_the_lesson(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3)
    first = machine.shelf.sessions[0]
    more = a_session("Now write a poem.", "Roses are red.").turns
    machine.shelf.sessions[0] = replace(first, turns=(*first.turns, *more))
    machine.night()
    store = machine.store()
    store.index.forget("claude_code", [first.id])
    assert store.retention.forget_sessions(LATER) == 1
    (kept,) = store.index.sessions([first.id])
    assert kept.turns == (*first.turns, EMPTIED, EMPTIED)
    assert kept.is_emptied
    assert store.retention.forget_sessions(LATER) == 0
    store.bank.decide("P-0001", "rejected", at=NOON)
    store.retention.forget_lessons(LATER, asked=LATER, named=NOBODY)
    assert store.retention.forget_sessions(LATER) == 4
    assert store.index.sessions([first.id])[0].turns == ()
    store.close()
