"""Test the store on disk: private, safe from damage, and the same from night to night."""

import sqlite3
import stat
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import filelock
import pytest

from skillopt_sleep.errors import StoreError
from skillopt_sleep.records import Outcome
from skillopt_sleep.stores.schema import VERSION
from tests.builders import a_completion, a_proposal, a_session, a_task
from tests.fakes import NOON, FakeClock
from tests.stores.opening import open_at, put, seal, unread

# files --------------------------------------------------------------------------------------------------


def test_everything_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    store = open_at(tmp_path / "deep" / "data")
    with store.open_night() as page:
        page.write("tasks", [a_task()])
        put(store, a_session())
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
        seal(page)
    store.close()

    assert {path.name for path in modes} >= {
        "deep",
        "data",
        "sleep.db",
        "night.lock",
        "night.holder",
        "nights",
        "tasks.jsonl",
    }
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items()), modes


def test_a_store_opened_twice_is_one_store(tmp_path: Path) -> None:
    first, second = open_at(tmp_path), open_at(tmp_path)
    put(first, a_session())

    assert unread(second) == ["claude_code:s1"]
    first.close()
    second.close()


def test_a_fresh_store_has_an_empty_summary(tmp_path: Path) -> None:
    store = open_at(tmp_path)

    assert store.notice == ""
    assert store.nights() == ()
    assert store.report("2026-03-02") is None
    store.close()


def test_asking_for_the_page_while_no_night_is_open_is_a_bug(tmp_path: Path) -> None:
    store = open_at(tmp_path)

    with pytest.raises(RuntimeError, match="no night is open"):
        _ = store.page
    store.close()


# damage and versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"this is no database, " * 100, b"SQLite format 3\x00" + bytes(4_000)])
def test_a_corrupt_file_is_set_aside_whole_and_named_and_a_new_one_works(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "sleep.db").write_bytes(data)

    store = open_at(tmp_path)

    (aside,) = tmp_path.glob("sleep.db.aside-*")
    assert aside.read_bytes() == data
    assert str(aside) in store.notice
    assert str(tmp_path / "sleep.db") in store.notice
    put(store, a_session())
    with store.open_night() as page:
        seal(page, found=[a_session()])
    assert unread(store) == []
    store.close()


def test_damage_inside_a_real_store_is_found(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    put(store, *(a_session(id=f"claude_code:s{i}") for i in range(200)))
    store.close()
    path = tmp_path / "sleep.db"
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\xa5" * (4096 * 3)
    path.write_bytes(data)

    again = open_at(tmp_path)

    assert "corrupt" in again.notice
    assert len(list(tmp_path.glob("sleep.db.aside-*"))) == 1
    assert again.nights() == ()
    again.close()


def test_after_damage_was_set_aside_the_next_opening_has_no_notice(tmp_path: Path) -> None:
    (tmp_path / "sleep.db").write_bytes(b"x" * 5_000)
    open_at(tmp_path).close()

    again = open_at(tmp_path)

    assert again.notice == ""
    assert len(list(tmp_path.glob("sleep.db.aside-*"))) == 1
    again.close()


@pytest.mark.parametrize("version", [VERSION + 1, VERSION + 10, -1])
def test_a_store_of_another_version_is_refused_and_untouched(tmp_path: Path, version: int) -> None:
    path = tmp_path / "sleep.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE wonders (x)")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.commit()
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="another version"):
        open_at(tmp_path)

    assert path.read_bytes() == before
    assert list(tmp_path.glob("sleep.db.aside-*")) == []


def test_a_file_that_cannot_be_opened_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "sleep.db").mkdir()

    with pytest.raises(StoreError, match=r"sleep\.db"):
        open_at(tmp_path)


# ids and horizon ----------------------------------------------------------------------------------------


def test_a_night_is_named_after_its_day_and_numbered_from_the_second_of_a_day_on(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    names: list[str] = []
    for hours in (0, 1, 1, 24, 1):
        clock.pass_by(hours=hours)
        with store.open_night() as page:
            names.append(page.night)
            seal(page)
    store.close()

    assert names == ["2026-03-02", "2026-03-02-2", "2026-03-02-3", "2026-03-03", "2026-03-03-2"]


def test_a_recreated_store_starts_no_night_in_an_existing_folder(tmp_path: Path) -> None:
    for name in ("2026-03-02", "2026-03-02-2"):
        (tmp_path / "nights" / name).mkdir(parents=True)
    store = open_at(tmp_path)
    with store.open_night() as page:
        assert page.night == "2026-03-02-3"
    store.close()


def test_nights_are_listed_newest_first(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    for _ in range(3):
        clock.pass_by(days=1)
        with store.open_night() as page:
            seal(page, ended=clock())

    assert [(line.id, line.started, line.closed, line.outcome) for line in store.nights()] == [
        (f"2026-03-0{day}", NOON + timedelta(days=day - 2), NOON + timedelta(days=day - 2), Outcome.NOTHING_NEW)
        for day in (5, 4, 3)
    ]
    store.close()


def test_the_horizon_is_the_first_night_minus_the_lookback(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock, lookback=7)
    assert store.horizon() == NOON - timedelta(days=7)
    clock.pass_by(days=1)
    with store.open_night() as page:
        first = page.horizon
        seal(page)
    store.close()
    clock.pass_by(days=30)

    later = open_at(tmp_path, clock=clock, lookback=90)
    with later.open_night() as page:
        assert first == NOON + timedelta(days=1 - 7)
        assert page.horizon == later.horizon() == NOON + timedelta(days=1 - 90)
        seal(page)
    later.close()


def test_before_the_first_night_the_horizon_moves_with_the_clock(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    clock.pass_by(days=3)

    assert store.horizon() == NOON - timedelta(days=4)
    store.close()


# reports ------------------------------------------------------------------------------------------------


def test_a_closed_nights_report_is_kept(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        assert store.report(page.night) is None
        seal(page, verdict=Outcome.NO_CHANGE, because="useless", proposals=(a_proposal(),))

    report = store.report("2026-03-02")

    assert report is not None
    assert (report.because, report.run.folder) == ("useless", str(store.folder("2026-03-02")))
    assert [decided.proposal for decided in store.bank.proposals()] == [a_proposal()]
    store.close()


def test_calls_are_kept_from_night_to_night(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        store.calls.put("key", a_completion("paid for"))
        seal(page)
    store.close()

    again = open_at(tmp_path)
    assert again.calls.get("key") == a_completion("paid for")
    again.close()


# processes ----------------------------------------------------------------------------------------------

OPEN = """
import sys
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.sqlite import open_store
paths = find_paths()
settings = load(paths)
print("ready", flush=True)
sys.stdin.readline()
open_store(settings, paths).close()
"""


def test_processes_that_create_a_store_at_once_all_open_it(tmp_path: Path) -> None:
    environ = {"SKILLOPT_SLEEP_HOME": str(tmp_path / "sleep"), "HOME": str(tmp_path)}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", OPEN]
    several = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environ) for _ in range(6)
    ]
    for one in several:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in several:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    ends = [one.communicate(timeout=60) for one in several]
    assert [one.returncode for one in several] == [0] * 6, ends


def test_a_status_check_is_not_mistaken_for_a_running_night(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    look = filelock.FileLock(tmp_path / "night.lock", thread_local=False)
    look.acquire()
    letting_go = threading.Timer(0.2, look.release)
    letting_go.start()
    with store.open_night() as page:
        seal(page)
    letting_go.join()
    store.close()
