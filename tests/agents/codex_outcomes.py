"""The outcomes of `codex exec` that are recorded, each by what the model's server does to bring it about."""

import json
import signal
from collections.abc import Mapping
from typing import Any, NamedTuple

WAITS = 4.0  # how long a run is waited for, in seconds


class Reply(NamedTuple):
    """What the server answers to a question; None as a status drops the connection, a length of time is waited first."""

    status: int | None = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: Mapping[str, str] = {}
    hang: float = 0.0


class Scene(NamedTuple):
    """One outcome: the reply, and what else is special; `login` is asked as with a ChatGPT login."""

    reply: Reply
    model: str = "gpt-5.5"
    schema: bool = False
    key: bool = True
    closed: bool = False
    kill: int = 0
    login: bool = False
    extra: tuple[str, ...] = ()


def events(*items: dict[str, Any]) -> bytes:
    return b"".join(f"event: {item['type']}\ndata: {json.dumps(item)}\n\n".encode() for item in items)


def stream(*items: dict[str, Any], headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(body=events(*items), kind="text/event-stream", headers=headers or {})


def refused(status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: object) -> Reply:
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None} | more}
    return Reply(status=status, body=json.dumps(body).encode(), headers=headers or {})


def said(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    return {"type": "response.output_item.done", "output_index": 0, "item": item}


def ended(kind: str, **more: object) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {"id": "resp_1", "object": "response", "output": []} | more}


BILL = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 40},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 140,
}
BEGUN = ended("created", status="in_progress")
DONE = ended("completed", status="completed", usage=BILL)
LIMITS = {
    "x-codex-primary-used-percent": "100",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": "1795254214",
    "x-codex-secondary-used-percent": "97",
    "x-codex-plan-type": "plus",
}


def failed(code: str, message: str) -> Reply:
    error = {"code": code, "message": message}
    return stream(BEGUN, ended("failed", status="failed", error=error))


def cut(reason: str) -> Reply:
    details = {"reason": reason}
    return stream(BEGUN, said("half an ans"), ended("incomplete", incomplete_details=details, usage=BILL))


ANSWER = stream(BEGUN, said("hello there"), DONE)
TOO_LONG = "Your input exceeds the context window of this model. Please adjust your input and try again."
LATER = "Rate limit reached for gpt-5.5 on tokens per min (TPM): Limit 30000. Please try again in 2.5s."
SPENT = "You exceeded your current quota, please check your plan and billing details."
SCENES: dict[str, Scene] = {
    "answered": Scene(ANSWER),
    "answered_default_model": Scene(ANSWER, model=""),
    "answered_structured": Scene(stream(BEGUN, said('{"good":true,"why":""}'), DONE), schema=True),
    "answered_with_warning": Scene(ANSWER, model="nobody-knows-it"),
    "answered_at_the_limit": Scene(stream(BEGUN, said("hello there"), DONE, headers=LIMITS)),
    "answered_twice": Scene(stream(BEGUN, said("Let me see."), said("hello there"), DONE)),
    "answered_unbilled": Scene(stream(BEGUN, said("hello there"), ended("completed", status="completed"))),
    "no_key": Scene(ANSWER, key=False),
    "http_400": Scene(refused(400, "Unsupported parameter: 'verbosity'.")),
    "http_400_too_long": Scene(refused(400, TOO_LONG, code="context_length_exceeded")),
    "http_400_schema": Scene(
        refused(400, "Invalid schema for response_format.", code="invalid_json_schema"), schema=True
    ),
    "http_400_policy": Scene(
        refused(400, "Invalid prompt: it was flagged as it may violate our usage policy.", code="invalid_prompt")
    ),
    "http_400_not_for_chatgpt": Scene(
        Reply(400, b'{"detail":"The \'gpt-9\' model is not supported when using Codex with a ChatGPT account."}')
    ),
    "http_401": Scene(refused(401, "Incorrect API key provided.", code="invalid_api_key")),
    "http_403": Scene(refused(403, "You have insufficient permissions for this operation.")),
    "http_404": Scene(
        refused(404, "The model `gpt-9` does not exist or you do not have access to it.", code="model_not_found")
    ),
    "http_413": Scene(Reply(413, b"Payload Too Large", "text/plain")),
    "http_429": Scene(refused(429, LATER, code="rate_limit_exceeded", headers={"retry-after": "3"})),
    "http_429_quota": Scene(refused(429, SPENT, type="insufficient_quota", code="insufficient_quota")),
    "http_429_usage_limit": Scene(
        refused(
            429,
            "The usage limit has been reached",
            type="usage_limit_reached",
            plan_type="plus",
            resets_at=1795254214,
        )
    ),
    "http_429_usage_limit_without_time": Scene(
        refused(429, "The usage limit has been reached", type="usage_limit_reached")
    ),
    "http_429_not_in_plan": Scene(refused(429, "Not in your plan", type="usage_not_included")),
    "http_500": Scene(refused(500, "The server had an error.")),
    "http_503": Scene(refused(503, "Our servers are currently overloaded.", code="server_is_overloaded")),
    "http_529": Scene(refused(529, "Overloaded")),
    "failed_rate_limit": Scene(failed("rate_limit_exceeded", LATER)),
    "failed_overloaded": Scene(failed("server_is_overloaded", "Our servers are currently overloaded.")),
    "failed_server_error": Scene(failed("server_error", "An error occurred while processing your request.")),
    "failed_quota": Scene(failed("insufficient_quota", SPENT)),
    "failed_too_long": Scene(failed("context_length_exceeded", TOO_LONG)),
    "failed_policy": Scene(
        failed("invalid_prompt", "Invalid prompt: it was flagged as it may violate our usage policy.")
    ),
    "failed_cyber_policy": Scene(failed("cyber_policy", "This request was flagged for possible cybersecurity risk.")),
    "incomplete_filter": Scene(cut("content_filter")),
    "incomplete_cut_off": Scene(cut("max_output_tokens")),
    "empty_output": Scene(stream(BEGUN, DONE)),
    "empty_text": Scene(stream(BEGUN, said(""), DONE)),
    "empty_body": Scene(Reply(kind="text/event-stream")),
    "truncated": Scene(stream(BEGUN, said("half an ans"))),
    "bad_json": Scene(Reply(body=b"event: response.created\ndata: {nope\n\n", kind="text/event-stream")),
    "html": Scene(Reply(body=b"<!doctype html><html><body>Please sign in.</body></html>", kind="text/html")),
    "dropped": Scene(Reply(status=None)),
    "hang": Scene(Reply(hang=WAITS + 1)),
    "port_closed": Scene(ANSWER, closed=True),
    "killed": Scene(Reply(hang=3), kill=signal.SIGKILL),
    "terminated": Scene(Reply(hang=3), kill=signal.SIGTERM),
    "answered_by_login": Scene(ANSWER, login=True),
    "login_refused": Scene(
        refused(401, "Your authentication token has been invalidated.", code="token_invalidated"), login=True
    ),
    "unknown_option": Scene(ANSWER, extra=("--no-such-option",)),
    "unusable_setting": Scene(ANSWER, extra=("-c", "model_providers.openai.name=1")),
}
