"""Calls that may pass are made again, and no secret is sent."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.backends.wrappers import ATTEMPTS, HELPS, Redacted, Retried
from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.records import CallState, Limit, Purpose
from skillopt_sleep.settings import BackendSettings, Settings, find_paths
from skillopt_sleep.wiring.night import wire
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


SECRETS = [
    "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5",
    "sk-proj-" + "abcdefghijklmnop1234567890ABCD",
    "AKIA" + "IOSFODNN7EXAMPLQ",
]


def test_a_secret_is_not_asked_about() -> None:
    inner = FakeBackend(otherwise="done")
    prompt = a_prompt(f"use {SECRETS[0]}", purpose=Purpose.ROLLOUT, sample=3)
    Redacted(inner).complete(prompt)
    (asked,) = inner.prompts
    assert SECRETS[0] not in asked.text
    assert (asked.purpose, asked.sample, asked.schema) == (prompt.purpose, prompt.sample, prompt.schema)


def test_a_prompt_without_a_secret_is_asked_as_it_is() -> None:
    inner = FakeBackend(otherwise={"selected_indices": [1]})
    prompt = a_prompt("no secret here", purpose=Purpose.SELECT, schema=SelectReply)
    assert Redacted(inner).complete(prompt).structured == SelectReply(selected_indices=(1,))
    assert inner.prompts == [prompt]


@pytest.mark.parametrize("secret", SECRETS, ids=["github", "openai", "aws"])
def test_no_secret_reaches_the_server_or_the_disk_from_a_wired_night(tmp_path: Path, secret: str) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path / "home")})
    with ModelServer() as server:
        settings = Settings(backend=BackendSettings(name="openai", model="m", base_url=server.base_url))
        night = wire(settings, paths, sources=(), environ={})
        with night.store.open_night():
            night.crew.optimizer.complete(a_prompt(f"my token is {secret}, keep it"))
        night.store.close()
        sent = repr(server.requests)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "[redacted:" in sent
    assert secret not in sent
    assert b"[redacted:" in kept
    assert secret.encode() not in kept
