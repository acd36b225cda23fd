import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.backends.metered import Limits, Metered, NightMeter, Price
from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, Exit, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.protocols.models import Backend, Ledger
from skillopt_sleep.records import CallState, Completion, Limit, Prompt, Purpose, Spend, Usage
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import PROJECT, a_completion, a_prompt
from tests.fakes import FakeBackend, FakeClock, FakeLedger, in_turn
from tests.stores.opening import open_at, seal

TEN = Usage(input_tokens=8, output_tokens=2)
# a_prompt holds 19 characters, so this is what is held for it.
HELD = 4
LOST = [FailureKind.TIMED_OUT, FailureKind.KILLED, FailureKind.FLOODED]
NO_LIMIT, ROOMY = Limit(), Limit(100, 1_000)
# Two hours before the month ends.
EVENING = datetime(2026, 2, 28, 22, tzinfo=UTC)


def _meter(
    ledger: Ledger,
    *,
    night: Limit = ROOMY,
    minutes: int = 60,
    month_usd: float = 0.0,
    projects: dict[str, Limit] | None = None,
    clock: FakeClock | None = None,
) -> NightMeter:
    limits = Limits(night, minutes, month_usd, lambda project: (projects or {}).get(project, NO_LIMIT))
    return NightMeter(ledger, limits, clock=clock or FakeClock())


def _metered(meter: NightMeter, inner: Backend | None = None, *, price: Price | None = None) -> Metered:
    return Metered(
        inner or FakeBackend(otherwise="done", usage=TEN),
        meter,
        model="m",
        price=price or (lambda _model, _usage: None),
    )


def _a_cent_a_token(model: str, usage: Usage) -> float:
    return usage.tokens / 100


class SlowBackend:
    """Takes a moment, so that calls overlap; knows how many were made."""

    def __init__(self) -> None:
        self.made = 0
        self._lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Completion:
        with self._lock:
            self.made += 1
        time.sleep(0.002)
        return Completion(text="done", usage=TEN, usd=0.5)


def _ask_often(backend: Backend, *, often: int, threads: int = 8) -> int:
    """How many of these questions the meter let through."""

    def ask(number: int) -> bool:
        try:
            backend.complete(a_prompt(str(number)))
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask, range(often)))


def _fails(backend: Backend, prompt: Prompt) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        backend.complete(prompt)
    return caught.value


# limits -------------------------------------------------------------------------------------------------


def test_calls_never_exceed_their_limit_under_eight_threads() -> None:
    inner = SlowBackend()
    assert _ask_often(_metered(_meter(FakeLedger(), night=Limit(20, 10_000)), inner), often=100) == 20
    assert inner.made == 20


def test_calls_never_exceed_their_limit_under_eight_threads_on_disk(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data", clock=FakeClock(), lookback=timedelta(days=7), config="c")
    inner = SlowBackend()
    with store.open_night():
        meter = _meter(store.ledger, night=Limit(20, 10_000))
        assert _ask_often(_metered(meter, inner), often=60) == 20
        assert meter.spend() == Spend(calls=20, tokens=200, usd=10.0, purposes={"rollout": 20})
    assert inner.made == 20
    store.close()


def test_tokens_and_dollars_exceed_their_limit_by_at_most_the_calls_in_flight() -> None:
    for limit in (Limit(tokens=100), Limit(usd=5.0)):
        meter = _meter(FakeLedger(), night=limit)
        _ask_often(_metered(meter, SlowBackend()), often=100)
        assert 10 <= meter.spend().calls < 10 + 8


def test_the_call_limit_is_named_with_a_remedy() -> None:
    backend = _metered(_meter(FakeLedger(), night=Limit(calls=1)))
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match="limit of 1 calls") as caught:
        backend.complete(a_prompt())
    assert caught.value.exit_code is Exit.BUDGET
    assert caught.value.remedy


def test_once_the_tokens_are_used_up_no_call_is_made() -> None:
    inner = FakeBackend(otherwise="done", usage=TEN)
    backend = _metered(_meter(FakeLedger(), night=Limit(tokens=20)), inner)
    backend.complete(a_prompt())
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match="20 tokens"):
        backend.complete(a_prompt())
    assert len(inner.prompts) == 2


def test_once_the_dollars_are_used_up_no_call_is_made() -> None:
    inner = FakeBackend(otherwise="done", usage=TEN)
    backend = _metered(_meter(FakeLedger(), night=Limit(usd=0.15)), inner, price=_a_cent_a_token)
    backend.complete(a_prompt())
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match=r"limit of \$0.15"):
        backend.complete(a_prompt())
    assert len(inner.prompts) == 2


def test_once_the_minutes_are_over_no_call_is_made() -> None:
    clock = FakeClock()
    inner = FakeBackend(otherwise="done", usage=TEN)
    backend = _metered(_meter(FakeLedger(), minutes=30, clock=clock), inner)
    clock.pass_by(minutes=29)
    backend.complete(a_prompt())
    clock.pass_by(minutes=1)
    with pytest.raises(BudgetExhausted, match="30 minutes"):
        backend.complete(a_prompt())
    assert len(inner.prompts) == 1


def test_calls_tokens_and_minutes_tell_how_many_calls_are_left() -> None:
    clock = FakeClock()
    for limit, left in ((Limit(calls=100), 98), (Limit(100, 200), 18), (Limit(100, usd=0.55), 3)):
        meter = _meter(FakeLedger(), night=limit, clock=clock)
        backend = _metered(meter, price=_a_cent_a_token)
        backend.complete(a_prompt())
        backend.complete(a_prompt())
        assert meter.left() == left

    meter = _meter(FakeLedger(), night=Limit(calls=100), minutes=60, clock=clock)
    backend = _metered(meter)
    for _ in range(4):
        clock.pass_by(minutes=5)
        backend.complete(a_prompt())
    assert meter.left() == 8
    clock.pass_by(minutes=60)
    assert meter.left() == 0


def test_what_no_call_has_shown_yet_limits_nothing() -> None:
    clock = FakeClock()
    meter = _meter(FakeLedger(), night=Limit(100, 1), clock=clock)
    clock.pass_by(minutes=59)

    assert meter.left() == 100
    assert _meter(FakeLedger(), night=NO_LIMIT).left() > 10_000


def test_a_night_past_its_limits_has_no_call_left() -> None:
    meter = _meter(FakeLedger(), night=Limit(100, 15))
    backend = _metered(meter)
    backend.complete(a_prompt())
    backend.complete(a_prompt())

    assert meter.left() == 0


def test_a_clock_that_is_set_back_gives_a_night_no_time_back() -> None:
    clock = FakeClock()
    backend = _metered(_meter(FakeLedger(), minutes=30, clock=clock))
    clock.pass_by(minutes=29)
    backend.complete(a_prompt())
    clock.pass_by(hours=-10)
    backend.complete(a_prompt())
    clock.pass_by(minutes=1)
    with pytest.raises(BudgetExhausted, match="30 minutes"):
        backend.complete(a_prompt())


def test_zero_is_no_limit() -> None:
    meter = _meter(FakeLedger(), night=NO_LIMIT, projects={PROJECT: NO_LIMIT})
    backend = _metered(meter)
    for _ in range(50):
        backend.complete(a_prompt(project=PROJECT))
    assert meter.spend().calls == 50


THREE_CALLS = [Limit(calls=3), Limit(tokens=25), Limit(usd=0.3)]


@pytest.mark.parametrize("limit", THREE_CALLS, ids=["calls", "tokens", "usd"])
def test_a_projects_limit_refuses_its_calls_and_no_others(limit: Limit) -> None:
    inner = FakeBackend(otherwise="done", usage=TEN)
    backend = _metered(_meter(FakeLedger(), projects={PROJECT: limit}), inner, price=_a_cent_a_token)
    for _ in range(3):
        backend.complete(a_prompt(project="/home/ada/else"))
        backend.complete(a_prompt(project=PROJECT))
    error = _fails(backend, a_prompt(project=PROJECT))
    assert (error.kind, bool(error.remedy)) == (FailureKind.OVER_BUDGET, True)
    assert PROJECT in error.message
    for other in ("/home/ada/else", ""):
        backend.complete(a_prompt(project=other))
    assert len(inner.prompts) == 8


def test_a_months_limit_counts_all_its_nights_and_ends_with_the_month_in_utc(tmp_path: Path) -> None:
    clock = FakeClock(EVENING - timedelta(days=2))
    store = open_at(tmp_path, clock=clock)
    for calls, days in ((2, 2), (1, 0)):
        with store.open_night() as page:
            backend = _metered(_meter(store.ledger, month_usd=0.3, clock=clock), price=_a_cent_a_token)
            for _ in range(calls):
                backend.complete(a_prompt())
            seal(page)
        clock.pass_by(days=days)
    with store.open_night() as page:
        backend = _metered(_meter(store.ledger, month_usd=0.3, minutes=240, clock=clock), price=_a_cent_a_token)
        with pytest.raises(BudgetExhausted, match=r"the month's limit of .* is reached") as caught:
            backend.complete(a_prompt())
        assert "next month" in caught.value.remedy
        clock.pass_by(hours=1, minutes=59)
        with pytest.raises(BudgetExhausted):
            backend.complete(a_prompt())
        clock.pass_by(minutes=1)
        assert backend.complete(a_prompt()).text == "done"
        seal(page)
    store.close()


# prices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("night", "month_usd"), [(Limit(usd=5.0), 0.0), (NO_LIMIT, 5.0)])
def test_with_a_limit_in_dollars_the_first_call_at_an_unknown_price_is_the_last(
    night: Limit, month_usd: float
) -> None:
    meter = _meter(FakeLedger(), night=night, month_usd=month_usd)
    backend = _metered(meter)
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match="isn't known") as caught:
        backend.complete(a_prompt())
    assert "budget.usd" in caught.value.remedy
    assert meter.spend().calls == 1


def test_an_answer_that_was_paid_and_of_no_use_has_an_unknown_price_too(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        useless = CallFailed(FailureKind.MALFORMED, "no JSON", tokens=(8, 2, 0))
        backend = _metered(_meter(store.ledger, night=Limit(usd=5.0)), FakeBackend(otherwise=useless))
        _fails(backend, a_prompt())
        with pytest.raises(BudgetExhausted, match="isn't known"):
            backend.complete(a_prompt())
        seal(page)
    store.close()


def test_with_a_projects_limit_in_dollars_its_first_call_at_an_unknown_price_is_its_last() -> None:
    backend = _metered(_meter(FakeLedger(), projects={PROJECT: Limit(usd=5.0)}))
    backend.complete(a_prompt(project=PROJECT))
    error = _fails(backend, a_prompt(project=PROJECT))
    assert error.kind is FailureKind.OVER_BUDGET
    assert "isn't known" in error.message
    backend.complete(a_prompt(project="/home/ada/else"))


def test_a_call_that_failed_or_was_lost_is_no_answer_at_an_unknown_price() -> None:
    backend = _metered(
        _meter(FakeLedger(), night=Limit(usd=5.0)),
        FakeBackend(otherwise=in_turn(*(CallFailed(kind, "no") for kind in (FailureKind.OVERLOADED, *LOST)), "done")),
    )
    for _ in range(4):
        _fails(backend, a_prompt())
    assert backend.complete(a_prompt()).text == "done"


def test_without_a_limit_in_dollars_an_unknown_price_makes_the_sum_unknown_and_the_night_goes_on() -> None:
    meter = _meter(FakeLedger())
    priced = _metered(meter, price=_a_cent_a_token)
    unpriced = _metered(meter)
    for backend in (priced, unpriced, priced):
        backend.complete(a_prompt())
    assert (meter.spend().calls, meter.spend().usd) == (3, None)


def test_the_providers_own_figure_comes_before_our_price() -> None:
    meter = _meter(FakeLedger())
    named = FakeBackend(otherwise=a_completion(usage=TEN, usd=0.5))
    assert _metered(meter, named, price=_a_cent_a_token).complete(a_prompt()).usd == 0.5
    assert _metered(meter, price=_a_cent_a_token).complete(a_prompt()).usd == 0.1
    assert meter.spend().usd == 0.6


def test_a_figure_of_nothing_is_a_figure() -> None:
    meter = _meter(FakeLedger(), night=Limit(usd=1.0))
    free = _metered(meter, FakeBackend(otherwise=a_completion(usage=TEN, usd=0.0)), price=_a_cent_a_token)
    for _ in range(3):
        assert free.complete(a_prompt()).usd == 0.0
    assert meter.spend().usd == 0.0


def test_a_failed_call_that_named_its_tokens_is_priced() -> None:
    meter = _meter(FakeLedger())
    useless = CallFailed(FailureKind.MALFORMED, "no JSON", tokens=(100, 20, 30))
    _fails(_metered(meter, FakeBackend(otherwise=useless), price=_a_cent_a_token), a_prompt())
    assert meter.spend() == Spend(calls=1, tokens=120, cached_tokens=30, usd=1.2, purposes={"rollout": 1})


def test_a_failed_call_that_named_its_price_counts_with_that() -> None:
    meter = _meter(FakeLedger())
    useless = CallFailed(FailureKind.MALFORMED, "no JSON", tokens=(100, 20, 30), usd=0.5)
    _fails(_metered(meter, FakeBackend(otherwise=useless), price=_a_cent_a_token), a_prompt())
    assert meter.spend().usd == 0.5


# counting -----------------------------------------------------------------------------------------------


def test_ten_times_the_usage_is_counted_as_reported() -> None:
    ledger = FakeLedger()
    meter = _meter(ledger, night=Limit(tokens=1_000))
    huge = Usage(input_tokens=9_000, output_tokens=1_000, cached_tokens=8_000)
    backend = _metered(meter, FakeBackend(otherwise="done", usage=huge), price=_a_cent_a_token)
    backend.complete(a_prompt())
    assert meter.spend() == Spend(calls=1, tokens=10_000, cached_tokens=8_000, usd=100.0, purposes={"rollout": 1})
    with pytest.raises(BudgetExhausted, match="1000 tokens"):
        backend.complete(a_prompt())


def test_a_call_that_was_reserved_and_never_settled_counts_as_spent() -> None:
    ledger = FakeLedger()
    first_life = _meter(ledger, night=Limit(calls=2))
    first_life.reserve(a_prompt(), "m", _a_cent_a_token)
    second_life = _metered(_meter(ledger, night=Limit(calls=2)))
    second_life.complete(a_prompt())
    with pytest.raises(BudgetExhausted):
        second_life.complete(a_prompt())


@pytest.mark.parametrize("limit", [Limit(tokens=HELD), Limit(usd=HELD / 100)], ids=["tokens", "usd"])
def test_what_was_held_for_a_call_whose_process_died_counts_as_spent(tmp_path: Path, limit: Limit) -> None:
    died = open_at(tmp_path)
    with died.open_night():
        meter = _meter(died.ledger, night=limit)
        meter.reserve(a_prompt(), "m", _a_cent_a_token)
    died.close()
    store = open_at(tmp_path)
    with store.open_night() as page:
        meter = _meter(store.ledger, night=limit)
        with pytest.raises(BudgetExhausted):
            _metered(meter, price=_a_cent_a_token).complete(a_prompt())
        assert meter.spend() == Spend(calls=1, tokens=None, usd=None, unnamed=1, purposes={"rollout": 1})
        seal(page)
    store.close()


@pytest.mark.parametrize("kind", FailureKind)
def test_a_call_that_was_lost_counts_with_what_was_held_and_one_that_failed_took_nothing(kind: FailureKind) -> None:
    ledger = FakeLedger()
    meter = _meter(ledger)
    _fails(_metered(meter, FakeBackend(otherwise=CallFailed(kind, "no")), price=_a_cent_a_token), a_prompt())
    lost = kind in LOST
    assert ledger.settled == {0: (CallState.LOST if lost else CallState.FAILED, None, None)}
    tally = ledger.spent()
    assert (tally.calls, tally.tokens, tally.dollars) == ((1, HELD, HELD / 100) if lost else (1, 0, 0.0))
    assert (meter.spend().usd, meter.spend().unnamed) == ((None, 1) if lost else (0.0, 0))


def test_a_call_that_was_cut_off_by_something_else_counts_as_spent() -> None:
    meter = _meter(FakeLedger(), night=Limit(calls=1))
    with pytest.raises(KeyError):
        _metered(meter, FakeBackend(otherwise=KeyError("a bug"))).complete(a_prompt())
    assert meter.spend().calls == 1
    assert meter.spend().tokens is None


def test_a_failed_call_is_a_call_whose_tokens_are_not_an_unknown_number() -> None:
    meter = _meter(FakeLedger())
    failing = _metered(meter, FakeBackend(otherwise=CallFailed(FailureKind.OVERLOADED, "busy")))
    _fails(failing, a_prompt())
    _metered(meter).complete(a_prompt())
    assert meter.spend() == Spend(calls=2, tokens=10, usd=None, purposes={"rollout": 2})


def test_what_no_reply_told_is_unknown_and_not_nothing() -> None:
    meter = _meter(FakeLedger())
    _metered(meter, FakeBackend(otherwise="done")).complete(a_prompt())
    assert (meter.spend().calls, meter.spend().tokens, meter.spend().usd) == (1, None, None)
    assert meter.spend().unnamed == 1


def test_before_the_first_call_nothing_is_spent() -> None:
    assert _meter(FakeLedger()).spend() == Spend(calls=0, tokens=0, usd=0.0, purposes={})


def test_calls_are_counted_by_purpose() -> None:
    meter = _meter(FakeLedger())
    backend = _metered(meter)
    for purpose in (Purpose.PREFLIGHT, Purpose.ROLLOUT, Purpose.ROLLOUT):
        backend.complete(a_prompt(purpose=purpose))
    assert meter.spend().purposes == {"preflight": 1, "rollout": 2}


def test_cached_tokens_repairs_and_odd_events_are_counted_apart() -> None:
    meter = _meter(FakeLedger())
    usage = Usage(input_tokens=8, output_tokens=2, cached_tokens=6)
    backend = _metered(meter, FakeBackend(otherwise=a_completion(usage=usage, usd=0.5, odd_events=3)))
    backend.complete(a_prompt())
    backend.complete(a_prompt(repair=True))
    assert meter.spend() == Spend(
        calls=2, tokens=20, cached_tokens=12, repairs=1, odd_events=6, usd=1.0, purposes={"rollout": 2}
    )


@pytest.mark.parametrize("kind", [FailureKind.OVERLOADED, FailureKind.TIMED_OUT, FailureKind.MALFORMED])
def test_without_a_structured_reply_all_night_the_remedy_is_that_of_the_last_failure(kind: FailureKind) -> None:
    meter = _meter(FakeLedger())
    meter.failed(a_prompt(purpose=Purpose.MINE, schema=SelectReply), CallFailed(kind, "it failed"))
    meter.failed(a_prompt(), CallFailed(FailureKind.RATE_LIMITED, "too many requests"))
    meter.answered(a_prompt())
    with pytest.raises(BackendUnavailable) as caught:
        meter.check()
    assert caught.value.message.endswith("the last of 1: it failed")
    assert caught.value.remedy == CallFailed(kind, "").remedy


def test_half_of_a_surrogate_pair_in_an_answer_is_replaced() -> None:
    meter = NightMeter(FakeLedger(), Limits(night=Limit(), minutes=9), clock=FakeClock())
    model = Metered(FakeBackend(otherwise="a \ud83d b"), meter, model="m")
    assert model.complete(a_prompt()).text == "a ? b"
