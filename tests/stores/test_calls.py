import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind, StoreError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import CallState, Purpose, Usage
from skillopt_sleep.stores.calls import CallStore
from tests.builders import a_completion

RESERVATION = Reservation(Purpose.ROLLOUT, "scripted-1", tokens=10, usd=0.5)
USAGE = Usage(input_tokens=10, output_tokens=1)
Seen = Callable[[], tuple[list[str], int]]


@pytest.fixture
def store(tmp_path: Path) -> Generator[CallStore]:
    store = CallStore(tmp_path / "calls.db", utc_now)
    yield store
    store.close()


@pytest.fixture
def seen(tmp_path: Path) -> Seen:
    """What another process sees: the state of each call, and how many answers there are."""

    def look() -> tuple[list[str], int]:
        with closing(sqlite3.connect(tmp_path / "calls.db")) as connection:
            states = [state for (state,) in connection.execute("SELECT state FROM ledger ORDER BY id")]
            (answers,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        return states, answers

    return look


def test_what_was_answered_outlives_the_process(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.db", utc_now)
    store.calls.put("key", a_completion("yes"))
    store.close()
    again = CallStore(tmp_path / "calls.db", utc_now)
    kept = again.calls.get("key")
    again.close()
    assert kept is not None
    assert kept.text == "yes"


def test_a_bill_is_committed_with_the_answer_that_it_paid_for(store: CallStore, seen: Seen) -> None:
    entry = store.ledger.reserve(RESERVATION)
    assert seen() == (["reserved"], 0)
    store.ledger.settle(entry, CallState.DONE, usage=USAGE, usd=0.5)
    assert seen() == (["reserved"], 0), "after a crash here it counts as spent, and is asked again"
    store.calls.put("key", a_completion("yes"))
    assert seen() == (["done"], 1)


def test_a_bill_without_an_answer_to_keep_is_committed_by_the_next_call_or_at_the_end(
    tmp_path: Path, seen: Seen
) -> None:
    store = CallStore(tmp_path / "calls.db", utc_now)
    store.ledger.settle(store.ledger.reserve(RESERVATION), CallState.DONE, usage=USAGE, usd=0.5)
    entry = store.ledger.reserve(RESERVATION)
    assert seen() == (["done", "reserved"], 0)
    store.ledger.settle(entry, CallState.DONE, usage=USAGE, usd=0.5)
    store.close()
    assert seen() == (["done", "done"], 0)


def test_the_bill_of_a_failed_call_is_committed_at_once(store: CallStore, seen: Seen) -> None:
    store.ledger.settle(store.ledger.reserve(RESERVATION), CallState.FAILED, usage=None, usd=None)
    assert seen() == (["failed"], 0)


def test_a_failure_is_kept_with_the_bill_of_the_answer_that_could_not_be_used(store: CallStore, seen: Seen) -> None:
    store.ledger.settle(store.ledger.reserve(RESERVATION), CallState.DONE, usage=USAGE, usd=0.5)
    store.failures.put("key", CallFailed(FailureKind.MALFORMED, "no JSON"))
    assert seen() == (["done"], 0)


def test_what_was_spent_counts_open_bills_too(store: CallStore) -> None:
    store.ledger.settle(store.ledger.reserve(RESERVATION), CallState.DONE, usage=USAGE, usd=0.5)
    store.ledger.reserve(RESERVATION)
    assert (store.ledger.spent().calls, store.ledger.spent().dollars) == (2, 1.0)


def test_a_file_that_is_not_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls.db").write_bytes(b"no database at all, and long enough to be told from one" * 40)
    with pytest.raises(StoreError, match=r"calls\.db"):
        CallStore(tmp_path / "calls.db", utc_now)


def test_a_newer_file_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "calls.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        CallStore(tmp_path / "calls.db", utc_now)


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    CallStore(path, utc_now).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 11")
    connection.close()
    with pytest.raises(StoreError, match="another version") as refused:
        CallStore(path, utc_now)
    assert "train in another folder" in refused.value.remedy
