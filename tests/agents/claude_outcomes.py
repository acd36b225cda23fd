"""What may happen to a call of `claude`: what the server answers to it, and what else is different."""

import json
import signal
from dataclasses import dataclass, field
from typing import Any

import msgspec

from skillopt_sleep.protocols.program import Setup

RESET = 4102444800  # 2100-01-01
CREDENTIALS = {
    "claudeAiOauth": {
        "accessToken": "sk-ant-oat01-made-up",
        "refreshToken": "sk-ant-ort01-made-up",
        "expiresAt": RESET * 1000,
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
    }
}
LIMIT = "anthropic-ratelimit-unified-"
SPENT = {f"{LIMIT}status": "rejected", f"{LIMIT}reset": str(RESET), f"{LIMIT}representative-claim": "five_hour"}
USAGE = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 30,
    "cache_read_input_tokens": 20,
    "output_tokens": 7,
}


class Word(msgspec.Struct):
    """What the structured replies are to be."""

    word: str


@dataclass(frozen=True)
class Answer:
    """One reply of the server: the raw body `sent` as it is, or nothing and the connection closed, or never any."""

    sent: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False


def error(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Answer:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
    return Answer(body, status, {"content-type": "application/json", **(headers or {})})


def stream(*events: dict[str, Any], headers: dict[str, str] | None = None) -> Answer:
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Answer(body.encode(), headers={"content-type": "text/event-stream", **(headers or {})})


def start(usage: dict[str, int]) -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": []}
    return {
        "type": "message_start",
        "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
    }


def words(text: str, *, stop: str = "end_turn", usage: dict[str, int] = USAGE, **more: Any) -> Answer:
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return stream(start(usage), *([block, delta, _STOP] if text else []), *_end(stop, usage), **more)


def call_of_tool(name: str, given: dict[str, Any]) -> Answer:
    tool = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
    block = {"type": "content_block_start", "index": 0, "content_block": tool}
    partial = {"type": "input_json_delta", "partial_json": json.dumps(given)}
    delta = {"type": "content_block_delta", "index": 0, "delta": partial}
    return stream(start(USAGE), block, delta, _STOP, *_end("tool_use", USAGE))


_STOP = {"type": "content_block_stop", "index": 0}


def _end(stop: str, usage: dict[str, int]) -> list[dict[str, Any]]:
    output = {"output_tokens": usage.get("output_tokens", 0)}
    delta = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": output}
    return [delta, {"type": "message_stop"}]


@dataclass(frozen=True)
class Outcome:
    """One thing that may happen; the last answer repeats."""

    answers: tuple[Answer, ...] = (words("pong"),)
    schema: type[msgspec.Struct] | None = None
    text: str = "ping?"
    login: str = "key"  # or "subscription", "none"
    setup: Setup = field(default_factory=Setup)
    extra: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict[str, str])
    killed_by: signal.Signals | None = None


OUTCOMES: dict[str, Outcome] = {
    "answered": Outcome(),
    "answered_bare": Outcome(setup=Setup(key_env="ANTHROPIC_API_KEY")),
    "answered_by_subscription": Outcome(login="subscription"),
    "answered_near_the_limit": Outcome(
        (words("pong", headers={**SPENT, f"{LIMIT}status": "allowed_warning", f"{LIMIT}5h-utilization": "0.93"}),),
        login="subscription",
    ),
    "answered_in_structure": Outcome(
        (call_of_tool("StructuredOutput", {"word": "pong"}), words("done")), schema=Word
    ),
    "answered_in_words": Outcome((words('{"word": "pong"}'),), schema=Word),
    "answered_in_wrong_structure": Outcome((call_of_tool("StructuredOutput", {"no": 1}),), schema=Word),
    "answered_by_unpriced_model": Outcome(setup=Setup(model="unpriced-1")),
    "answered_without_usage": Outcome((words("pong", usage={"input_tokens": 0, "output_tokens": 0}),)),
    "answered_on_extra_usage": Outcome(
        (words("pong", headers={**SPENT, f"{LIMIT}overage-status": "allowed", f"{LIMIT}overage-in-use": "true"}),),
        login="subscription",
    ),
    "answered_by_no_model": Outcome(extra=("--verbose", "/help")),
    "empty": Outcome((words(""),)),
    "blank": Outcome((words(" \n"),)),
    "no_login": Outcome(login="none"),
    "unauthorized": Outcome((error(401, "authentication_error", "invalid x-api-key"),)),
    "unauthorized_subscription": Outcome(
        (error(401, "authentication_error", "OAuth token has expired."),), login="subscription"
    ),
    "forbidden": Outcome((error(403, "permission_error", "Your key may not use this."),)),
    "no_model": Outcome((error(404, "not_found_error", "model: gone-1"),)),
    "bad_request": Outcome((error(400, "invalid_request_error", "messages: something is wrong"),)),
    "no_credit": Outcome((error(400, "invalid_request_error", "Your credit balance is too low to access the API."),)),
    "too_long": Outcome((error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),)),
    "too_large": Outcome((error(413, "request_too_large", "Request exceeds the maximum size"),)),
    "rate_limited": Outcome((error(429, "rate_limit_error", "Slow down.", {"retry-after": "7"}),)),
    "rate_limited_subscription": Outcome((error(429, "rate_limit_error", "Slow down."),), login="subscription"),
    "limit_reached": Outcome((error(429, "rate_limit_error", "Too much.", SPENT),), login="subscription"),
    "error500": Outcome((error(500, "api_error", "Internal server error"),)),
    "error503": Outcome((error(503, "api_error", "Service unavailable"),)),
    "overloaded": Outcome((error(529, "overloaded_error", "Overloaded"),)),
    "dropped": Outcome((Answer(),)),
    "port_closed": Outcome(environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}),
    "page": Outcome((Answer(b"<!doctype html><html>Sign in</html>", headers={"content-type": "text/html"}),)),
    "bad_json": Outcome(
        (Answer(b"event: message_start\ndata: {not\n\n", headers={"content-type": "text/event-stream"}),)
    ),
    "cut_after_start": Outcome((stream(start(USAGE)),)),
    "cut_in_text": Outcome(
        (
            stream(
                start(USAGE),
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "po"}},
            ),
        )
    ),
    "overloaded_in_stream": Outcome(
        (stream(start(USAGE), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),)
    ),
    "cut_off": Outcome((words("pon", stop="max_tokens"),)),
    "refused": Outcome((words("I can't help with that.", stop="refusal"),)),
    "unknown_option": Outcome(extra=("--no-such-option",)),
    "interrupted": Outcome((Answer(hangs=True),), killed_by=signal.SIGINT),
    "terminated": Outcome((Answer(hangs=True),), killed_by=signal.SIGTERM),
    "killed": Outcome((Answer(hangs=True),), killed_by=signal.SIGKILL),
}
