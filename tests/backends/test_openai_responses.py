import json
from collections.abc import Iterator
from typing import Any

import pytest

from skillopt_sleep.backends.openai_responses import OpenAIResponses
from skillopt_sleep.backends.retried import Retried
from skillopt_sleep.errors import BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Prompt, Purpose, Usage
from tests.builders import a_prompt
from tests.server import MODEL, RETRY_AFTER, Behaviour, ModelServer


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.behaviour = "healthy"
    running.requests.clear()
    return running


def _backend(server: ModelServer) -> OpenAIResponses:
    return OpenAIResponses(
        model="m-1", base_url=server.base_url, api_key="key-of-a-test", api_key_env="TEST_KEY", timeout=5
    )


def _says(server: ModelServer, **fields: Any) -> OpenAIResponses:
    server.behaviour = "raw"
    server.raw = json.dumps({"output": [], "status": "completed", **fields})
    return _backend(server)


PREFLIGHT = a_prompt(fill("preflight", night="1"), purpose=Purpose.PREFLIGHT)
SELECT = a_prompt(
    fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b"),
    purpose=Purpose.SELECT,
    schema=SelectReply,
)
FAILURES: list[tuple[Behaviour, FailureKind]] = [
    ("unauthorized", FailureKind.LOGIN),
    ("forbidden", FailureKind.LOGIN),
    ("not_found", FailureKind.MODEL),
    ("context_too_long", FailureKind.TOO_LONG),
    ("rate_limited", FailureKind.RATE_LIMITED),
    ("quota", FailureKind.QUOTA),
    ("usage_limit", FailureKind.QUOTA),
    ("error500", FailureKind.OVERLOADED),
    ("overloaded", FailureKind.OVERLOADED),
    ("garbage_body", FailureKind.MALFORMED),
    ("half_json", FailureKind.MALFORMED),
    ("cut_stream", FailureKind.UNREACHABLE),
    ("empty", FailureKind.EMPTY),
    ("empty_body", FailureKind.MALFORMED),
    ("html", FailureKind.MALFORMED),
    ("no_choices", FailureKind.EMPTY),
    ("refusal", FailureKind.REFUSED),
    ("cut_off", FailureKind.MALFORMED),
]
NO_RESPONSES = [
    "{}",
    "[]",
    "null",
    '{"output": null}',
    '{"output": ["x"]}',
    '{"output": [{"type": "message", "content": "hi"}]}',
    '{"output": [{"type": "message", "content": [{"text": "hi"}]}]}',
]


def test_a_text_is_answered_with_what_it_cost(server: ModelServer) -> None:
    completion = _backend(server).complete(PREFLIGHT)
    assert (completion.text, completion.structured, completion.model) == ("ready", None, MODEL)
    assert completion.usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=10)
    assert completion.usd is None


def test_nothing_is_kept_on_the_server(server: ModelServer) -> None:
    _backend(server).complete(a_prompt("hello"))
    assert server.requests[0].body == {"model": "m-1", "input": "hello", "store": False}
    assert server.requests[0].protocol == "responses"


def test_a_structured_reply_is_asked_for_by_its_schema_and_decoded(server: ModelServer) -> None:
    completion = _backend(server).complete(SELECT)
    assert completion.structured == SelectReply(selected_indices=(0,))
    assert server.requests[0].body["text"]["format"] == {
        "type": "json_schema",
        "name": "select",
        "schema": strict_schema(SelectReply),
        "strict": True,
    }


def test_an_endpoint_that_knows_no_schemas_is_asked_without_from_then_on(server: ModelServer) -> None:
    server.behaviour = "no_response_format"
    backend = Retried(_backend(server))
    assert all(backend.complete(SELECT).structured for _ in range(2))
    assert [asked.wants_json for asked in server.requests] == [True, False, False]


@pytest.mark.parametrize("prompt", [a_prompt(), SELECT], ids=["text", "structured"])
@pytest.mark.parametrize(("behaviour", "kind"), FAILURES)
def test_every_failure_has_its_kind_and_is_asked_once(
    server: ModelServer, behaviour: Behaviour, kind: FailureKind, prompt: Prompt
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(prompt)
    assert caught.value.kind is kind
    assert len(server.requests) == 1


@pytest.mark.parametrize("raw", NO_RESPONSES)
def test_json_that_is_no_response_is_a_failure(server: ModelServer, raw: str) -> None:
    server.behaviour, server.raw = "raw", raw
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert caught.value.kind is FailureKind.MALFORMED


@pytest.mark.parametrize(
    ("code", "said", "kind"),
    [
        ("server_error", "It broke.", FailureKind.OVERLOADED),
        ("rate_limit_exceeded", "Try again in 2s.", FailureKind.RATE_LIMITED),
        ("context_length_exceeded", "Too much.", FailureKind.TOO_LONG),
        ("insufficient_quota", "No money.", FailureKind.QUOTA),
        ("bio_policy", "No.", FailureKind.REFUSED),
        ("invalid_image", "What image?", FailureKind.BAD_REQUEST),
    ],
)
def test_a_response_that_failed_says_why(server: ModelServer, code: str, said: str, kind: FailureKind) -> None:
    with pytest.raises(CallFailed, match=said) as caught:
        _says(server, status="failed", error={"code": code, "message": said}).complete(a_prompt())
    assert caught.value.kind is kind


def test_a_filtered_response_was_refused_and_keeps_what_it_cost(server: ModelServer) -> None:
    usage = {"input_tokens": 5, "output_tokens": 2}
    filtered = _says(server, status="incomplete", incomplete_details={"reason": "content_filter"}, usage=usage)
    with pytest.raises(CallFailed) as caught:
        filtered.complete(a_prompt())
    assert (caught.value.kind, caught.value.tokens) == (FailureKind.REFUSED, (5, 2, 0))


def test_what_the_model_thinks_is_no_part_of_its_answer(server: ModelServer) -> None:
    thought = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    parts = [{"type": "output_text", "text": "one "}, {"type": "output_text", "text": "answer"}]
    backend = _says(server, output=[thought, {"type": "message", "content": parts}, {"type": "news"}])
    completion = backend.complete(a_prompt())
    assert (completion.text, completion.usage) == ("one answer", None)


def test_the_wait_the_server_asks_for_is_passed_on(server: ModelServer) -> None:
    server.behaviour = "rate_limited"
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert caught.value.retry_after == RETRY_AFTER


def test_without_key_and_address_a_login_is_needed() -> None:
    with pytest.raises(BackendUnavailable, match="TEST_KEY is not set") as caught:
        OpenAIResponses(model="m", base_url="", api_key="", api_key_env="TEST_KEY", timeout=5)
    assert caught.value.exit_code is Exit.LOGIN
