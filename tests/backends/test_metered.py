import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.backends.metered import Metered, NightMeter
from skillopt_sleep.errors import BudgetExhausted, CallFailed, Exit, FailureKind
from skillopt_sleep.protocols import Ledger
from skillopt_sleep.records import Completion, Prompt, Purpose, Spend, Usage
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_prompt
from tests.fakes import FakeBackend, FakeClock, FakeLedger

TEN = Usage(input_tokens=8, output_tokens=2)


def _meter(
    ledger: Ledger, *, calls: int = 100, tokens: int = 1_000, minutes: int = 60, clock: FakeClock | None = None
) -> NightMeter:
    return NightMeter(ledger, calls=calls, tokens=tokens, minutes=minutes, clock=clock or FakeClock())


def _metered(meter: NightMeter, inner: FakeBackend | None = None) -> Metered:
    return Metered(inner or FakeBackend(otherwise="done", usage=TEN), meter, model="m")


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


def _ask_often(backend: Metered, *, often: int, threads: int = 8) -> int:
    """How many of these questions the meter let through."""

    def ask(number: int) -> bool:
        try:
            backend.complete(a_prompt(str(number)))
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask, range(often)))


def test_calls_never_exceed_their_limit_under_eight_threads() -> None:
    inner = SlowBackend()
    backend = Metered(inner, _meter(FakeLedger(), calls=20, tokens=10_000), model="m")
    assert _ask_often(backend, often=100) == 20
    assert inner.made == 20


def test_calls_never_exceed_their_limit_under_eight_threads_on_disk(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data", clock=FakeClock(), lookback=timedelta(days=7), config="c")
    inner = SlowBackend()
    with store.open_night():
        meter = _meter(store.ledger, calls=20, tokens=10_000)
        assert _ask_often(Metered(inner, meter, model="m"), often=60) == 20
        assert meter.spend() == Spend(calls=20, tokens=200, usd=10.0, purposes={"rollout": 20})
    assert inner.made == 20
    store.close()


def test_tokens_exceed_their_limit_by_at_most_the_calls_in_flight() -> None:
    inner = SlowBackend()
    meter = _meter(FakeLedger(), tokens=100)
    _ask_often(Metered(inner, meter, model="m"), often=100)
    assert 100 <= (meter.spend().tokens or 0) < 100 + 8 * TEN.tokens


def test_the_call_limit_is_named_with_a_remedy() -> None:
    backend = _metered(_meter(FakeLedger(), calls=1))
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match="limit of 1 calls") as caught:
        backend.complete(a_prompt())
    assert caught.value.exit_code is Exit.BUDGET
    assert caught.value.remedy


def test_once_the_tokens_are_used_up_no_call_is_made() -> None:
    inner = FakeBackend(otherwise="done", usage=TEN)
    backend = _metered(_meter(FakeLedger(), tokens=20), inner)
    backend.complete(a_prompt())
    backend.complete(a_prompt())
    with pytest.raises(BudgetExhausted, match="20 tokens"):
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


def test_a_call_that_was_reserved_and_never_settled_counts_as_spent() -> None:
    ledger = FakeLedger()
    first_life = _meter(ledger, calls=2)
    first_life.reserve(a_prompt(), "m")
    second_life = _metered(_meter(ledger, calls=2))
    second_life.complete(a_prompt())
    with pytest.raises(BudgetExhausted):
        second_life.complete(a_prompt())


def test_a_call_that_was_cut_off_by_something_else_counts_as_spent() -> None:
    meter = _meter(FakeLedger(), calls=1)
    with pytest.raises(KeyError):
        _metered(meter, FakeBackend(otherwise=KeyError("a bug"))).complete(a_prompt())
    assert meter.spend().calls == 1
    assert meter.spend().tokens is None


def test_a_failed_call_is_a_call_whose_tokens_are_not_an_unknown_number() -> None:
    meter = _meter(FakeLedger())
    failing = _metered(meter, FakeBackend(otherwise=CallFailed(FailureKind.OVERLOADED, "busy")))
    with pytest.raises(CallFailed):
        failing.complete(a_prompt())
    _metered(meter).complete(a_prompt())
    assert meter.spend() == Spend(calls=2, tokens=10, usd=None, purposes={"rollout": 2})


def test_what_no_reply_told_is_unknown_and_not_nothing() -> None:
    meter = _meter(FakeLedger())
    _metered(meter, FakeBackend(otherwise="done")).complete(a_prompt())
    assert (meter.spend().calls, meter.spend().tokens, meter.spend().usd) == (1, None, None)


def test_before_the_first_call_nothing_is_spent() -> None:
    assert _meter(FakeLedger()).spend() == Spend(calls=0, tokens=0, usd=0.0, purposes={})


def test_calls_are_counted_by_purpose() -> None:
    meter = _meter(FakeLedger())
    backend = _metered(meter)
    for purpose in (Purpose.PREFLIGHT, Purpose.ROLLOUT, Purpose.ROLLOUT):
        backend.complete(a_prompt(purpose=purpose))
    assert meter.spend().purposes == {"preflight": 1, "rollout": 2}
