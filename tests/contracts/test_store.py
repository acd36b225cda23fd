"""What every store promises."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import NightLocked
from skillopt_sleep.protocols.stores import Store
from skillopt_sleep.records import CUT_SHORT, LeftOut, Outcome, Packed, Past, Reading, Split, Stamp
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_report, a_session, a_task
from tests.fakes import NOON, FakeClock

MAKERS: dict[str, Callable[[Path, FakeClock], Store]] = {
    "sqlite": lambda folder, clock: SqliteStore(folder, clock=clock, lookback=timedelta(days=7), config="one"),
}
STAMP = Stamp(inode=1, size=2, mtime_ns=3)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=MAKERS)
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    made = MAKERS[request.param](tmp_path, clock)
    yield made
    if isinstance(made, SqliteStore):
        made.close()


def live(store: Store, outcome: Outcome = Outcome.NO_CHANGE, *, tasks: bool = True) -> None:
    """A night that finds one session, makes a task of it, and ends so."""
    with store.open_night() as page:
        found = page.index.sessions([line.id for line in page.index.lines(unread=True)])
        made = (a_task(split=Split.TRAIN, lesson="c"),) if tasks else ()
        report = a_report(night=page.night, verdict=outcome)
        page.close(report, found=found, tasks=made, lessons=(), lost=(), copies=())


def indexed(store: Store) -> None:
    with store.open_night() as page:
        page.index.put("claude_code", [("/a.jsonl", STAMP, Reading(sessions=(Packed.of(a_session()),)))])


def test_one_night_at_a_time(store: Store) -> None:
    with store.open_night(), pytest.raises(NightLocked):
        store.open_night().__enter__()


def test_the_lock_is_released_even_after_an_error(store: Store) -> None:
    with pytest.raises(KeyError), store.open_night():
        raise KeyError

    with store.open_night() as page:
        assert page.resumed


def test_a_night_has_an_id_a_folder_a_start_and_a_horizon(store: Store) -> None:
    with store.open_night() as page:
        assert page.night
        assert page.folder.is_dir()
        assert page.folder.name == page.night
        assert page.started == NOON
        assert page.horizon == NOON - timedelta(days=7)
        assert not page.resumed


def test_what_was_indexed_is_found_again_as_it_was(store: Store) -> None:
    indexed(store)

    with store.open_night() as page:
        assert page.index.stamps("claude_code") == {"/a.jsonl": STAMP}
        assert page.index.stamps("codex") == {}
        (line,) = page.index.lines(unread=True)
        assert (line.id, line.left_out) == ("claude_code:s1", None)
        assert page.index.sessions([line.id]) == (a_session(),)
        assert page.index.sessions(["codex:nobody"]) == ()


def test_the_reason_a_session_is_left_out_is_kept(store: Store) -> None:
    with store.open_night() as page:
        page.index.put("codex", [("/a", STAMP, Reading(sessions=(Packed.of(a_session(), LeftOut.HEADLESS),)))])

        assert [line.left_out for line in page.index.lines(unread=True)] == [LeftOut.HEADLESS]


def test_reviewed_tasks_are_found_and_known_once_banked(store: Store) -> None:
    with store.open_night() as page:
        page.index.put("tasks_file", [("/t.toml", STAMP, Reading(tasks=(a_task(),)))])
        assert page.bank.unknown(page.index.reviewed({"tasks_file"})) == (a_task(),)
    live(store)

    with store.open_night() as page:
        assert page.index.reviewed({"tasks_file"}) == (a_task(),)
        assert page.bank.unknown(page.index.reviewed({"tasks_file"})) == ()


@pytest.mark.parametrize("outcome", Outcome)
def test_a_session_is_read_unless_its_night_was_cut_short(store: Store, outcome: Outcome) -> None:
    indexed(store)
    live(store, outcome)

    with store.open_night() as page:
        assert bool(page.index.lines(unread=True)) == (outcome in CUT_SHORT)
        assert bool(page.bank.tasks({a_task().project})) == (outcome not in CUT_SHORT)
        assert len(page.index.lines(unread=False)) == 1


def test_a_session_that_changed_is_unread_again(store: Store) -> None:
    indexed(store)
    live(store)
    longer = a_session("one", "two", "three", "four", ended=NOON + timedelta(hours=1))

    with store.open_night() as page:
        page.index.put("claude_code", [("/a.jsonl", STAMP, Reading(sessions=(Packed.of(longer),)))])
        assert [line.id for line in page.index.lines(unread=True)] == ["claude_code:s1"]


def test_a_session_that_was_read_again_without_a_change_stays_read(store: Store) -> None:
    indexed(store)
    live(store)
    indexed(store)

    with store.open_night() as page:
        assert page.index.lines(unread=True) == []


def test_a_banked_task_has_its_side_on_every_later_night(store: Store) -> None:
    live(store)

    with store.open_night() as page:
        (task,) = page.bank.tasks({a_task().project})
        assert (task.split, task.lesson) == (Split.TRAIN, "c")
        assert page.bank.sides({task.session}) == {task.session: "train"}
        assert replace(page.history.past("/nowhere"), nights=()) == Past()


def test_a_stage_is_computed_once_even_over_two_lives(store: Store) -> None:
    with pytest.raises(KeyError), store.open_night() as page:
        raise KeyError(page.keep("mined", str, lambda: "first"))

    with store.open_night() as page:
        assert page.keep("mined", str, lambda: "second") == "first"


def test_proposal_ids_are_fresh(store: Store) -> None:
    with store.open_night() as page:
        given = [page.next_proposal() for _ in range(3)]

    assert len(set(given)) == 3
    assert given == sorted(given)
