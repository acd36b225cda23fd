import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.openai import NO_KEY, OpenAIBackend
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


def _backend(server: ModelServer, *, api_key: str = "key-of-a-test", timeout: float = 5) -> OpenAIBackend:
    return OpenAIBackend(
        model="m-1", base_url=server.base_url, api_key=api_key, api_key_env="TEST_KEY", timeout=timeout
    )


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
    ("no_choices", FailureKind.MALFORMED),
    ("refusal", FailureKind.REFUSED),
    ("cut_off", FailureKind.MALFORMED),
]
NO_COMPLETIONS = [
    "{}",
    "[]",
    "null",
    "42",
    '"text"',
    '{"choices": null}',
    '{"choices": {}}',
    '{"error": {"message": "out of credit", "code": 402}}',
    '{"choices": []}',
    '{"choices": [{}]}',
    '{"choices": [null]}',
    '{"choices": ["x"]}',
    '{"choices": [{"message": null}]}',
    '{"choices": [{"message": "hi"}]}',
    '{"choices": [{"message": {"content": 7}}]}',
    '{"choices": [{"message": {"content": [{"type": "text", "text": "x"}]}}]}',
    '{"choices": [{"message": {"content": "\\ud83d cut"}}]}',
]


def test_a_text_is_answered_with_what_it_cost(server: ModelServer) -> None:
    completion = _backend(server).complete(a_prompt(fill("preflight", night="1"), purpose=Purpose.PREFLIGHT))
    assert (completion.text, completion.structured, completion.model) == ("ready", None, MODEL)
    assert completion.usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=10)
    assert completion.usd is None


def test_a_structured_reply_is_asked_for_by_its_schema_and_decoded(server: ModelServer) -> None:
    completion = _backend(server).complete(SELECT)
    assert completion.structured == SelectReply(selected_indices=(0,))
    (asked,) = server.requests
    assert asked.body["response_format"]["json_schema"] == {
        "name": "select",
        "schema": strict_schema(SelectReply),
        "strict": True,
    }
    assert asked.body["model"] == "m-1"


def test_a_text_is_asked_for_without_a_schema(server: ModelServer) -> None:
    _backend(server).complete(a_prompt("hello"))
    assert server.requests[0].body == {"model": "m-1", "messages": [{"role": "user", "content": "hello"}]}


def test_an_endpoint_of_ones_own_is_told_by_the_older_name_how_long_an_answer_may_be(server: ModelServer) -> None:
    backend = OpenAIBackend(
        model="m-1", base_url=server.base_url, api_key="k", api_key_env="TEST_KEY", timeout=5, max_output_tokens=77
    )
    backend.complete(a_prompt("hello"))
    assert server.requests[0].body["max_tokens"] == 77


def test_usage_that_was_not_told_is_unknown(server: ModelServer) -> None:
    server.behaviour = "no_usage"
    assert _backend(server).complete(a_prompt()).usage is None


@pytest.mark.parametrize("prompt", [a_prompt(), SELECT], ids=["text", "structured"])
@pytest.mark.parametrize(("behaviour", "kind"), FAILURES)
def test_every_failure_has_its_kind_and_is_asked_once(
    server: ModelServer, behaviour: Behaviour, kind: FailureKind, prompt: Prompt
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(prompt)
    assert caught.value.kind is kind
    assert caught.value.message.strip()
    assert len(server.requests) == 1


def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_came_and_says_what_to_raise(server: ModelServer) -> None:
    server.behaviour = "cut_off"
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(SELECT)
    assert caught.value.reply == '{"tasks": ['
    assert "backend.max_output_tokens" in caught.value.remedy


@pytest.mark.parametrize("raw", NO_COMPLETIONS)
def test_json_that_is_no_completion_is_a_failure(server: ModelServer, raw: str) -> None:
    server.behaviour, server.raw = "raw", raw
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert caught.value.kind is FailureKind.MALFORMED


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


@pytest.mark.parametrize(("behaviour", "seconds"), [("rate_limited", RETRY_AFTER), ("error500", None)])
def test_the_wait_the_server_asks_for_is_passed_on(
    server: ModelServer, behaviour: Behaviour, seconds: float | None
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallFailed) as caught:
        _backend(server).complete(a_prompt())
    assert caught.value.retry_after == seconds


def test_a_login_that_fails_names_the_variable_and_never_the_key(server: ModelServer) -> None:
    server.behaviour = "unauthorized"
    with pytest.raises(CallFailed) as caught:
        _backend(server, api_key="key-of-a-test").complete(a_prompt())
    assert "TEST_KEY" in caught.value.remedy
    assert "key-of-a-test" not in f"{caught.value.message} {caught.value.remedy}"


def test_an_endpoint_that_knows_no_schemas_is_asked_without_from_then_on(server: ModelServer) -> None:
    server.behaviour = "no_response_format"
    backend = Retried(_backend(server))
    assert [backend.complete(SELECT).structured for _ in range(2)] == [SelectReply(selected_indices=(0,))] * 2
    assert [asked.wants_json for asked in server.requests] == [True, False, False]


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


def test_without_key_and_address_a_login_is_needed() -> None:
    with pytest.raises(BackendUnavailable, match="TEST_KEY is not set") as caught:
        OpenAIBackend(model="m", base_url="", api_key="", api_key_env="TEST_KEY", timeout=5)
    assert caught.value.exit_code is Exit.LOGIN
