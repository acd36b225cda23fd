"""What the backends of every HTTP API promise: Chat Completions, Responses and Messages."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from skillopt_sleep.backends.anthropic import MOST_TOKENS, AnthropicBackend
from skillopt_sleep.backends.openai import OpenAIBackend, OpenAIResponses
from skillopt_sleep.backends.wrappers import Retried
from skillopt_sleep.errors import BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Prompt, Purpose, Usage
from tests.builders import a_prompt
from tests.server import MODEL, RETRY_AFTER, Behaviour, ModelServer

SELECT = a_prompt(
    fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b"),
    purpose=Purpose.SELECT,
    schema=SelectReply,
)
SCHEMA = {"schema": strict_schema(SelectReply)}
STRICT = {"name": "select", "strict": True, **SCHEMA}
HELLO = [{"role": "user", "content": "hello"}]


class Api(NamedTuple):
    """An API: its backend, the body of a text, where the schema stands, and what is no answer of it."""

    backend: Callable[..., Backend]
    plain: Mapping[str, Any]
    schema: Mapping[str, Any]
    no_answers: tuple[str, ...]
    no_choices: FailureKind = FailureKind.EMPTY


APIS = {
    "chat": Api(
        OpenAIBackend,
        {"model": "m-1", "messages": HELLO},
        {"response_format": {"type": "json_schema", "json_schema": STRICT}},
        (
            *('{"choices": null}', '{"choices": {}}', '{"choices": []}', '{"choices": [{}]}', '{"choices": [null]}'),
            *('{"choices": ["x"]}', '{"choices": [{"message": null}]}', '{"choices": [{"message": "hi"}]}'),
            '{"choices": [{"message": {"content": 7}}]}',
            '{"choices": [{"message": {"content": [{"type": "text", "text": "x"}]}}]}',
            '{"choices": [{"message": {"content": "\\ud83d cut"}}]}',
            '{"error": {"message": "out of credit", "code": 402}}',
        ),
        FailureKind.MALFORMED,
    ),
    "responses": Api(
        OpenAIResponses,
        {"model": "m-1", "input": "hello", "store": False},  # nothing is kept on the server
        {"text": {"format": {"type": "json_schema", **STRICT}}},
        (
            *('{"output": null}', '{"output": ["x"]}', '{"output": [{"type": "message", "content": "hi"}]}'),
            '{"output": [{"type": "message", "content": [{"text": "hi"}]}]}',
        ),
    ),
    "messages": Api(
        AnthropicBackend,
        {"model": "m-1", "max_tokens": MOST_TOKENS, "messages": HELLO},
        {"output_config": {"format": {"type": "json_schema", **SCHEMA}}},
        (
            *('{"content": null}', '{"content": "hi"}', '{"content": ["hi"]}', '{"content": [{"text": "hi"}]}'),
            '{"content": [{"type": "text", "text": 7}]}',
            '{"type": "error", "error": {"type": "api_error", "message": "no"}}',
        ),
    ),
}
FAILURES: dict[Behaviour, FailureKind] = {
    "unauthorized": FailureKind.LOGIN,
    "forbidden": FailureKind.LOGIN,
    "not_found": FailureKind.MODEL,
    "context_too_long": FailureKind.TOO_LONG,
    "rate_limited": FailureKind.RATE_LIMITED,
    "quota": FailureKind.QUOTA,
    "usage_limit": FailureKind.QUOTA,
    "error500": FailureKind.OVERLOADED,
    "overloaded": FailureKind.OVERLOADED,
    "garbage_body": FailureKind.MALFORMED,
    "half_json": FailureKind.MALFORMED,
    "cut_stream": FailureKind.UNREACHABLE,
    "empty": FailureKind.EMPTY,
    "empty_body": FailureKind.MALFORMED,
    "html": FailureKind.MALFORMED,
    "refusal": FailureKind.REFUSED,
    "cut_off": FailureKind.MALFORMED,
}
NO_ANSWERS = ("{}", "[]", "null", "42", '"text"')


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.behaviour = "healthy"
    running.requests.clear()
    return running


@pytest.fixture(params=APIS.values(), ids=[*APIS])
def api(request: pytest.FixtureRequest) -> Api:
    return request.param


@pytest.fixture
def backend(api: Api, server: ModelServer) -> Backend:
    url = server.root_url if api.backend is AnthropicBackend else server.base_url
    return api.backend(model="m-1", base_url=url, api_key="key-of-a-test", api_key_env="TEST_KEY", timeout=5)


def failed(backend: Backend, prompt: Prompt) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        backend.complete(prompt)
    return caught.value


def test_a_text_is_answered_with_what_it_cost(backend: Backend) -> None:
    completion = backend.complete(a_prompt(fill("preflight", night="1"), purpose=Purpose.PREFLIGHT))
    assert (completion.text, completion.structured, completion.model) == ("ready", None, MODEL)
    assert completion.usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=10)
    assert completion.usd is None


def test_a_text_is_asked_for_without_a_schema(backend: Backend, api: Api, server: ModelServer) -> None:
    backend.complete(a_prompt("hello"))
    assert [asked.body for asked in server.requests] == [api.plain]


def test_a_structured_reply_is_asked_for_by_its_schema_and_decoded(
    backend: Backend, api: Api, server: ModelServer
) -> None:
    assert backend.complete(SELECT).structured == SelectReply(selected_indices=(0,))
    (asked,) = server.requests
    assert {name: asked.body[name] for name in api.schema} == api.schema
    assert asked.body["model"] == "m-1"


def test_where_no_schemas_are_known_it_is_asked_without_from_then_on(backend: Backend, server: ModelServer) -> None:
    server.behaviour = "no_response_format"
    retried = Retried(backend)
    assert [retried.complete(SELECT).structured for _ in range(2)] == [SelectReply(selected_indices=(0,))] * 2
    assert [asked.wants_json for asked in server.requests] == [True, False, False]


@pytest.mark.parametrize("prompt", [a_prompt(), SELECT], ids=["text", "structured"])
@pytest.mark.parametrize("behaviour", [*FAILURES, "no_choices"])
def test_every_failure_has_its_kind_and_is_asked_once(
    backend: Backend, api: Api, server: ModelServer, behaviour: Behaviour, prompt: Prompt
) -> None:
    server.behaviour = behaviour
    failure = failed(backend, prompt)
    assert failure.kind is FAILURES.get(behaviour, api.no_choices)
    assert failure.message.strip()
    assert len(server.requests) == 1


def test_json_that_is_no_answer_is_a_failure(backend: Backend, api: Api, server: ModelServer) -> None:
    server.behaviour = "raw"
    for raw in (*NO_ANSWERS, *api.no_answers):
        server.raw = raw
        assert failed(backend, a_prompt()).kind is FailureKind.MALFORMED, raw


@pytest.mark.parametrize(("behaviour", "seconds"), [("rate_limited", RETRY_AFTER), ("error500", None)])
def test_the_wait_the_server_asks_for_is_passed_on(
    backend: Backend, server: ModelServer, behaviour: Behaviour, seconds: float | None
) -> None:
    server.behaviour = behaviour
    assert failed(backend, a_prompt()).retry_after == seconds


def test_without_key_and_address_a_login_is_needed(api: Api) -> None:
    with pytest.raises(BackendUnavailable, match="TEST_KEY is not set") as caught:
        api.backend(model="m", base_url="", api_key="", api_key_env="TEST_KEY", timeout=5)
    assert caught.value.exit_code is Exit.LOGIN
