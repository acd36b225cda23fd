from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.agents.codex.program import Codex
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.errors import (
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    CallPending,
    ConfigError,
    FailureKind,
)
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.pools.worker_model import WorkerModel
from skillopt_sleep.protocols.program import Dialect, Setup
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.asked import asked, check_priced, meter, name_of
from skillopt_sleep.trainer.config import LimitsSection
from tests.fakes import FakeBackend
from tests.trainer.toy import Scripted


@pytest.fixture
def store(tmp_path):  # noqa: ANN001, ANN201
    opened = CallStore(tmp_path / "calls.db", utc_now)
    yield opened
    opened.close()


def a_prompt(text: str = "q", sample: int = 0) -> Prompt:
    return Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)


def test_a_completed_call_is_paid_once_and_another_sample_is_another_call(store: CallStore) -> None:
    backend = FakeBackend(otherwise="yes", usage=Usage(input_tokens=1))
    model = asked(
        backend, calls=store.calls, failures=store.failures, meter=meter(LimitsSection(), store.ledger, utc_now)
    )
    assert model.complete(a_prompt()).text == model.complete(a_prompt()).text == "yes"
    model.complete(a_prompt(sample=1))
    assert len(backend.prompts) == 2
    assert store.ledger.spent().calls == 2


def test_calls_never_exceed_their_limit(store: CallStore) -> None:
    backend = FakeBackend(otherwise="yes")
    model = asked(
        backend,
        calls=store.calls,
        failures=store.failures,
        meter=meter(LimitsSection(calls=1), store.ledger, utc_now),
    )
    model.complete(a_prompt())
    with pytest.raises(BudgetExhausted):
        model.complete(a_prompt("other"))


def test_a_model_that_is_gone_ends_all(store: CallStore) -> None:
    backend = FakeBackend(otherwise=CallFailed(FailureKind.LOGIN, "no key"))
    model = asked(
        backend, calls=store.calls, failures=store.failures, meter=meter(LimitsSection(), store.ledger, utc_now)
    )
    with pytest.raises(BackendUnavailable):
        model.complete(a_prompt())


def test_a_handoffs_rejected_answer_is_asked_for_again_and_is_neither_a_call_nor_a_failure(
    store: CallStore, tmp_path: Path
) -> None:
    handoff = HandoffBackend(tmp_path / "handoff")
    model = asked(
        handoff, calls=store.calls, failures=store.failures, meter=meter(LimitsSection(), store.ledger, utc_now)
    )

    def answered(text: bytes) -> None:
        for path in (tmp_path / "handoff" / "open").iterdir():
            (tmp_path / "handoff" / "answers" / f"{path.stem.rpartition('-')[2]}.md").write_bytes(text)

    for answer in (b"\xff no text", b"\xff neither", b"yes"):
        with pytest.raises(CallPending):
            model.complete(a_prompt())
        answered(answer)

    assert model.complete(a_prompt()).text == "yes"
    assert store.ledger.spent().calls == 1


def test_what_names_itself_is_called_so() -> None:
    assert name_of(Scripted()) == "scripted"
    assert name_of(FakeBackend()) == "FakeBackend"


class Unpriced:
    """A model of the user's own; nobody says what it costs."""

    name = "mine"

    def complete(self, prompt: Prompt) -> Completion:
        return Completion(text="ok")

    def price(self, _model: str, _usage: Usage) -> float | None:
        return None


class Priced(Unpriced):
    """One whose price is known."""

    def price(self, _model: str, _usage: Usage) -> float | None:
        return 0.01


class TellsPrice(Unpriced):
    """One whose every answer says what it cost."""

    tells_price = True


def a_program(dialect: Dialect, folder: Path, environ: Mapping[str, str]) -> CliBackend:
    return CliBackend(
        dialect, setup=Setup(key_env="KEY"), program="", environ=environ, home=folder, folder=folder, timeout=9
    )


def test_a_limit_in_dollars_takes_a_model_whose_price_becomes_known(tmp_path: Path) -> None:
    key = {"KEY": "k"}
    limits = LimitsSection(usd=1.0)
    for model in (Priced(), TellsPrice(), a_program(Claude(), tmp_path, key), SimulatedBackend()):
        check_priced({"target": model}, limits)
    for model in (Unpriced(), FakeBackend(), a_program(Codex(), tmp_path, key), a_lent(Unpriced())):
        with pytest.raises(ConfigError, match="isn't known") as refused:
            check_priced({"target": model}, limits)
        assert "limits.usd" in refused.value.remedy
        check_priced({"target": model}, LimitsSection(calls=1))
    check_priced({"target": a_lent(TellsPrice())}, limits)


def a_lent(model: Any) -> WorkerModel:
    return WorkerModel(model, FakeBackend)
