"""Running sums are those of the calls, whoever changes them meanwhile, and take no longer as they grow."""

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.protocols.models import Reservation, ReservedCost
from skillopt_sleep.records import CallState, Purpose, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.stores.ledger import SqliteLedger
from skillopt_sleep.stores.schema import create
from tests.fakes import NOON, FakeClock

PURPOSES = st.sampled_from([Purpose.ROLLOUT, Purpose.REFLECT])
PRICES = st.none() | st.sampled_from([0.0, 0.1, 0.25, 3e-7])
USAGES = st.none() | st.builds(
    Usage, input_tokens=st.integers(0, 9), output_tokens=st.integers(0, 9), cached_tokens=st.just(0)
)
RESERVED = st.builds(
    Reservation, PURPOSES, st.just("m"), st.sampled_from(["", "/p"]), st.booleans(), st.integers(0, 9), PRICES
)
ENDS = st.tuples(
    st.sampled_from([CallState.DONE, CallState.FAILED, CallState.LOST]),
    USAGES,
    PRICES,
    st.integers(0, 2),
    st.none() | st.builds(ReservedCost, st.integers(0, 9), PRICES),
)
STEPS = st.lists(st.tuples(st.sampled_from(["reserve", "settle", "move", "other"]), RESERVED, ENDS), max_size=12)


def a_ledger(connection: sqlite3.Connection) -> SqliteLedger:
    return SqliteLedger(connection, threading.RLock(), lambda: "n", FakeClock())


@given(steps=STEPS)
@settings(deadline=None, max_examples=60)
def test_the_sums_are_those_of_the_table_after_every_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Reservation, tuple[object, ...]]]
) -> None:
    file = tmp_path_factory.mktemp("ledger") / "calls.db"
    connection, other = (sqlite3.connect(file, isolation_level=None) for _ in range(2))
    connection.execute("PRAGMA journal_mode = WAL")
    for one in (connection, other):
        one.execute("PRAGMA synchronous = OFF")
    create(connection)
    ledger, elsewhere = a_ledger(connection), a_ledger(other)
    open_calls: list[int] = []
    for verb, call, (state, usage, usd, odd, held) in steps:
        if verb == "reserve":
            open_calls.append(ledger.reserve(call))
        elif verb == "settle" and open_calls:
            ledger.settle(open_calls.pop(0), state, usage=usage, usd=usd, odd_events=odd, held=held)  # type: ignore[arg-type]
        elif verb == "move":
            connection.execute("UPDATE ledger SET project = '/q' WHERE project = '/p'")
        elif verb == "other":
            elsewhere.settle(elsewhere.reserve(call), CallState.DONE, usage=usage, usd=usd)  # type: ignore[arg-type]
        total = ledger.spent_since(NOON)
        assert ledger.spent() == ledger.spent_in_month(NOON) == total
        projects = [ledger.spent(project=project) for project in ("", "/p", "/q")]
        for name in ("calls", "tokens", "unnamed", "unpriced", "repairs", "odd_events"):
            assert sum(getattr(one, name) for one in projects) == getattr(total, name)
    connection.close()
    other.close()


def test_ten_calls_of_a_tenth_are_one(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.db", FakeClock())
    store.ledger.spent()
    for _ in range(10):
        entry = store.ledger.reserve(Reservation(Purpose.ROLLOUT, "m"))
        store.ledger.settle(entry, CallState.DONE, usage=None, usd=0.1)
    assert store.ledger.spent().dollars >= 1.0
    store.close()


def test_a_call_that_a_killed_process_left_counts_and_may_be_settled_by_the_next(tmp_path: Path) -> None:
    first = CallStore(tmp_path / "calls.db", FakeClock())
    first.ledger.spent()
    entry = first.ledger.reserve(Reservation(Purpose.ROLLOUT, "m", tokens=7))
    first.close()
    second = CallStore(tmp_path / "calls.db", FakeClock())
    assert (second.ledger.spent().calls, second.ledger.spent().tokens) == (1, 7)
    second.ledger.settle(entry, CallState.DONE, usage=Usage(input_tokens=3, output_tokens=1), usd=0.5)
    assert (second.ledger.spent().tokens, second.ledger.spent().usd) == (4, 0.5)
    second.close()


def test_a_limit_costs_the_same_however_many_calls_there_are(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "calls.db", isolation_level=None)
    create(connection)
    ledger = a_ledger(connection)

    def steps() -> int:
        count: list[int] = []
        connection.set_progress_handler(lambda: count.append(1), 1)
        ledger.spent()
        ledger.spent(project="")
        ledger.spent_in_month(NOON)
        connection.set_progress_handler(None, 1)
        return len(count)

    def call() -> None:
        entry = ledger.reserve(Reservation(Purpose.ROLLOUT, "m", tokens=1))
        ledger.settle(entry, CallState.DONE, usage=Usage(input_tokens=1), usd=0.1)

    call()
    steps()
    first = steps()
    for _ in range(300):
        call()
    assert first > 0
    assert steps() == first
    assert ledger.spent().calls == 301
    connection.close()
