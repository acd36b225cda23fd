import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.backends.anthropic import MOST_TOKENS, NO_KEY, REQUEST, AnthropicBackend
from skillopt_sleep.backends.wrappers import Retried
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Purpose, Usage
from tests.builders import a_prompt
from tests.server import ModelServer


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.behaviour = "healthy"
    running.requests.clear()
    return running


def _backend(server: ModelServer, *, model: str = "m-1", api_key: str = "key-of-a-test") -> AnthropicBackend:
    return AnthropicBackend(model=model, base_url=server.root_url, api_key=api_key, api_key_env="TEST_KEY", timeout=5)


def _says(server: ModelServer, **fields: Any) -> AnthropicBackend:
    server.behaviour = "raw"
    server.raw = json.dumps({"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn", **fields})
    return _backend(server)


SELECT = a_prompt(
    fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b"),
    purpose=Purpose.SELECT,
    schema=SelectReply,
)


def test_an_answer_may_be_as_long_as_is_said(server: ModelServer) -> None:
    backend = AnthropicBackend(
        model="m-1", base_url=server.root_url, api_key="k", api_key_env="TEST_KEY", timeout=5, max_output_tokens=77
    )
    backend.complete(a_prompt("hello"))
    assert server.requests[0].body["max_tokens"] == 77


def test_an_answer_that_fills_the_window_was_too_long(server: ModelServer) -> None:
    with pytest.raises(CallFailed) as caught:
        _says(server, stop_reason="model_context_window_exceeded").complete(a_prompt())
    assert caught.value.kind is FailureKind.TOO_LONG


def test_a_refusal_says_why_where_the_model_does(server: ModelServer) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "It could do harm."}
    with pytest.raises(CallFailed, match="It could do harm") as caught:
        _says(server, content=[], stop_reason="refusal", stop_details=details).complete(a_prompt())
    assert caught.value.kind is FailureKind.REFUSED


def test_what_the_model_thinks_is_no_part_of_its_answer(server: ModelServer) -> None:
    content = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "hi"}]
    assert _says(server, content=content).complete(a_prompt()).text == "hi"


def test_the_instructions_of_many_attempts_are_kept_by_the_provider(server: ModelServer) -> None:
    text = fill("rollout", document="Use pnpm.", context="", request="Install.")
    _backend(server).complete(a_prompt(text, purpose=Purpose.ROLLOUT))
    head, tail = server.requests[0].body["messages"][0]["content"]
    assert head == {"type": "text", "text": text.partition(REQUEST)[0], "cache_control": {"type": "ephemeral"}}
    assert head["text"].endswith("Use pnpm.\n")
    assert head["text"] + tail["text"] == text
    assert "cache_control" not in tail


def test_input_that_was_read_from_the_cache_or_written_to_it_is_input(server: ModelServer) -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3_000,
    }
    completion = _says(server, usage=usage).complete(a_prompt())
    assert completion.usage == Usage(input_tokens=3_210, output_tokens=5, cached_tokens=3_000)
    assert completion.usd is None


def test_what_was_written_to_the_cache_has_its_own_price() -> None:
    backend = AnthropicBackend(model="claude-opus-4-7", base_url="", api_key="k", api_key_env="K", timeout=5)
    usage = {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 1_000_000}
    data = json.dumps({"content": [{"type": "text", "text": "hi"}], "usage": usage}).encode()
    assert backend._read(a_prompt(), data).usd == pytest.approx(6.25)


def test_a_model_with_shorter_answers_is_asked_for_those_from_then_on(httpserver: HTTPServer) -> None:
    asked: list[int] = []

    def answer(request: Request) -> Response:
        wanted = json.loads(request.get_data())["max_tokens"]
        asked.append(wanted)
        if wanted > 8192:
            said = f"max_tokens: {wanted} > 8192, which is the maximum allowed number of output tokens for m-1"
            error = {"type": "invalid_request_error", "message": said}
            return Response(
                json.dumps({"type": "error", "error": error}), status=400, content_type="application/json"
            )
        return Response(json.dumps({"content": [{"type": "text", "text": "hi"}]}), content_type="application/json")

    httpserver.expect_request("/v1/messages").respond_with_handler(answer)
    url = httpserver.url_for("").rstrip("/")
    backend = Retried(AnthropicBackend(model="m-1", base_url=url, api_key="k", api_key_env="K", timeout=5))
    assert [backend.complete(a_prompt()).text for _ in range(2)] == ["hi", "hi"]
    assert asked == [MOST_TOKENS, 8192, 8192]


@pytest.mark.parametrize("most", ["0", "9" * 5_000, "-1"])
def test_a_longest_answer_that_can_not_be_is_not_asked_for(httpserver: HTTPServer, most: str) -> None:
    error = {"type": "invalid_request_error", "message": f"max_tokens: 1 > {most}, which is the maximum"}
    httpserver.expect_request("/v1/messages").respond_with_json({"type": "error", "error": error}, status=400)
    url = httpserver.url_for("").rstrip("/")

    with pytest.raises(CallFailed):
        AnthropicBackend(model="m-1", base_url=url, api_key="k", api_key_env="K", timeout=5).complete(a_prompt())


def test_without_a_key_an_endpoint_of_ones_own_is_asked_all_the_same(server: ModelServer) -> None:
    _backend(server, api_key="").complete(a_prompt())
    headers = server.requests[0].headers
    assert NO_KEY in (headers.get("X-Api-Key"), headers.get("Authorization", "").removeprefix("Bearer "))


def test_a_model_goes_by_its_name_and_the_users_own_address() -> None:
    asked: dict[str, Any] = {"model": "claude-opus-4-7", "api_key": "k", "api_key_env": "K", "timeout": 5}
    ours, own = AnthropicBackend(**asked, base_url=""), AnthropicBackend(**asked, base_url="http://127.0.0.1:1")
    assert (ours.name, own.name) == ("anthropic:claude-opus-4-7", "anthropic:claude-opus-4-7@http://127.0.0.1:1")
    assert ours.price("any", Usage(input_tokens=1_000_000)) == pytest.approx(5.0)
    assert own.price("any", Usage(input_tokens=1_000_000)) is None


def test_without_the_sdk_the_extra_is_named() -> None:
    script = (
        "import sys\nsys.modules['anthropic'] = None\n"
        "from skillopt_sleep.errors import BackendUnavailable\n"
        "try:\n    import skillopt_sleep.backends.anthropic\n"
        "except BackendUnavailable as error:\n    print(error.message, '|', error.remedy)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Anthropic's SDK is not installed | install it: ")
    assert " 'anthropic<" in done.stdout
