"""What was spent and what was answered: durable before it is used, and unknown is never zero."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillopt_sleep.protocols.models import Reservation, SpendTally
from skillopt_sleep.records import CallState, Outcome, Purpose, Usage
from skillopt_sleep.stores.ledger import LedgerLine
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import PROJECT, a_completion, a_task
from tests.fakes import NOON, FakeClock
from tests.stores.opening import open_at, seal

USAGE = Usage(input_tokens=10, output_tokens=4, cached_tokens=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path)
    with opened.open_night() as page:
        yield opened
        seal(page)
    opened.close()


def reserve(store: SqliteStore, purpose: Purpose = Purpose.ROLLOUT, **fields: object) -> int:
    return store.ledger.reserve(Reservation(purpose, "m")._replace(**fields))


def call(
    store: SqliteStore, *, usage: Usage | None = USAGE, usd: float | None = 0.25, state: CallState = CallState.DONE,
    odd_events: int = 0, **fields: object,
) -> None:  # fmt: skip
    entry = store.ledger.reserve(Reservation(Purpose.ROLLOUT, "m")._replace(**fields))
    store.ledger.settle(entry, state, usage=usage, usd=usd, odd_events=odd_events)


def test_a_night_without_calls_has_spent_nothing(store: SqliteStore) -> None:
    assert store.ledger.spent() == SpendTally(purposes={}, usage=Usage(), usd=0.0, unnamed=0)


def test_calls_add_up_by_purpose(store: SqliteStore) -> None:
    call(store)
    call(store)
    call(store, purpose=Purpose.JUDGE)

    tally = store.ledger.spent()

    assert tally == SpendTally(
        purposes={"rollout": 2, "judge": 1}, usage=USAGE + USAGE + USAGE, usd=0.75, tokens=42, dollars=0.75
    )
    assert tally.calls == 3


def test_cached_tokens_are_a_part_of_the_input_and_counted_apart(store: SqliteStore) -> None:
    call(store)

    tally = store.ledger.spent()

    assert (tally.usage.cached_tokens, tally.tokens) == (2, 14)


def test_a_reservation_counts_as_a_call_before_it_is_answered(store: SqliteStore) -> None:
    reserve(store, Purpose.MINE)

    assert store.ledger.spent() == SpendTally(purposes={"mine": 1}, usage=Usage(), usd=None, unnamed=1)


def test_what_is_held_for_an_unfinished_call_counts_towards_the_limits_only(store: SqliteStore) -> None:
    call(store)
    reserve(store, Purpose.MINE, tokens=100, usd=0.5)

    assert store.ledger.spent() == SpendTally(
        purposes={"rollout": 1, "mine": 1}, usage=USAGE, usd=None, unnamed=1, tokens=114, dollars=0.75
    )


def test_what_a_call_took_replaces_what_was_held_for_it(store: SqliteStore) -> None:
    call(store, tokens=100, usd=0.25)
    call(store, usage=None, usd=None, state=CallState.FAILED, tokens=100)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 2}, usage=USAGE, usd=0.25, tokens=14, dollars=0.25)


def test_a_lost_call_counts_with_what_was_held_for_it(store: SqliteStore) -> None:
    entry = reserve(store, tokens=100, usd=0.5)
    store.ledger.settle(entry, CallState.LOST, usage=None, usd=None)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 1}, usd=None, unnamed=1, tokens=100, dollars=0.5)


def test_a_lost_call_that_can_cost_nothing_leaves_the_sum_known(store: SqliteStore) -> None:
    call(store, usd=0.0)
    reserve(store, tokens=100, usd=0.0)
    assert store.ledger.spent().usd == 0.0
    reserve(store, tokens=100)
    assert store.ledger.spent().usd is None


def test_a_lost_call_that_named_what_it_took_counts_with_that(store: SqliteStore) -> None:
    entry = reserve(store, tokens=100, usd=0.5)
    store.ledger.settle(entry, CallState.LOST, usage=USAGE, usd=0.25)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 1}, usage=USAGE, usd=0.25, tokens=14, dollars=0.25)


def test_a_call_with_a_price_but_no_tokens_counts_with_the_held_tokens(store: SqliteStore) -> None:
    entry = reserve(store, tokens=100, usd=0.5)
    store.ledger.settle(entry, CallState.DONE, usage=None, usd=0.25)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 1}, usd=0.25, unnamed=1, tokens=100, dollars=0.25)


def test_a_failed_call_counts_but_its_missing_cost_is_not_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usage=None, usd=None, state=CallState.FAILED)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 2}, usage=USAGE, usd=0.25, tokens=14, dollars=0.25)


def test_a_failed_call_that_took_tokens_at_no_known_price_makes_the_sum_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usd=None, state=CallState.FAILED)

    assert store.ledger.spent().usd is None
    assert store.ledger.spent().unpriced == 1


def test_a_failed_call_that_named_its_price_and_no_tokens_is_paid(store: SqliteStore) -> None:
    call(store, usage=None, state=CallState.FAILED)

    assert store.ledger.spent() == SpendTally(purposes={"rollout": 1}, usd=0.25, dollars=0.25)


def test_one_unknown_price_makes_the_sum_unknown(store: SqliteStore) -> None:
    call(store)
    call(store, usd=None)

    assert store.ledger.spent().usd is None
    assert store.ledger.spent().unpriced == 1


@pytest.mark.parametrize("state", [CallState.RESERVED, CallState.FAILED, CallState.LOST])
def test_only_what_was_answered_is_without_a_price(store: SqliteStore, state: CallState) -> None:
    call(store, usage=None, usd=None, state=state)

    assert store.ledger.spent().unpriced == 0


def test_a_call_that_named_no_usage_is_counted_as_such(store: SqliteStore) -> None:
    call(store)
    call(store, usage=None)

    assert (store.ledger.spent().usage, store.ledger.spent().unnamed) == (USAGE, 1)


def test_repairs_and_odd_events_are_counted(store: SqliteStore) -> None:
    call(store, odd_events=2)
    call(store, odd_events=1, repair=True)

    assert (store.ledger.spent().repairs, store.ledger.spent().odd_events) == (1, 3)


def test_a_project_is_told_apart(store: SqliteStore) -> None:
    call(store, project=PROJECT)
    call(store, project="/other")
    reserve(store, project=PROJECT, tokens=6)
    call(store)

    assert store.ledger.spent().calls == 4
    assert store.ledger.spent(project=PROJECT) == SpendTally(
        purposes={"rollout": 2}, usage=USAGE, usd=None, unnamed=1, tokens=20, dollars=0.5
    )
    assert store.ledger.spent(project="/nowhere") == SpendTally(purposes={})


def test_every_night_counts_for_itself(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    for expected in (2, 1):
        with store.open_night() as page:
            for _ in range(expected):
                call(store, project=PROJECT)
            assert store.ledger.spent().calls == expected
            assert store.ledger.spent(project=PROJECT).calls == expected
            seal(page)
    store.close()


def test_all_nights_since_a_moment_count_together(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC))
    store = open_at(tmp_path, clock=clock)
    for _ in range(3):
        with store.open_night() as page:
            call(store)
            seal(page)
        clock.pass_by(microseconds=1)

    assert store.ledger.spent_in_month(datetime(2026, 2, 1, tzinfo=UTC)).calls == 3
    assert store.ledger.spent_in_month(datetime(2026, 3, 1, tzinfo=UTC)).calls == 2
    assert store.ledger.spent_in_month(datetime(2026, 4, 1, tzinfo=UTC)) == SpendTally(purposes={})
    store.close()


def test_the_lines_are_by_night_purpose_and_model_newest_night_first(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    with store.open_night() as page:
        call(store)
        call(store, usd=None)
        call(store, usage=None, usd=None, state=CallState.FAILED)
        call(store, model="a")
        seal(page)
    clock.pass_by(days=1)
    with store.open_night() as page:
        reserve(store, Purpose.MINE, tokens=100, usd=0.5)
        seal(page)

    newest = LedgerLine("2026-03-03", "mine", "m", 1, 0, 0, 0, 0.0, 1, 1)
    assert store.ledger.lines() == (
        newest,
        LedgerLine("2026-03-02", "rollout", "a", 1, 10, 4, 2, 0.25, 0, 0),
        LedgerLine("2026-03-02", "rollout", "m", 3, 20, 8, 4, 0.25, 1, 0),
    )
    assert store.ledger.lines(since=NOON.replace(day=3)) == (newest,)
    store.close()


def test_the_lines_are_summed_up_anew_after_a_change_of_ones_own_or_of_somebody_else(tmp_path: Path) -> None:
    one, other = open_at(tmp_path), open_at(tmp_path)
    with one.open_night() as page:
        call(one)
        (first,) = one.ledger.lines()
        assert other.ledger.lines() == (first,)
        call(one)
        assert [line.calls for line in one.ledger.lines()] == [2]
        assert [line.calls for line in other.ledger.lines()] == [2]
        assert one.ledger.lines(since=NOON.replace(year=2030)) == ()
        seal(page)
    one.close()
    other.close()


def test_a_lost_call_without_a_price_counts_as_the_most_expensive(store: SqliteStore) -> None:
    call(store, usd=0.25)
    call(store, usd=0.5, purpose=Purpose.MINE)
    for state in (CallState.LOST, CallState.LOST, CallState.FAILED):
        call(store, usage=None, usd=None, state=state)
    reserve(store)

    tally = store.ledger.spent()

    assert tally.dollars == 0.75 + 3 * 0.5
    assert (tally.usd, tally.unpriced) == (None, 0)


def test_many_threads_lose_no_call(store: SqliteStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: call(store), range(80)))

    assert store.ledger.spent().calls == 80
    assert store.ledger.spent().usage.input_tokens == 800


def test_a_reservation_is_on_disk_before_the_call_is_made(store: SqliteStore, tmp_path: Path) -> None:
    reserve(store, Purpose.MINE, project=PROJECT, repair=True, tokens=7, usd=0.5)

    other = sqlite3.connect(tmp_path / "sleep.db")
    (row,) = other.execute("SELECT state, project, repair, held_tokens, held_usd FROM ledger")
    assert row == ("reserved", PROJECT, 1, 7, 0.5)
    other.close()


def test_a_reservation_whose_process_died_counts_as_spent(tmp_path: Path) -> None:
    first = open_at(tmp_path)
    with first.open_night():
        reserve(first, Purpose.MINE, project=PROJECT, tokens=100, usd=0.5)
    first.close()

    second = open_at(tmp_path)
    with second.open_night() as page:
        spent = SpendTally(purposes={"mine": 1}, usd=None, unnamed=1, tokens=100, dollars=0.5)
        assert second.ledger.spent() == second.ledger.spent(project=PROJECT) == spent
        assert second.ledger.spent_in_month(NOON) == spent
        seal(page)
    second.close()


# calls --------------------------------------------------------------------------------------------------


def test_an_answer_is_kept_without_its_decoded_form(store: SqliteStore) -> None:
    store.calls.put("key", a_completion("{}", usage=USAGE, usd=0.5, structured=a_task()))

    assert store.calls.get("key") == a_completion("{}", usage=USAGE, usd=0.5)


def test_a_question_never_asked_has_no_answer(store: SqliteStore) -> None:
    assert store.calls.get("key") is None


def test_the_latest_answer_counts(store: SqliteStore) -> None:
    store.calls.put("key", a_completion("one"))
    store.calls.put("key", a_completion("two"))

    assert store.calls.get("key") == a_completion("two")


def test_a_night_that_asks_anew_knows_its_own_answers_only(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        store.calls.put("key", a_completion("one"))
        assert store.calls.of_this_night().get("key") == a_completion("one")
        seal(page)
    with store.open_night() as page:
        assert store.calls.of_this_night().get("key") is None
        store.calls.of_this_night().put("key", a_completion("two"))
        assert store.calls.of_this_night().get("key") == store.calls.get("key") == a_completion("two")
        seal(page)
    store.close()


def test_a_night_draws_as_the_first_of_the_nights_cut_short_before_it(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    drawn: list[str] = []
    verdicts = (Outcome.OVER_BUDGET, Outcome.BACKEND_FAILED, Outcome.UNDECIDED, Outcome.INTERRUPTED, Outcome.IMPROVED)
    for verdict in verdicts:
        with store.open_night() as page:
            drawn.append(page.drawn)
            seal(page, verdict=verdict)
        clock.pass_by(days=1)
    nights = [line.id for line in reversed(store.nights())]
    store.close()

    assert drawn == [nights[0], nights[0], nights[0], nights[3], nights[3]]


def test_attempts_are_reused_in_their_night_and_after_nights_cut_short(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)

    def known_tomorrow(verdict: Outcome) -> bool:
        with store.open_night() as page:
            store.calls.draws().put("k", a_completion("drawn"))
            assert store.calls.draws().get("k") is not None
            seal(page, verdict=verdict)
        clock.pass_by(days=1)
        with store.open_night() as page:
            known = store.calls.draws().get("k") is not None
            assert store.calls.get("k") is not None
            assert store.calls.of_this_night().draws().get("k") is None
            seal(page)
        clock.pass_by(days=1)
        return known

    assert not known_tomorrow(Outcome.NO_CHANGE)
    assert known_tomorrow(Outcome.OVER_BUDGET)
    assert known_tomorrow(Outcome.BACKEND_FAILED)
    assert not known_tomorrow(Outcome.UNDECIDED)
    store.close()


@pytest.mark.parametrize("tokens", [2**63, 10**30, -1])
def test_tokens_that_no_call_can_take_are_unknown_and_what_was_held_counts(store: SqliteStore, tokens: int) -> None:
    call(store, usage=Usage(input_tokens=tokens, output_tokens=1), tokens=77)

    tally = store.ledger.spent()

    assert (tally.usage, tally.unnamed, tally.tokens) == (Usage(), 1, 77)
