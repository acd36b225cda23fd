"""Test that only one night runs at a time, and a killed one is resumed where it was."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.errors import NightLocked
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import Outcome, Usage
from tests.fakes import NOON, FakeClock
from tests.stores.opening import open_at, seal

ROOT = Path(__file__).parent.parent.parent

# A night in a process of its own: it keeps a stage and a call, reserves another, says so, and waits to be killed.
NIGHT = """
import sys, time
from pathlib import Path
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import CallState, Completion, Purpose, Usage
from tests.stores.opening import open_at

store = open_at(Path(sys.argv[1]), config=sys.argv[2])
with store.open_night() as page:
    page.keep("mined", list[str], lambda: ["from the first life"])
    page.write("tasks", ["from the first life"])
    store.calls.put("key", Completion(text="paid for"))
    entry = store.ledger.reserve(Reservation(Purpose.MINE, "m", tokens=3, usd=0.1))
    store.ledger.settle(entry, CallState.DONE, usage=Usage(input_tokens=5), usd=0.5)
    store.ledger.reserve(Reservation(Purpose.ROLLOUT, "m", tokens=7, usd=0.25))
    page.next_proposal()
    print(page.night, flush=True)
    time.sleep(60)
"""


def a_night_elsewhere(folder: Path, *, config: str = "one") -> tuple[subprocess.Popen[str], str]:
    """Start a night in another process; yield the process and the night's id."""
    process = subprocess.Popen(
        [sys.executable, "-c", NIGHT, str(folder), config], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def a_killed_night(folder: Path, *, config: str = "one") -> str:
    process, night = a_night_elsewhere(folder, config=config)
    kill(process)
    return night


# the lock -----------------------------------------------------------------------------------------------


def test_a_second_night_is_refused_and_the_holder_of_the_lock_named(tmp_path: Path) -> None:
    store, other = open_at(tmp_path), open_at(tmp_path)

    with (
        store.open_night(),
        pytest.raises(NightLocked, match=rf"process {os.getpid()}, since \w+ [\d-]+ \d\d:\d\d\)"),
    ):
        other.open_night().__enter__()
    store.close()
    other.close()


def test_a_night_of_another_process_is_named(tmp_path: Path) -> None:
    process, _ = a_night_elsewhere(tmp_path)
    store = open_at(tmp_path)

    with pytest.raises(NightLocked, match=f"process {process.pid}"):
        store.open_night().__enter__()
    kill(process)
    store.close()


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    a_killed_night(tmp_path)
    store = open_at(tmp_path)

    with store.open_night() as page:
        assert json.loads((tmp_path / "night.holder").read_text())["pid"] == os.getpid()
        seal(page)
    store.close()


def test_after_a_night_the_lock_is_free(tmp_path: Path) -> None:
    store, other = open_at(tmp_path), open_at(tmp_path)
    with store.open_night() as page:
        seal(page)

    with other.open_night() as page:
        seal(page)
    assert not (tmp_path / "night.holder").exists()
    store.close()
    other.close()


def test_an_unreadable_holder_file_does_not_hide_the_lock(tmp_path: Path) -> None:
    store, other = open_at(tmp_path), open_at(tmp_path)

    with store.open_night():
        (tmp_path / "night.holder").write_text("{", encoding="utf-8")
        with pytest.raises(NightLocked) as locked:
            other.open_night().__enter__()
    assert locked.value.message == "a night is already running"
    store.close()
    other.close()


# resuming -----------------------------------------------------------------------------------------------


def test_a_killed_night_is_resumed_with_its_id_and_saved_stages(tmp_path: Path) -> None:
    night = a_killed_night(tmp_path)
    clock = FakeClock(NOON + timedelta(days=2))
    store = open_at(tmp_path, clock=clock)

    with store.open_night() as page:
        assert (page.night, page.resumed, page.started) == (night, True, NOON)
        assert page.keep("mined", list[str], lambda: ["computed again"]) == ["from the first life"]
        seal(page)
    assert [line.id for line in store.nights()] == [night]
    store.close()


def test_a_killed_nights_calls_and_spending_survive(tmp_path: Path) -> None:
    a_killed_night(tmp_path)
    store = open_at(tmp_path)

    with store.open_night() as page:
        stored = store.calls.get("key")
        assert stored is not None
        assert stored.text == "paid for"
        assert store.ledger.spent() == SpendTally(
            purposes={"mine": 1, "rollout": 1},
            usage=Usage(input_tokens=5),
            usd=None,
            unnamed=1,
            tokens=12,
            dollars=0.75,
        )
        assert page.next_proposal() == "P-0002"
        seal(page)
    store.close()


def test_a_resumed_night_rewrites_its_files(tmp_path: Path) -> None:
    a_killed_night(tmp_path)
    store = open_at(tmp_path)

    with store.open_night() as page:
        page.write("tasks", ["second life"])
        assert (page.folder / "tasks.jsonl").read_text(encoding="utf-8") == '"second life"\n'
        seal(page)
    store.close()


def test_under_other_settings_a_new_night_begins_and_the_old_one_counts_as_interrupted(tmp_path: Path) -> None:
    killed = a_killed_night(tmp_path, config="one")
    store = open_at(tmp_path, config="two")

    with store.open_night() as page:
        assert (page.night, page.resumed) == (f"{killed}-2", False)
        assert page.keep("mined", list[str], lambda: ["computed"]) == ["computed"]
        seal(page)
    assert [(line.id, line.outcome) for line in store.nights()] == [
        (f"{killed}-2", Outcome.NOTHING_NEW),
        (killed, Outcome.INTERRUPTED),
    ]
    store.close()


def test_closing_a_night_under_other_settings_deletes_its_saved_stages(tmp_path: Path) -> None:
    a_killed_night(tmp_path, config="one")
    store = open_at(tmp_path, config="two")

    with store.open_night(), closing(sqlite3.connect(tmp_path / "sleep.db")) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    store.close()


def test_calls_survive_other_settings_too(tmp_path: Path) -> None:
    a_killed_night(tmp_path, config="one")
    store = open_at(tmp_path, config="two")

    assert store.calls.get("key") is not None
    store.close()


def test_a_night_that_ended_with_an_error_is_resumed_too(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with pytest.raises(ZeroDivisionError), store.open_night() as page:
        _ = page.keep("mined", list[str], lambda: ["once"]) and 1 // 0

    with store.open_night() as page:
        assert page.resumed
        assert page.keep("mined", list[str], lambda: ["again"]) == ["once"]
        seal(page)
    store.close()


def test_a_closed_night_is_never_resumed(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    for expected in ("2026-03-02", "2026-03-02-2"):
        with store.open_night() as page:
            assert (page.night, page.resumed) == (expected, False)
            assert page.keep("mined", list[str], lambda: [expected]) == [expected]  # noqa: B023 - called at once
            seal(page)
    store.close()
