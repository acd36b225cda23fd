import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.openai import NO_KEY, OpenAIBackend, OpenAIResponses
from skillopt_sleep.backends.wrappers import Retried
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Purpose, Usage
from tests.builders import a_prompt
from tests.server import Behaviour, ModelServer


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.behaviour = "healthy"
    running.requests.clear()
    return running


def _backend(server: ModelServer, *, api_key: str = "key-of-a-test", timeout: float = 5) -> OpenAIBackend:
    return OpenAIBackend(
        model="m-1", base_url=server.base_url, api_key=api_key, api_key_env="TEST_KEY", timeout=timeout
    )


SELECT = a_prompt(
    fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b"),
    purpose=Purpose.SELECT,
    schema=SelectReply,
)


def test_an_endpoint_of_ones_own_is_told_by_the_older_name_how_long_an_answer_may_be(server: ModelServer) -> None:
    backend = OpenAIBackend(
        model="m-1", base_url=server.base_url, api_key="k", api_key_env="TEST_KEY", timeout=5, max_output_tokens=77
    )
    backend.complete(a_prompt("hello"))
    assert server.requests[0].body["max_tokens"] == 77


def test_usage_that_was_not_told_is_unknown(server: ModelServer) -> None:
    server.behaviour = "no_usage"
    assert _backend(server).complete(a_prompt()).usage is None


def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_came_and_says_what_to_raise(server: ModelServer) -> None:
    server.behaviour = "cut_off"
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(SELECT)
    assert caught.value.reply == '{"tasks": ['
    assert "backend.max_output_tokens" in caught.value.remedy


@pytest.mark.parametrize(("behaviour", "again"), [("half_json", True), ("html", True), ("cut_off", False)])
def test_a_broken_answer_is_worth_asking_again_and_one_that_was_billed_is_not(
    server: ModelServer, behaviour: Behaviour, again: bool
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert (caught.value.retry_after is not None) is again


def test_nonsense_where_json_was_asked_for_is_a_failure(server: ModelServer) -> None:
    server.behaviour = "garbage"
    with pytest.raises(CallFailed, match="no JSON object") as caught:
        _backend(server).complete(SELECT)
    assert caught.value.kind is FailureKind.MALFORMED


def test_a_server_that_does_not_answer_in_time_has_timed_out() -> None:
    with ModelServer("hang") as slow, pytest.raises(CallFailed) as caught:
        _backend(slow, timeout=0.2).complete(a_prompt())
    assert caught.value.kind is FailureKind.TIMED_OUT


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        backend = OpenAIBackend(model="m", base_url=url, api_key="", api_key_env="TEST_KEY", timeout=5)
        with pytest.raises(CallFailed) as caught:
            backend.complete(a_prompt())
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert url in caught.value.message


def test_a_login_that_fails_names_the_variable_and_never_the_key(server: ModelServer) -> None:
    server.behaviour = "unauthorized"
    with pytest.raises(CallFailed) as caught:
        _backend(server, api_key="key-of-a-test").complete(a_prompt())
    assert "TEST_KEY" in caught.value.remedy
    assert "key-of-a-test" not in f"{caught.value.message} {caught.value.remedy}"


def test_another_bad_request_does_not_give_up_schemas(server: ModelServer) -> None:
    server.behaviour = "context_too_long"
    backend = _backend(server)
    with pytest.raises(CallFailed):
        backend.complete(SELECT)
    server.behaviour = "healthy"
    backend.complete(SELECT)
    assert [asked.wants_json for asked in server.requests] == [True, True]


def test_calls_at_once_all_do_without_schemas_where_the_endpoint_knows_none(server: ModelServer) -> None:
    server.behaviour = "no_response_format"
    backend = Retried(_backend(server))
    prompts = [replace(SELECT, sample=sample) for sample in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert all(completion.structured for completion in pool.map(backend.complete, prompts))


def test_a_filtered_answer_was_refused(server: ModelServer) -> None:
    server.behaviour, server.raw = (
        "raw",
        '{"choices": [{"message": {"content": "a"}, "finish_reason": "content_filter"}]}',
    )
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert caught.value.kind is FailureKind.REFUSED


def test_a_model_goes_by_its_name_and_the_users_own_address() -> None:
    asked: dict[str, Any] = {"model": "m-1", "api_key": "k", "api_key_env": "TEST_KEY", "timeout": 5}
    assert OpenAIBackend(**asked, base_url="").name == "openai:m-1"
    assert OpenAIBackend(**asked, base_url="http://ada:secret@host:1/v1/").name == "openai:m-1@http://host:1/v1"


def test_the_price_is_that_of_the_address() -> None:
    asked: dict[str, Any] = {"model": "gpt-5", "api_key": "k", "api_key_env": "TEST_KEY", "timeout": 5}
    usage = Usage(input_tokens=1_000_000)
    assert OpenAIBackend(**asked, base_url="").price("any", usage) == pytest.approx(1.25)
    assert OpenAIBackend(**asked, base_url="http://127.0.0.1:11434/v1").price("any", usage) is None


def test_without_a_key_an_endpoint_of_ones_own_is_asked_all_the_same(server: ModelServer) -> None:
    _backend(server, api_key="").complete(a_prompt())
    assert server.requests[0].headers["Authorization"] == f"Bearer {NO_KEY}"


def _responds(server: ModelServer, **fields: Any) -> OpenAIResponses:
    server.behaviour = "raw"
    server.raw = json.dumps({"output": [], "status": "completed", **fields})
    return OpenAIResponses(
        model="m-1", base_url=server.base_url, api_key="key-of-a-test", api_key_env="TEST_KEY", timeout=5
    )


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
        _responds(server, status="failed", error={"code": code, "message": said}).complete(a_prompt())
    assert caught.value.kind is kind


def test_a_filtered_response_was_refused_and_keeps_what_it_cost(server: ModelServer) -> None:
    usage = {"input_tokens": 5, "output_tokens": 2}
    filtered = _responds(server, status="incomplete", incomplete_details={"reason": "content_filter"}, usage=usage)
    with pytest.raises(CallFailed) as caught:
        filtered.complete(a_prompt())
    assert (caught.value.kind, caught.value.tokens) == (FailureKind.REFUSED, (5, 2, 0))


def test_what_the_model_thinks_is_no_part_of_its_answer(server: ModelServer) -> None:
    thought = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    parts = [{"type": "output_text", "text": "one "}, {"type": "output_text", "text": "answer"}]
    backend = _responds(server, output=[thought, {"type": "message", "content": parts}, {"type": "news"}])
    completion = backend.complete(a_prompt())
    assert (completion.text, completion.usage) == ("one answer", None)
