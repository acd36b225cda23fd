from datetime import timedelta
from pathlib import Path

from skillopt_sleep.records import Trial
from skillopt_sleep.reporters.gains import in_grades
from skillopt_sleep.reporters.past_nights import past_nights
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_fresh_round, a_report
from tests.fakes import NOON, FakeClock
from tests.reporters.reports import improved


def test_nights_are_read_newest_first_some_at_a_time(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, clock=FakeClock(), lookback=timedelta(days=30), config="")
    for _ in range(3):
        with store.open_night() as page:
            page.close(a_report(night=page.night), found=(), tasks=(), lessons=(), lost=(), copies=())

    first, rest = past_nights(store, now=NOON, last=2), past_nights(store, now=NOON, last=2, skipped=2)

    everything = [line.id for line in store.nights()]
    assert [night.line.id for night in (*first.nights, *rest.nights)] == everything
    assert (first.all, rest.all) == (3, 3)
    assert all(night.report for night in past_nights(store, now=NOON, last=0).nights)
    assert not first.running
    store.close()


def test_a_gain_is_never_told_without_its_n_and_interval() -> None:
    assert in_grades(improved().trial) == "0.25 → 1.00, gain +0.75 (90 % interval -0.61 to +1.00), 2 tries"
    assert in_grades(a_fresh_round(0.5, 0.75, 4, (-0.4, 0.8))).endswith("(90 % interval -0.40 to +0.80), 4 tries")
    assert in_grades(Trial()) == ""
