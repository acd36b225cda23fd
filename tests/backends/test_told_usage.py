"""A provider's bill is bounded, and an answer that was paid for is kept whatever its bill says."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.anthropic import AnthropicBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.openai import OpenAIBackend, OpenAIResponses
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.protocols.models import Backend, SpendTally
from skillopt_sleep.records import Completion, Limit, Usage
from tests.builders import a_prompt
from tests.fakes import FakeBackend, FakeClock, FakeLedger
from tests.server import ModelServer
from tests.stores.opening import open_at, seal
from tests.sweeps import thinned

ANSWER = "an answer of forty characters, as it were"
PROMPT = a_prompt("p" * 400)
# A token is held for four characters, of the question and of the answer.
HELD = (400 + len(ANSWER)) // 4
HUGE = "9" * 30
ODD = {
    "above 2^63": str(2**63),
    "above 2^64": HUGE,
    "endless": "9" * 5_000,
    "more than any call takes": str(10**12),
    "negative": "-5000",
    "a part": "0.5",
    "infinite": "1e999",
    "text": '"many"',
    "a flag": "true",
    "a list": "[1]",
    "nothing": "null",
}


def chat(usage: str) -> str:
    message = {"choices": [{"message": {"content": ANSWER}}]}
    return f'{json.dumps(message)[:-1]}, "usage": {usage}}}'


def response(usage: str) -> str:
    parts = [{"type": "output_text", "text": ANSWER}]
    return f'{json.dumps({"output": [{"type": "message", "content": parts}]})[:-1]}, "usage": {usage}}}'


def message(usage: str) -> str:
    return f'{json.dumps({"content": [{"type": "text", "text": ANSWER}]})[:-1]}, "usage": {usage}}}'


Form = tuple[type[OpenAIBackend | AnthropicBackend], Callable[[str], str], str, str]
FORMS: dict[str, Form] = {
    "chat": (OpenAIBackend, chat, "prompt_tokens", "completion_tokens"),
    "responses": (OpenAIResponses, response, "input_tokens", "output_tokens"),
    "anthropic": (AnthropicBackend, message, "input_tokens", "output_tokens"),
}


def asking(server: ModelServer, form: str, usage: str) -> Backend:
    """A backend whose server answers with this usage, as it stands."""
    backend, said, *_ = FORMS[form]
    server.behaviour, server.raw = "raw", said(usage)
    address = server.root_url if form == "anthropic" else server.base_url
    return backend(model="m-1", base_url=address, api_key="k", api_key_env="TEST_KEY", timeout=5)


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as started:
        yield started


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.requests.clear()
    return running


@pytest.mark.parametrize("odd", thinned(ODD.values(), every=3), ids=ODD)
@pytest.mark.parametrize("form", FORMS)
def test_a_paid_answer_with_a_broken_usage_is_kept_and_counts_as_what_was_held(
    server: ModelServer, tmp_path: Path, form: str, odd: str
) -> None:
    _, _, given, made = FORMS[form]
    for usage in (f'{{"{given}": {odd}, "{made}": 1}}', f'{{"{given}": 1, "{made}": {odd}}}', odd):
        store = open_at(tmp_path / f"{len(usage)}")
        with store.open_night() as page:
            meter = NightMeter(store.ledger, Limits(Limit(), 60), clock=FakeClock())

            completion = Metered(asking(server, form, usage), meter, model="m-1").complete(PROMPT)
            tally = store.ledger.spent()
            seal(page)
        store.close()

        assert (completion.text, completion.usage) == (ANSWER, None)
        assert (tally.tokens, tally.unnamed, tally.usage) == (HELD, 1, Usage())


@pytest.mark.parametrize("form", FORMS)
def test_no_tokens_for_an_answer_that_has_text_are_not_believed(server: ModelServer, form: str) -> None:
    _, _, given, made = FORMS[form]
    meter = NightMeter(FakeLedger(), Limits(Limit(), 60), clock=FakeClock())

    asked = Metered(asking(server, form, f'{{"{given}": 0, "{made}": 0}}'), meter, model="m-1")

    assert asked.complete(PROMPT).usage is None


def test_no_tokens_told_do_not_lift_the_limit(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        meter = NightMeter(store.ledger, Limits(Limit(tokens=3_000), 60), clock=FakeClock())
        backend = Metered(FakeBackend(otherwise=ANSWER, usage=Usage()), meter, model="m")
        for _ in range(-(-3_000 // HELD)):
            backend.complete(PROMPT)
        with pytest.raises(BudgetExhausted, match="3000 tokens"):
            backend.complete(PROMPT)
        seal(page)
    store.close()


@pytest.mark.parametrize("usage", [None, Usage(), Usage(input_tokens=-1), Usage(input_tokens=2**70)])
def test_an_answer_of_no_use_that_named_no_tokens_was_paid_all_the_same(tmp_path: Path, usage: Usage | None) -> None:
    prompt = a_prompt("p" * 400, schema=SelectReply)
    store = open_at(tmp_path)
    with store.open_night() as page:
        meter = NightMeter(store.ledger, Limits(Limit(), 60), clock=FakeClock())
        with pytest.raises(CallFailed) as caught:
            Metered(FakeBackend(otherwise="no JSON", usage=usage), meter, model="m").complete(prompt)
        tally = store.ledger.spent()
        seal(page)
    store.close()

    assert caught.value.kind is FailureKind.MALFORMED
    assert (tally.tokens, tally.unnamed) == (100, 1)


@pytest.mark.parametrize("usd", [-1.0, float("inf"), float("nan"), 1e300])
def test_a_price_that_no_call_has_is_unknown(tmp_path: Path, usd: float) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        meter = NightMeter(store.ledger, Limits(Limit(), 60), clock=FakeClock())
        completion = Metered(_Priced(usd), meter, model="m").complete(PROMPT)
        tally = store.ledger.spent()
        seal(page)
    store.close()

    assert (completion.usd, tally.usd, tally.unpriced) == (None, None, 1)


def test_what_is_read_from_the_cache_is_at_most_the_input(server: ModelServer) -> None:
    usage = '{"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 500}}'

    assert asking(server, "chat", usage).complete(PROMPT).usage == Usage(
        input_tokens=10, output_tokens=1, cached_tokens=10
    )


class _Priced:
    """Names a price of its own."""

    def __init__(self, usd: float) -> None:
        self._usd = usd

    def complete(self, prompt: Any) -> Completion:
        return Completion(text=ANSWER, usage=Usage(input_tokens=1), usd=self._usd)


UNREADABLE = {
    "chat": ('"choices": []', '"choices": null', '"choices": [{"message": {"content": [{"text": "x"}]}}]'),
    "responses": ('"output": null', '"output": [{"type": "message", "content": 7}]'),
    "anthropic": ('"content": null', '"content": [7]'),
}
CASES = [(form, answer) for form, answers in UNREADABLE.items() for answer in answers]


@pytest.mark.parametrize(("form", "answer"), CASES)
def test_an_answer_that_can_not_be_read_costs_what_it_says(
    server: ModelServer, tmp_path: Path, form: str, answer: str
) -> None:
    _, _, given, made = FORMS[form]
    tally = _unreadable(server, tmp_path, form, f'{{{answer}, "usage": {{"{given}": 900, "{made}": 100}}}}')
    assert (tally.tokens, tally.usage) == (1_000, Usage(input_tokens=900, output_tokens=100))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("body", ["{}", "no JSON", "", '{"usage": {"prompt_tokens": 9', '{"usage": 7, "output": 7}'])
def test_an_answer_that_can_not_be_read_and_names_no_cost_is_not_free(
    server: ModelServer, tmp_path: Path, form: str, body: str
) -> None:
    tally = _unreadable(server, tmp_path, form, body)
    assert (tally.tokens, tally.unnamed, tally.usd) == (100, 1, None)


def _unreadable(server: ModelServer, folder: Path, form: str, body: str) -> SpendTally:
    asked = asking(server, form, "null")
    server.raw = body
    store = open_at(folder)
    with store.open_night() as page:
        meter = NightMeter(store.ledger, Limits(Limit(), 60), clock=FakeClock())
        with pytest.raises(CallFailed):
            Metered(asked, meter, model="m-1").complete(PROMPT)
        tally = store.ledger.spent()
        seal(page)
    store.close()
    return tally
