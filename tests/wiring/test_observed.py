from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.errors import CallPending, NightInterrupted
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.log import log_to, stop_logging
from skillopt_sleep.records import Note
from skillopt_sleep.stores.events import EventKind, read_events
from skillopt_sleep.stores.running import HOLDER, Holder
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.observed import Observed
from tests.builders import a_report, an_outcome
from tests.fakes import FakeClock, FakeMeter
from tests.logs import read_log


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "log.jsonl"
    log_to(path)
    yield path
    stop_logging()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "data", clock=utc_now, lookback=timedelta(days=7), config="c")
    yield store
    store.close()


def observed(store: SqliteStore, data: Path) -> Observed:
    return Observed(store, FakeMeter(), data=data, most_calls=300, most_minutes=60)


def test_a_night_and_its_stages_are_in_the_log(tmp_path: Path, log: Path, store: SqliteStore) -> None:
    watched = observed(store, tmp_path / "data")
    with watched.open_night() as page:
        for done in range(3):
            watched.advance("mine", done, 2)
    begins, stage = read_log(log)
    assert (begins["event"], begins["night"]) == ("night begins", page.night)
    assert (stage["event"], stage["stage"], stage["items"]) == ("stage ends", "mine", 2)


def test_what_a_rule_left_out_is_no_warning(tmp_path: Path, log: Path, store: SqliteStore) -> None:
    left_out = Note(stage="prove", summary="1 of 9 tasks were dropped", expected=True)
    failed = Note(stage="mine", summary="a call failed")
    with observed(store, tmp_path / "data").open_night() as page:
        report = a_report(night=page.night, errors=(left_out, failed))
        page.close(report, found=(), tasks=(), lessons=(), lost=(), copies=())
    told = [
        (line["event"], line["level"], line["stage"])
        for line in read_log(log)
        if "because" in line and "stage" in line
    ]
    assert told == [("left out", "info", "prove"), ("trouble", "warning", "mine")]


def test_the_time_of_a_night_that_goes_on_counts_from_when_it_went_on(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data", clock=FakeClock(), lookback=timedelta(days=7), config="c")
    before = utc_now()
    with observed(store, tmp_path / "data").open_night() as page:
        running = from_json((tmp_path / "data" / HOLDER).read_bytes(), Holder)
    store.close()
    assert running.started is not None
    assert page.started < before <= running.started


def test_nothing_is_left_to_watch_when_it_is_over(tmp_path: Path, store: SqliteStore) -> None:
    with observed(store, tmp_path / "data").open_night():
        pass
    assert not (tmp_path / "data" / HOLDER).exists()


@pytest.mark.parametrize(
    ("error", "event", "level"),
    [
        (CallPending("3 prompts wait"), "night waits", "info"),
        (NightInterrupted("it was stopped"), "night stops", "warning"),
        (ZeroDivisionError("a bug"), "night stops", "error"),
    ],
)
def test_a_night_without_a_report_says_why(
    tmp_path: Path, log: Path, store: SqliteStore, *, error: Exception, event: str, level: str
) -> None:
    with pytest.raises(type(error)), observed(store, tmp_path / "data").open_night():
        raise error
    last = list(read_log(log))[-1]
    assert (last["event"], last["level"]) == (event, level)
    assert str(error) in last["because"]
    assert ("traceback" in last) is (level == "error")
    assert not (tmp_path / "data" / HOLDER).exists()


def test_what_was_decided_is_kept_among_the_events_of_the_night(tmp_path: Path, store: SqliteStore) -> None:
    watched = observed(store, tmp_path / "data")
    with watched.open_night() as page:
        watched.decided(an_outcome())
    kinds = {event.kind: event for event in read_events(store.folder(page.night))}
    assert list(kinds) == [EventKind.BEGINS, EventKind.VERDICT, EventKind.ENDS]
    assert kinds[EventKind.VERDICT].document == an_outcome().document.id
    assert kinds[EventKind.VERDICT].decision == an_outcome().verdict.decision
    watched.decided(an_outcome())  # outside of a night nobody is told
