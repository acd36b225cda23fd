import json
import os
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import Outcome, Purpose
from skillopt_sleep.stores.running import held_by, is_running
from skillopt_sleep.stores.schema import VERSION
from skillopt_sleep.stores.summary import last_finished, summarize
from tests.builders import PROJECT, a_session
from tests.fakes import NOON
from tests.stores.opening import open_at, put, seal

EARLIER = NOON - timedelta(days=1)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_looking_for_a_missing_store_creates_none(tmp_path: Path) -> None:
    assert summarize(tmp_path / "sleep.db", month=EARLIER) is None
    assert not is_running(tmp_path)
    assert names(tmp_path) == set()


def test_it_summarizes_nights_spending_and_sources_and_leaves_no_file(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    put(store, a_session())
    with store.open_night() as page:
        store.ledger.reserve(Reservation(Purpose.MINE, "m", tokens=10))
        seal(page)
    with store.open_night() as page:
        night = page.night
    store.close()
    before = names(tmp_path)
    found = summarize(tmp_path / "sleep.db", month=EARLIER)
    assert found is not None
    assert (found.nights, found.unfinished, found.spent.calls) == (2, (night,), 1)
    assert found.sources == {("claude_code", PROJECT)}
    assert names(tmp_path) == before
    later = summarize(tmp_path / "sleep.db", month=NOON + timedelta(days=40))
    assert later is not None
    assert later.spent.calls == 0


def test_it_sees_what_a_running_night_has_written_so_far(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night():
        store.ledger.reserve(Reservation(Purpose.MINE, "m", tokens=10))
        found = summarize(tmp_path / "sleep.db", month=EARLIER)
        assert is_running(tmp_path)
    store.close()
    assert found is not None
    assert found.spent.calls == 1
    assert not is_running(tmp_path)


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + b"\1" * 9000])
def test_a_corrupt_file_is_named_and_left_as_it_is(tmp_path: Path, damage: bytes) -> None:
    database = tmp_path / "sleep.db"
    database.write_bytes(damage)
    with pytest.raises(StoreError, match="corrupt"):
        summarize(database, month=EARLIER)
    assert names(tmp_path) == {"sleep.db"}
    assert database.read_bytes() == damage


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "sleep.db").mkdir()
    with pytest.raises(StoreError, match=r"sleep\.db"):
        summarize(tmp_path / "sleep.db", month=EARLIER)


def test_a_store_that_is_just_being_created_holds_nothing(tmp_path: Path) -> None:
    database = tmp_path / "sleep.db"
    sqlite3.connect(database).execute("PRAGMA journal_mode = WAL").connection.close()
    found = summarize(database, month=EARLIER)
    assert found is not None
    assert found.nights == 0
    assert last_finished(database, now=EARLIER) is None


@pytest.mark.parametrize("version", [VERSION + 1, VERSION + 10, -1])
def test_a_store_of_another_version_is_refused(tmp_path: Path, version: int) -> None:
    open_at(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "sleep.db")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(StoreError, match=f"another version.*schema {version}"):
        summarize(tmp_path / "sleep.db", month=EARLIER)


def test_the_last_finished_night_is_found_and_none_from_the_future(tmp_path: Path) -> None:
    database, hour = tmp_path / "sleep.db", timedelta(hours=1)
    assert last_finished(database, now=NOON) is None
    store = open_at(tmp_path)
    for number, verdict in enumerate((Outcome.NOTHING_NEW, Outcome.INTERRUPTED, Outcome.BACKEND_FAILED)):
        with store.open_night() as page:
            seal(page, verdict=verdict, ended=NOON + number * hour)
    with store.open_night() as page:
        seal(page, verdict=Outcome.OVER_BUDGET, ended=NOON + 9 * hour)
    store.close()
    assert last_finished(database, now=NOON - hour) is None
    assert last_finished(database, now=NOON + 5 * hour) == NOON
    assert last_finished(database, now=NOON + 9 * hour) == NOON + 9 * hour


def test_an_unreadable_store_has_no_finished_night(tmp_path: Path) -> None:
    (tmp_path / "sleep.db").write_bytes(b"not a database, by far" * 100)
    assert last_finished(tmp_path / "sleep.db", now=NOON) is None


def test_the_process_of_a_running_night_is_known(tmp_path: Path) -> None:
    store = open_at(tmp_path, clock=utc_now)
    assert held_by(tmp_path) is None
    with store.open_night():
        assert held_by(tmp_path) == os.getpid()
    assert held_by(tmp_path) is None
    said = {"pid": os.getpid(), "since": utc_now().isoformat()}
    (tmp_path / "night.holder").write_text(json.dumps(said), encoding="utf-8")
    assert held_by(tmp_path) is None, "it was killed"
    store.close()
