from pathlib import Path

import pytest

from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, CallPending, FailureKind
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Prompt, Purpose, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.asked import asked, meter, name_of
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
