import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.agents.codex.program import CodexProgram
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
from skillopt_sleep.learning.reflect import LearnedEdit
from skillopt_sleep.pools.ray import WorkerModel
from skillopt_sleep.protocols.program import Dialect, Setup
from skillopt_sleep.records import Completion, EditOp, Prompt, Purpose, Usage
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.calls import check_priced, meter, name_of, priced, wrap_model
from skillopt_sleep.trainer.config import LimitsSection
from tests.fakes import FakeBackend
from tests.trainer.toy import Scripted, a_config, a_trainer


@pytest.fixture
def store(tmp_path):  # noqa: ANN001, ANN201
    opened = CallStore(tmp_path / "calls.db", utc_now)
    yield opened
    opened.close()


def a_prompt(text: str = "q", sample: int = 0) -> Prompt:
    return Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)


def test_a_completed_call_is_paid_once_and_another_sample_is_another_call(store: CallStore) -> None:
    backend = FakeBackend(otherwise="yes", usage=Usage(input_tokens=1))
    model = wrap_model(
        backend, calls=store.calls, failures=store.failures, meter=meter(LimitsSection(), store.ledger, utc_now)
    )
    assert model.complete(a_prompt()).text == model.complete(a_prompt()).text == "yes"
    model.complete(a_prompt(sample=1))
    assert len(backend.prompts) == 2
    assert store.ledger.spent().calls == 2


def test_calls_never_exceed_their_limit(store: CallStore) -> None:
    backend = FakeBackend(otherwise="yes")
    model = wrap_model(
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
    model = wrap_model(
        backend, calls=store.calls, failures=store.failures, meter=meter(LimitsSection(), store.ledger, utc_now)
    )
    with pytest.raises(BackendUnavailable):
        model.complete(a_prompt())


def test_a_handoffs_rejected_answer_is_asked_for_again_and_is_neither_a_call_nor_a_failure(
    store: CallStore, tmp_path: Path
) -> None:
    handoff = HandoffBackend(tmp_path / "handoff")
    model = wrap_model(
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


class Own:
    """A model of the user's own, which makes a completion of each scripted answer in its own way."""

    name = "mine"

    def __init__(self, made: Callable[[Prompt, str], Completion]) -> None:
        self._made = made
        self._scripted = Scripted()

    def complete(self, prompt: Prompt) -> Completion:
        return self._made(prompt, self._scripted.complete(prompt).text)


def test_the_json_in_the_text_of_an_own_model_is_read(tmp_path: Path) -> None:
    own = Own(lambda prompt, text: Completion(text=f"Here it is:\n```json\n{text}\n```" if prompt.schema else text))
    summary = a_trainer(tmp_path / "own", optimizer=own).train()
    assert summary.best_skill == a_trainer(tmp_path / "scripted").train().best_skill
    assert summary.notes == ()


def test_a_text_without_what_was_asked_for_is_a_failed_call_that_names_model_and_purpose(tmp_path: Path) -> None:
    own = Own(lambda prompt, text: Completion(text="Say alpha." if prompt.schema else text))
    with pytest.raises(BackendUnavailable) as ended:
        a_trainer(tmp_path, optimizer=own).train()
    assert "model mine: the reply to the reflect prompt holds no JSON object: 'Say alpha.'" in ended.value.message


@pytest.mark.parametrize("structured", [LearnedEdit(op=EditOp.APPEND), {"edits": []}])
def test_a_structured_reply_of_another_kind_is_an_error_that_says_what_belongs_there(
    tmp_path: Path, structured: Any
) -> None:
    own = Own(lambda prompt, text: Completion(text=text, structured=structured if prompt.schema else None))
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path, optimizer=own).train()
    assert "the model mine answered the reflect prompt with" in refused.value.message
    assert "not a ReflectReply" in refused.value.message
    assert "Completion(text=…)" in refused.value.remedy


def test_a_completion_without_a_text_is_an_error_of_the_model(tmp_path: Path) -> None:
    nothing: Any = None
    with pytest.raises(
        ConfigError, match=r"the model mine returned a Completion that can't be used: .* at `\$.text`"
    ):
        a_trainer(tmp_path, optimizer=Own(lambda prompt, text: Completion(text=nothing))).train()


class Whole:
    """A whole number of another library, as numpy's are."""

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value


def test_numbers_of_another_library_are_taken_as_plain_ones(tmp_path: Path) -> None:
    def answer(_prompt: Prompt, text: str) -> Completion:
        five: Any = Whole(5)
        cent: Any = Fraction(1, 100)
        return Completion(text=text, usage=Usage(input_tokens=five, output_tokens=2), usd=cent)

    summary = a_trainer(tmp_path, optimizer=Own(answer)).train()
    assert summary.total.input_tokens == 5 * summary.total.calls
    assert summary.total.usd == pytest.approx(0.01 * summary.total.calls)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"usage": {"input_tokens": 3}}, "input_tokens"),
        ({"usage": Usage(input_tokens=1.5)}, "float"),  # pyright: ignore[reportArgumentType]
        ({"usd": "0.01"}, r"\$.usd"),
    ],
)
def test_a_completion_whose_cost_is_no_number_is_an_error_of_the_model(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=f"the model mine returned a Completion that can't be used: .*{said}"):
        a_trainer(tmp_path, optimizer=Own(lambda _prompt, text: Completion(text=text, **fields))).train()


PAGE = Path(__file__).parents[2] / "docs" / "trainer" / "environments.md"
ROW = re.compile(r"^\| `(\w+)`[^|]*\| `(\{.*\})` \|$", re.MULTILINE)


def test_the_formats_that_the_docs_name_are_those_of_the_prompts(tmp_path: Path) -> None:
    rows = dict(ROW.findall(PAGE.read_text(encoding="utf-8")))
    schemas: dict[str, Any] = {}

    def seen(prompt: Prompt, text: str) -> Completion:
        schemas[prompt.purpose] = prompt.schema
        return Completion(text=text)

    for name, sections in {
        "slow": {"train": {"batch_size": 16, "epochs": 3}},
        "autonomous": {"optimizer": {"schedule": "autonomous", "edit_budget": 2}},
        "rewrite": {"optimizer": {"mode": "rewrite"}, "gradient": {"reflection": "deep"}},
        "full": {"optimizer": {"mode": "full_rewrite"}, "train": {"batch_size": 16, "epochs": 3}},
    }.items():
        a_trainer(tmp_path / name, optimizer=Own(seen), config=a_config("skillopt", **sections)).train()
    asked_for = {purpose: schema for purpose, schema in schemas.items() if schema}
    assert rows.keys() == asked_for.keys()
    for purpose, schema in asked_for.items():
        msgspec.json.decode(rows[purpose], type=schema)


class Unpriced:
    """A model of the user's own; nobody says what it costs."""

    name = "mine"
    version = ""

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
    for model in (Unpriced(), FakeBackend(), a_program(CodexProgram(), tmp_path, key), a_lent(Unpriced())):
        with pytest.raises(ConfigError, match="isn't known") as refused:
            check_priced({"target": model}, limits)
        assert "limits.usd" in refused.value.remedy
        check_priced({"target": model}, LimitsSection(calls=1))
    check_priced({"target": a_lent(TellsPrice())}, limits)


@pytest.mark.parametrize("dollars", [-1.0, math.nan, math.inf, "0.01", [1]])
def test_a_price_that_is_no_amount_of_dollars_is_an_error_that_names_the_model(dollars: Any) -> None:
    class Odd(Unpriced):
        """A model with a price of its own."""

        def price(self, _model: str, _usage: Usage) -> Any:
            return dollars

    with pytest.raises(ConfigError, match="the price of the model") as refused:
        priced(Odd(), Usage())
    assert "a number from 0 on" in refused.value.remedy


def a_lent(model: Any) -> WorkerModel:
    return WorkerModel(model, FakeBackend)
