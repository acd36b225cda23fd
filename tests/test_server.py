import http.client
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from skillopt_sleep.prompts import fill
from tests.server import BEHAVIOURS, MODEL, RESETS_IN, RETRY_AFTER, Asked, Behaviour, ModelServer

READY = fill("preflight", night="1")
SELECT = fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b")
SELECTED = {"selected_indices": [0]}
ENFORCED = "[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request."
PROTOCOLS = ("chat", "responses", "messages")
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages?beta=true"}
STATUSES: list[tuple[Behaviour, int, int]] = [
    ("unauthorized", 401, 401),
    ("forbidden", 403, 403),
    ("not_found", 404, 404),
    ("context_too_long", 400, 400),
    ("rate_limited", 429, 429),
    ("quota", 429, 400),
    ("usage_limit", 429, 429),
    ("error500", 500, 500),
    ("overloaded", 503, 529),
]


class Got:
    """What came back for one request; `cut` is whether the connection ended before the body did."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers = response.status, response.headers
        self.cut = False
        try:
            self.data = response.read()
        except http.client.IncompleteRead as error:
            self.data, self.cut = error.partial, True

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def events(self) -> list[Any]:
        """The data of each event of a stream."""
        chunks = self.data.decode().strip().split("\n\n")
        return [json.loads(chunk.partition("data: ")[2]) for chunk in chunks]


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.behaviour, running.models, running.late_errors = "healthy", "any", False
    running.flood_bytes = 1 << 20
    running.requests.clear()
    return running


def _send(
    server: ModelServer,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> Got:
    connection = http.client.HTTPConnection(urlsplit(server.root_url).netloc, timeout=5)
    try:
        connection.request(method, path, json.dumps(body) if body else None, headers or {})
        return Got(connection.getresponse())
    finally:
        connection.close()


def _body(protocol: str, text: str, /, **more: Any) -> dict[str, Any]:
    said = {"role": "user", "content": text}
    return {"model": "m-1", "input" if protocol == "responses" else "messages": [said], **more}


def _ask(server: ModelServer, protocol: str, text: str = READY, /, **more: Any) -> Got:
    return _send(server, PATHS[protocol], _body(protocol, text, **more))


def _text(protocol: str, whole: dict[str, Any]) -> str:
    match protocol:
        case "chat":
            return whole["choices"][0]["message"]["content"]
        case "responses":
            return whole["output"][0]["content"][0]["text"]
        case _:
            return whole["content"][0]["text"]


@pytest.fixture
def client(server: ModelServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="key-of-a-test", base_url=server.base_url, max_retries=0, timeout=5) as made:
        yield made


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_recognises_the_prompt_and_gives_the_same_answer(server: ModelServer, protocol: str) -> None:
    assert _text(protocol, _ask(server, protocol).json) == "ready"
    assert json.loads(_text(protocol, _ask(server, protocol, SELECT).json)) == SELECTED
    assert [(asked.protocol, asked.purpose, asked.wants_json) for asked in server.requests] == [
        (protocol, "preflight", False),
        (protocol, "select", False),
    ]
    assert server.prompts == [READY, SELECT]


def test_the_responses_api_answers_its_own_sdk(server: ModelServer, client: openai.OpenAI) -> None:
    reply = client.responses.create(model="m-1", input=READY)
    assert (reply.output_text, reply.status, reply.model) == ("ready", "completed", MODEL)
    assert reply.usage
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 20)
    assert reply.usage.input_tokens_details.cached_tokens == 10


def test_the_responses_api_streams_to_its_own_sdk(server: ModelServer, client: openai.OpenAI) -> None:
    with client.responses.stream(model="m-1", input=SELECT) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        whole = stream.get_final_response().output_text
    assert len(deltas) == 2
    assert json.loads("".join(deltas)) == json.loads(whole) == SELECTED


def test_the_prompt_is_found_among_what_the_codex_program_adds(server: ModelServer) -> None:
    items = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "You are an agent."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SELECT + "\n"}]},
    ]
    wanted = {"format": {"type": "json_schema", "name": "codex_output_schema", "schema": {}, "strict": True}}
    got = _send(server, PATHS["responses"], {"model": "m-1", "stream": True, "input": items, "text": wanted})
    assert got.headers["content-type"].startswith("text/event-stream")
    assert [event["sequence_number"] for event in got.events] == list(range(len(got.events)))
    assert got.events[-1]["type"] == "response.completed"
    assert json.loads(got.events[-1]["response"]["output"][0]["content"][0]["text"]) == SELECTED
    assert [(asked.purpose, asked.wants_json) for asked in server.requests] == [("select", True)]


def test_messages_are_streamed_in_the_events_of_the_protocol(server: ModelServer) -> None:
    events = _ask(server, "messages", stream=True).events
    assert [event["type"] for event in events] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    usage = events[0]["message"]["usage"]
    assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (90, 10)
    assert events[-2]["usage"] == {"output_tokens": 20}


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"name": "StructuredOutput", "input_schema": {"type": "object"}}]},
        {
            "tools": [{"name": "reply", "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "tool", "name": "reply"},
        },
    ],
    ids=["the claude program's", "a forced one"],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_structured_reply_to_messages_is_a_call_of_the_tool(
    server: ModelServer, more: dict[str, Any], *, stream: bool
) -> None:
    got = _ask(server, "messages", SELECT, stream=stream, **more)
    if stream:
        deltas = [event["delta"] for event in got.events if event["type"] == "content_block_delta"]
        called = next(event["content_block"] for event in got.events if event["type"] == "content_block_start")
        given = json.loads("".join(delta["partial_json"] for delta in deltas))
        stop = got.events[-2]["delta"]["stop_reason"]
    else:
        (called,) = got.json["content"]
        given, stop = called["input"], got.json["stop_reason"]
    assert (called["type"], called["name"]) == ("tool_use", more["tools"][0]["name"])
    assert (given, stop) == (SELECTED, "tool_use")
    assert server.requests[0].wants_json


def test_a_structured_reply_to_messages_by_format_is_text(server: ModelServer) -> None:
    wanted = {"format": {"type": "json_schema", "schema": {"type": "object"}}}
    assert json.loads(_text("messages", _ask(server, "messages", SELECT, output_config=wanted).json)) == SELECTED
    assert server.requests[0].wants_json


def test_a_nudge_after_the_prompt_does_not_hide_it(server: ModelServer) -> None:
    said = [{"role": "user", "content": SELECT}, {"role": "assistant", "content": []}]
    _send(
        server,
        PATHS["messages"],
        {"messages": [*said, {"role": "user", "content": [{"type": "text", "text": ENFORCED}]}]},
    )
    assert [(asked.purpose, asked.prompt) for asked in server.requests] == [("select", SELECT)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("behaviour", "openai_says", "anthropic_says"), STATUSES)
def test_an_error_has_the_status_and_the_form_of_its_protocol(
    server: ModelServer, protocol: str, behaviour: Behaviour, openai_says: int, anthropic_says: int
) -> None:
    server.behaviour = behaviour
    got = _ask(server, protocol)
    assert got.status == (anthropic_says if protocol == "messages" else openai_says)
    assert got.json["error"]["message"]
    assert (got.json.get("type") == "error") == (protocol == "messages")
    waits = {"rate_limited": str(RETRY_AFTER), "usage_limit": str(RESETS_IN) if protocol == "messages" else None}
    assert got.headers["retry-after"] == waits.get(behaviour)


def test_a_usage_limit_says_when_it_ends(server: ModelServer) -> None:
    server.behaviour = "usage_limit"
    told = _ask(server, "responses").json["error"]
    assert (told["type"], told["resets_at"]) == ("usage_limit_reached", server.resets_at)
    assert told["resets_in_seconds"] == RESETS_IN
    headers = _ask(server, "messages").headers
    assert headers["anthropic-ratelimit-unified-status"] == "rejected"
    assert headers["anthropic-ratelimit-unified-reset"] == str(server.resets_at)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_a_request_for_a_schema_is_refused_for_its_schema(server: ModelServer, protocol: str) -> None:
    server.behaviour = "no_response_format"
    wanted: dict[str, dict[str, Any]] = {
        "chat": {"response_format": {"type": "json_schema", "json_schema": {"name": "select"}}},
        "responses": {"text": {"format": {"type": "json_schema", "name": "select"}}},
        "messages": {"output_config": {"format": {"type": "json_schema"}}},
    }
    assert _ask(server, protocol, SELECT).status == 200
    assert _ask(server, protocol, SELECT, **wanted[protocol]).status == 400


@pytest.mark.parametrize(("protocol", "last"), [("responses", "response.failed"), ("messages", "error")])
def test_an_error_may_come_late_in_a_stream(server: ModelServer, protocol: str, last: str) -> None:
    server.behaviour, server.late_errors = "overloaded", True
    got = _ask(server, protocol, stream=True)
    assert (got.status, got.events[-1]["type"]) == (200, last)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_refusal_and_a_cut_off_answer_have_the_form_of_their_protocol(server: ModelServer, *, stream: bool) -> None:
    server.behaviour = "refusal"
    said, reply = _last(_ask(server, "messages", stream=stream)), _last(_ask(server, "responses", stream=stream))
    assert said["stop_reason"] == "refusal"
    assert reply["output"][0]["content"][0]["type"] == "refusal"
    server.behaviour = "cut_off"
    said, reply = _last(_ask(server, "messages", stream=stream)), _last(_ask(server, "responses", stream=stream))
    assert said["stop_reason"] == "max_tokens"
    assert (reply["status"], reply["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})


def _last(got: Got) -> dict[str, Any]:
    """The end of the answer: the whole, the response, or the last change of the message."""
    if got.headers["content-type"].startswith("application/json"):
        return got.json
    return got.events[-1].get("response") or got.events[-2]["delta"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_untold_usage_is_nowhere_in_the_answer(server: ModelServer, protocol: str) -> None:
    server.behaviour = "no_usage"
    assert not _ask(server, protocol).json.get("usage")
    assert b"_tokens" not in _ask(server, protocol, stream=True).data


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reset_connection_brings_no_answer(server: ModelServer, protocol: str) -> None:
    server.behaviour = "reset"
    with pytest.raises(ConnectionError):
        _ask(server, protocol)
    assert len(server.requests) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_body_that_breaks_off_is_no_json(server: ModelServer, protocol: str) -> None:
    server.behaviour = "half_json"
    got = _ask(server, protocol)
    assert not got.cut
    with pytest.raises(json.JSONDecodeError):
        _ = got.json
    server.behaviour = "cut_stream"
    assert _ask(server, protocol).cut


@pytest.mark.parametrize("protocol", ["responses", "messages"])
def test_a_stream_that_breaks_off_has_said_something_but_not_the_end(server: ModelServer, protocol: str) -> None:
    server.behaviour = "cut_stream"
    events = _ask(server, protocol, stream=True).events
    assert events[-1]["type"] in {"response.output_text.delta", "content_block_delta"}
    server.behaviour = "half_json"
    with pytest.raises(json.JSONDecodeError):
        _ = _ask(server, protocol, stream=True).events


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_flood_is_a_sound_answer_that_is_far_too_long(server: ModelServer, protocol: str, *, stream: bool) -> None:
    server.behaviour = "flood"
    got = _ask(server, protocol, stream=stream)
    assert len(got.data) > 900_000
    assert got.events if stream and protocol != "chat" else _text(protocol, got.json).startswith("flood ")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_slow_drip_sends_headers_at_once_and_no_end(protocol: str) -> None:
    with ModelServer("slow_drip") as server:
        connection = http.client.HTTPConnection(urlsplit(server.root_url).netloc, timeout=5)
        connection.request("POST", PATHS[protocol], json.dumps(_body(protocol, READY)))
        began = time.monotonic()
        response = connection.getresponse()
        assert (response.status, response.read(1)) == (200, b" ")
        assert time.monotonic() - began < 1
        assert response.read(1) == b" "
        connection.close()


def test_a_function_may_choose_by_the_protocol(server: ModelServer) -> None:
    def choose(asked: Asked) -> Behaviour:
        return "overloaded" if asked.protocol == "messages" else "healthy"

    server.behaviour = choose
    assert [_ask(server, protocol).status for protocol in PROTOCOLS] == [200, 200, 529]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("behaviour", [name for name in BEHAVIOURS if name not in {"hang", "reset", "slow_drip"}])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_no_behaviour_is_a_fault_of_the_server(
    server: ModelServer, protocol: str, behaviour: Behaviour, *, stream: bool
) -> None:
    server.behaviour = behaviour
    assert (_ask(server, protocol, stream=stream).status == 500) == (behaviour == "error500")
    assert len(server.requests) == 1


def test_a_model_is_shown_in_the_form_of_the_one_who_asks(server: ModelServer, client: openai.OpenAI) -> None:
    assert client.models.retrieve("m-1").id == "m-1"
    anthropic = {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    told = _send(server, "/v1/models/m-1", method="GET", headers=anthropic).json
    assert (told["type"], told["id"]) == ("model", "m-1")
    server.models = "none"
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        client.models.retrieve("m-1")
    assert _send(server, "/v1/models/m-1", method="GET", headers=anthropic).json["error"]["type"] == "not_found_error"
    server.models = "no_route"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("m-1")
    server.models, server.behaviour = "any", "unauthorized"
    with pytest.raises(openai.AuthenticationError):
        client.models.retrieve("m-1")


def test_only_questions_to_a_model_are_counted(server: ModelServer) -> None:
    assert _send(server, "/", method="HEAD").status == 200
    assert _send(server, "/v1/models", method="GET").status == 200
    assert _send(server, "/v1/messages/count_tokens", {"messages": []}).json == {"input_tokens": 100}
    assert _send(server, "/v2/elsewhere", {}).status == 404
    assert server.requests == []


def test_azure_is_spoken_to_by_its_deployments_paths(server: ModelServer) -> None:
    with openai.AzureOpenAI(
        azure_endpoint=server.root_url, api_version="1", api_key="key-of-a-test", max_retries=0, timeout=5
    ) as azure:
        said = azure.chat.completions.create(model="m-1", messages=[{"role": "user", "content": READY}])
        assert said.choices[0].message.content == "ready"
        assert azure.responses.create(model="m-1", input=READY).output_text == "ready"
    assert [asked.protocol for asked in server.requests] == ["chat", "responses"]


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("?api-version=1", {}, 401),
        ("", {"api-key": "k"}, 404),
        ("?api-version=1", {"api-key": "k"}, 200),
        ("?api-version=1", {"authorization": "Bearer t"}, 200),
    ],
)
def test_azure_wants_a_key_and_a_version(
    server: ModelServer, query: str, headers: dict[str, str], status: int
) -> None:
    path = f"/openai/deployments/m-1/chat/completions{query}"
    assert _send(server, path, _body("chat", READY), headers=headers).status == status
