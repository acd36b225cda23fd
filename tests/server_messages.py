"""How a model's words are put into Anthropic's protocol."""

import json
from typing import ClassVar
from uuid import uuid4

from tests.server_protocols import (
    CACHED_TOKENS,
    INPUT_TOKENS,
    MODEL,
    OUTPUT_TOKENS,
    RESETS_IN,
    RETRY_AFTER,
    Event,
    Failure,
    Json,
    Name,
    Said,
    halves,
    spoken,
)

STRUCTURED = "StructuredOutput"  # the tool by which the claude program takes a reply that follows a schema

_LONG = "prompt is too long: 210000 tokens > 200000 maximum"
_LIMIT = "This request would exceed your account's rate limit. Please try again later."
_CREDIT = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
_ERRORS: dict[str, tuple[int, str, str]] = {
    "unauthorized": (401, "authentication_error", "invalid x-api-key"),
    "forbidden": (403, "permission_error", "Your API key does not have permission to use the specified resource."),
    "not_found": (404, "not_found_error", "model: {model}"),
    "context_too_long": (400, "invalid_request_error", _LONG),
    "quota": (400, "invalid_request_error", _CREDIT),
    "rate_limited": (429, "rate_limit_error", _LIMIT),
    "usage_limit": (429, "rate_limit_error", _LIMIT),
    "error500": (500, "api_error", "Internal server error"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
}


class Messages:
    """Anthropic Messages, in one piece or as a stream."""

    name: ClassVar[Name] = "messages"

    def texts(self, body: Json) -> list[str]:
        return [spoken(message["content"]) for message in body["messages"] if message["role"] == "user"]

    def schema_name(self, body: Json) -> str | None:
        wanted = (body.get("output_config") or {}).get("format") or body.get("output_format")
        return "" if wanted or _tool(body) else None

    def whole(self, body: Json, said: Said) -> Json:
        content, stop = _content(body, said), "end_turn"
        if said.refusal:
            stop = "refusal"
        elif said.cut_off:
            stop = "max_tokens"
        elif content and content[-1]["type"] == "tool_use":
            stop = "tool_use"
        reply = {**_message(), "content": content, "stop_reason": stop}
        return {**reply, "usage": _usage(OUTPUT_TOKENS)} if said.usage else reply

    def events(self, body: Json, said: Said) -> list[Event]:
        reply = self.whole(body, said)
        begun = {**_message(), "usage": _usage(1)} if said.usage else _message()
        told: list[Event] = [("message_start", {"message": begun}), ("ping", {})]
        for index, block in enumerate(reply["content"]):
            if block["type"] == "text":
                bare, pieces = {**block, "text": ""}, halves(block["text"])
                deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
            else:
                bare, pieces = {**block, "input": {}}, halves(json.dumps(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
            told += [
                ("content_block_start", {"index": index, "content_block": bare}),
                *(("content_block_delta", {"index": index, "delta": delta}) for delta in deltas),
                ("content_block_stop", {"index": index}),
            ]
        ended = {"delta": {"stop_reason": reply["stop_reason"], "stop_sequence": None}}
        usage = {"usage": {"output_tokens": OUTPUT_TOKENS}} if said.usage else {}
        told += [("message_delta", {**ended, **usage}), ("message_stop", {})]
        return [(name, {"type": name, **data}) for name, data in told]

    def failure(self, behaviour: str, body: Json, resets_at: int) -> Failure | None:
        if behaviour == "no_response_format" and self.schema_name(body) is not None:
            return _error(400, "invalid_request_error", "output_config.format: Extra inputs are not permitted")
        if behaviour not in _ERRORS:
            return None
        status, kind, message = _ERRORS[behaviour]
        failure = _error(status, kind, message.format(model=body.get("model", "")))
        if behaviour == "rate_limited":
            return failure._replace(headers={"retry-after": str(RETRY_AFTER)})
        return failure._replace(headers=_used_up(resets_at)) if behaviour == "usage_limit" else failure

    def failed(self, failure: Failure) -> list[Event]:
        begun = {"type": "message_start", "message": {**_message(), "usage": _usage(1)}}
        return [("message_start", begun), ("error", failure.body)]


def _message() -> Json:
    # The program takes what has the same id for one answer.
    envelope = {"id": f"msg_{uuid4().hex}", "type": "message", "role": "assistant", "model": MODEL}
    return {**envelope, "content": [], "stop_reason": None, "stop_sequence": None}


def _usage(output_tokens: int) -> Json:
    """Anthropic counts what came from the cache apart from the other input."""
    return {
        "input_tokens": INPUT_TOKENS - CACHED_TOKENS,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": CACHED_TOKENS,
        "output_tokens": output_tokens,
    }


def _tool(body: Json) -> str:
    """The tool that has to be called with the reply, or ""."""
    chosen = body.get("tool_choice") or {}
    if chosen.get("type") == "tool":
        return str(chosen["name"])
    return next((STRUCTURED for tool in body.get("tools") or () if tool.get("name") == STRUCTURED), "")


def _content(body: Json, said: Said) -> list[Json]:
    if said.nothing or said.refusal:
        return []
    tool = _tool(body)
    if tool and not said.cut_off and said.text.startswith("{"):
        return [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": json.loads(said.text)}]
    blocks: list[Json] = [{"type": "text", "text": said.text}] if said.text or not said.calls else []
    for call in said.calls:
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{uuid4().hex}", "name": call.name, "input": dict(call.arguments)}
        )
    return blocks


def _error(status: int, kind: str, message: str) -> Failure:
    return Failure(status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})


def _used_up(resets_at: int) -> dict[str, str]:
    """What a subscription's limiter says once its five hours are used up."""
    return {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(resets_at),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": str(resets_at),
        "anthropic-ratelimit-unified-5h-utilization": "1.0",
        "anthropic-ratelimit-unified-overage-status": "rejected",
        "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled",
        "anthropic-ratelimit-unified-fallback-percentage": "0.5",
        "retry-after": str(RESETS_IN),
    }
