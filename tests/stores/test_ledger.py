"""What was spent and what was answered: durable before it is used, and unknown is never zero."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillopt_sleep.protocols import Tally
from skillopt_sleep.records import Purpose, Usage
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_completion, a_task
from tests.stores.opening import open_at, seal

USAGE = Usage(input_tokens=10, output_tokens=4, cached_tokens=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path)
    with opened.open_night() as page:
        yield opened
        seal(page)
    opened.close()


def call(
    store: SqliteStore, *, usage: Usage | None = USAGE, usd: float | None = 0.25, failed: bool = False,
    purpose: Purpose = Purpose.ROLLOUT,
) -> None:  # fmt: skip
    entry = store.ledger.reserve(purpose=purpose, model="m")
    store.ledger.reconcile(entry, usage=usage, usd=usd, failed=failed)


def test_nothing_spent_is_nothing(store: SqliteStore) -> None:
    assert store.ledger.spent() == Tally(purposes={}, usage=Usage(), usd=0.0, unnamed=0)


def test_calls_add_up_by_purpose(store: SqliteStore) -> None:
    call(store)
    call(store)
    call(store, purpose=Purpose.JUDGE)

    tally = store.ledger.spent()

    assert tally == Tally(purposes={"rollout": 2, "judge": 1}, usage=USAGE + USAGE + USAGE, usd=0.75, unnamed=0)
    assert tally.calls == 3


def test_a_reservation_counts_as_a_call_before_it_is_answered(store: SqliteStore) -> None:
    store.ledger.reserve(purpose=Purpose.MINE, model="m")

    assert store.ledger.spent() == Tally(purposes={"mine": 1}, usage=Usage(), usd=None, unnamed=1)


def test_a_failed_call_counts_but_its_missing_cost_is_not_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usage=None, usd=None, failed=True)

    assert store.ledger.spent() == Tally(purposes={"rollout": 2}, usage=USAGE, usd=0.25, unnamed=0)


def test_a_failed_call_that_took_tokens_at_no_known_price_makes_the_sum_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usd=None, failed=True)

    assert store.ledger.spent().usd is None


def test_one_unknown_price_makes_the_sum_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usd=None)

    assert store.ledger.spent().usd is None


def test_a_call_that_named_no_usage_is_counted_as_such(store: SqliteStore) -> None:
    call(store)
    call(store, usage=None)

    assert (store.ledger.spent().usage, store.ledger.spent().unnamed) == (USAGE, 1)


def test_every_night_counts_for_itself(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    for expected in (2, 1):
        with store.open_night() as page:
            for _ in range(expected):
                call(store)
            assert store.ledger.spent().calls == expected
            seal(page)
    store.close()


def test_many_threads_lose_no_call(store: SqliteStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: call(store), range(80)))

    assert store.ledger.spent().calls == 80
    assert store.ledger.spent().usage.input_tokens == 800


def test_a_reservation_is_on_disk_before_the_call_is_made(store: SqliteStore, tmp_path: Path) -> None:
    store.ledger.reserve(purpose=Purpose.MINE, model="m")

    other = sqlite3.connect(tmp_path / "sleep.db")
    assert other.execute("SELECT state FROM ledger").fetchall() == [("reserved",)]
    other.close()


# calls --------------------------------------------------------------------------------------------------


def test_an_answer_is_kept_without_its_decoded_form(store: SqliteStore) -> None:
    store.calls.put(
        "key", purpose=Purpose.MINE, completion=a_completion("{}", usage=USAGE, usd=0.5, structured=a_task())
    )

    assert store.calls.get("key") == a_completion("{}", usage=USAGE, usd=0.5)


def test_a_question_never_asked_has_no_answer(store: SqliteStore) -> None:
    assert store.calls.get("key") is None


def test_the_latest_answer_counts(store: SqliteStore) -> None:
    store.calls.put("key", purpose=Purpose.MINE, completion=a_completion("one"))
    store.calls.put("key", purpose=Purpose.MINE, completion=a_completion("two"))

    assert store.calls.get("key") == a_completion("two")
