from collections.abc import Iterator

import pytest
import stamina

from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.backends.retried import ATTEMPTS, HELPS, Retried
from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.records import CallState, Limit
from tests.builders import a_prompt
from tests.fakes import FakeBackend, FakeClock, FakeLedger, in_turn
from tests.server import ModelServer


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """Retries as they are, without the waits between them."""
    with stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        yield


@pytest.mark.parametrize("kind", sorted(HELPS))
def test_what_may_pass_is_asked_again(kind: FailureKind) -> None:
    inner = FakeBackend(otherwise=in_turn(CallFailed(kind, "once"), CallFailed(kind, "twice"), "done"))
    assert Retried(inner).complete(a_prompt()).text == "done"
    assert len(inner.prompts) == 3


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - HELPS))
def test_what_will_not_pass_is_asked_once(kind: FailureKind) -> None:
    inner = FakeBackend(otherwise=CallFailed(kind, "no"))
    with pytest.raises(CallFailed):
        Retried(inner).complete(a_prompt())
    assert len(inner.prompts) == 1


@pytest.mark.parametrize("error", [BackendUnavailable("gone"), BudgetExhausted("spent"), ValueError("a bug")])
def test_what_is_no_failed_call_goes_straight_through(error: Exception) -> None:
    inner = FakeBackend(otherwise=error)
    with pytest.raises(type(error)):
        Retried(inner).complete(a_prompt())
    assert len(inner.prompts) == 1


def test_the_last_failure_is_the_one_that_is_told() -> None:
    busy = [CallFailed(FailureKind.OVERLOADED, f"attempt {number}") for number in range(1, 9)]
    inner = FakeBackend(otherwise=in_turn(*busy))
    with pytest.raises(CallFailed, match=f"attempt {ATTEMPTS}"):
        Retried(inner).complete(a_prompt())
    assert len(inner.prompts) == ATTEMPTS


def test_every_attempt_is_a_call_of_the_budget() -> None:
    ledger = FakeLedger()
    meter = NightMeter(ledger, Limits(Limit(2, 100), minutes=1), clock=FakeClock())
    inner = FakeBackend(otherwise=CallFailed(FailureKind.OVERLOADED, "busy"))
    with pytest.raises(BudgetExhausted):
        Retried(Metered(inner, meter, model="m")).complete(a_prompt())
    assert len(inner.prompts) == meter.spend().calls == 2


def test_every_attempt_is_settled_by_itself() -> None:
    ledger = FakeLedger()
    meter = NightMeter(ledger, Limits(Limit(10), minutes=1), clock=FakeClock())
    inner = FakeBackend(otherwise=in_turn(CallFailed(FailureKind.RATE_LIMITED, "later"), "done"))
    Retried(Metered(inner, meter, model="m")).complete(a_prompt())
    assert [state for state, _, _ in ledger.settled.values()] == [CallState.FAILED, CallState.DONE]


def test_a_project_that_is_over_its_limit_is_not_asked_again() -> None:
    own = Limits(Limit(10), minutes=1, project=lambda _: Limit(calls=1))
    inner = FakeBackend(otherwise="done")
    backend = Retried(Metered(inner, NightMeter(FakeLedger(), own, clock=FakeClock()), model="m"))
    backend.complete(a_prompt(project="/shop"))
    with pytest.raises(CallFailed, match="/shop"):
        backend.complete(a_prompt(project="/shop"))
    assert len(inner.prompts) == 1


def test_a_server_that_recovers_is_asked_until_it_answers() -> None:
    with ModelServer() as server:
        server.behaviour = lambda asked: "healthy" if len(server.requests) >= ATTEMPTS else "rate_limited"
        raw = OpenAIBackend(model="m", base_url=server.base_url, api_key="", api_key_env="K", timeout=5)
        assert Retried(raw).complete(a_prompt()).text
        assert len(server.requests) == ATTEMPTS
