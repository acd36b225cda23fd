"""How a model's words are put into OpenAI's two protocols, and what all protocols of the scripted server share."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol
from uuid import uuid4

Json = dict[str, Any]
Event = tuple[str, Json]
Name = Literal["chat", "responses", "messages"]

MODEL = "scripted-1"
INPUT_TOKENS, OUTPUT_TOKENS, CACHED_TOKENS = 100, 20, 10
RETRY_AFTER = 7
RESETS_IN = 3600
CREATED = 1_700_000_000


class Call(NamedTuple):
    """A call of a tool: its arguments, or for tools that take words, `words`."""

    name: str
    arguments: Mapping[str, Any] = MappingProxyType({})
    words: str = ""


class Said(NamedTuple):
    """What the model says and calls, before it is put into a protocol; `nothing` is a completion that holds none."""

    text: str = ""
    refusal: str = ""
    cut_off: bool = False
    usage: bool = True
    nothing: bool = False
    calls: tuple[Call, ...] = ()


class Failure(NamedTuple):
    """An error as a protocol words it."""

    status: int
    body: Json
    headers: Mapping[str, str] = {}


class Speech(Protocol):
    """One protocol: what a request asks, and how an answer or an error looks."""

    name: ClassVar[Name]

    def texts(self, body: Json) -> list[str]:
        """What the user says in the request, in order."""
        ...

    def schema_name(self, body: Json) -> str | None:
        """The name of the schema the reply has to follow, or None where it may be any text."""
        ...

    def whole(self, body: Json, said: Said) -> Json:
        """The answer in one piece."""
        ...

    def events(self, body: Json, said: Said) -> list[Event]:
        """The answer as the events of a stream; none where the protocol is spoken in one piece only."""
        ...

    def failure(self, behaviour: str, body: Json, resets_at: int) -> Failure | None:
        """The error of this behaviour, or None where it is none."""
        ...

    def failed(self, failure: Failure) -> list[Event]:
        """The error as the events of a stream that had begun."""
        ...


def halves(text: str) -> list[str]:
    """The text as the two pieces a stream brings it in."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def spoken(content: Any) -> str:
    """The text of a message's content, whether it is one or a list of blocks."""
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or ())


_QUOTA = "You exceeded your current quota, please check your plan and billing details."
_LONG = "This model's maximum context length is 8192 tokens."
_ERRORS: dict[str, tuple[int, str, str | None, str]] = {
    "unauthorized": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "forbidden": (403, "invalid_request_error", None, "You are not allowed to use this model."),
    "not_found": (404, "invalid_request_error", "model_not_found", "The model does not exist."),
    "context_too_long": (400, "invalid_request_error", "context_length_exceeded", _LONG),
    "rate_limited": (429, "requests", "rate_limit_exceeded", "Rate limit reached."),
    "quota": (429, "insufficient_quota", "insufficient_quota", _QUOTA),
    "error500": (500, "server_error", None, "The server had an error."),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded", "The server is overloaded."),
}


def _error(behaviour: str, resets_at: int) -> Failure | None:
    if behaviour == "usage_limit":
        told = {"type": "usage_limit_reached", "message": "The usage limit has been reached"}
        until = {"plan_type": "plus", "resets_at": resets_at, "resets_in_seconds": RESETS_IN}
        return Failure(429, {"error": {**told, **until}})
    if behaviour not in _ERRORS:
        return None
    status, kind, code, message = _ERRORS[behaviour]
    headers = {"retry-after": str(RETRY_AFTER)} if behaviour == "rate_limited" else {}
    return Failure(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, headers)


def _dislikes(field: str, message: str) -> Failure:
    kind = {"type": "invalid_request_error", "param": field, "code": "unknown_parameter"}
    return Failure(400, {"error": {"message": message, **kind}})


class Chat:
    """OpenAI Chat Completions, in one piece."""

    name: ClassVar[Name] = "chat"

    def texts(self, body: Json) -> list[str]:
        return ["\n".join(spoken(message["content"]) for message in body["messages"])]

    def schema_name(self, body: Json) -> str | None:
        wanted = body.get("response_format")
        return None if wanted is None else str(wanted.get("json_schema", {}).get("name", ""))

    def whole(self, body: Json, said: Said) -> Json:
        message = {
            "role": "assistant",
            "content": None if said.refusal else said.text,
            "refusal": said.refusal or None,
        }
        choice = {"index": 0, "message": message, "finish_reason": "length" if said.cut_off else "stop"}
        reply: Json = {"id": "chatcmpl-1", "object": "chat.completion", "created": CREATED, "model": MODEL}
        reply["choices"] = [] if said.nothing else [choice]
        if said.usage and not said.nothing:
            reply["usage"] = {
                "prompt_tokens": INPUT_TOKENS,
                "completion_tokens": OUTPUT_TOKENS,
                "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
                "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
            }
        return reply

    def events(self, body: Json, said: Said) -> list[Event]:
        return []

    def failure(self, behaviour: str, body: Json, resets_at: int) -> Failure | None:
        if behaviour == "no_response_format" and self.schema_name(body) is not None:
            return _dislikes("response_format", "Unknown parameter: 'response_format'.")
        return _error(behaviour, resets_at)

    def failed(self, failure: Failure) -> list[Event]:
        return []


class Responses:
    """OpenAI Responses, in one piece or as a stream."""

    name: ClassVar[Name] = "responses"

    def texts(self, body: Json) -> list[str]:
        asked = body["input"]
        if isinstance(asked, str):
            return [asked]
        return [spoken(item["content"]) for item in asked if item.get("role") == "user"]

    def schema_name(self, body: Json) -> str | None:
        wanted = (body.get("text") or {}).get("format") or {}
        return str(wanted.get("name", "")) if wanted.get("type") == "json_schema" else None

    def whole(self, body: Json, said: Said) -> Json:
        reply = _response("incomplete" if said.cut_off else "completed")
        if said.cut_off:
            reply["incomplete_details"] = {"reason": "max_output_tokens"}
        reply["output"] = [_call(call) for call in said.calls]
        if not said.nothing and (said.text or said.refusal or not said.calls):
            reply["output"].insert(0, _item(_part(said), reply["status"]))
        if said.usage:
            reply["usage"] = {
                "input_tokens": INPUT_TOKENS,
                "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
                "output_tokens": OUTPUT_TOKENS,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            }
        return reply

    def events(self, body: Json, said: Said) -> list[Event]:
        reply, begun = self.whole(body, said), _response("in_progress")
        told: list[tuple[str, Json]] = [("created", {"response": begun}), ("in_progress", {"response": begun})]
        for item in reply["output"]:
            if "content" not in item:
                told += [(f"output_item.{when}", {"output_index": 0, "item": item}) for when in ("added", "done")]
                continue
            part, kind = item["content"][0], "refusal" if said.refusal else "output_text"
            words = said.refusal or said.text
            bare = {**part, "refusal" if said.refusal else "text": ""}
            at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            told += [
                ("output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}}),
                ("content_part.added", {**at, "part": bare}),
                *((f"{kind}.delta", {**at, "delta": piece}) for piece in halves(words)),
                (f"{kind}.done", {**at, "refusal" if said.refusal else "text": words}),
                ("content_part.done", {**at, "part": part}),
                ("output_item.done", {"output_index": 0, "item": item}),
            ]
        told.append((reply["status"], {"response": reply}))
        return _numbered(told)

    def failure(self, behaviour: str, body: Json, resets_at: int) -> Failure | None:
        if behaviour == "no_response_format" and self.schema_name(body) is not None:
            message = "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model."
            return _dislikes("text.format", message)
        return _error(behaviour, resets_at)

    def failed(self, failure: Failure) -> list[Event]:
        error, reply = failure.body["error"], _response("failed")
        reply["error"] = {"code": error.get("code") or error["type"], "message": error["message"]}
        return _numbered([("created", {"response": _response("in_progress")}), ("failed", {"response": reply})])


def _response(status: str) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": MODEL,
        "output": [],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }


def _part(said: Said) -> Json:
    if said.refusal:
        return {"type": "refusal", "refusal": said.refusal}
    return {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}


def _item(part: Json, status: str) -> Json:
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": [part]}


def _call(call: Call) -> Json:
    """A call of a tool; each has a name of its own."""
    item: Json = {
        "id": f"fc_{uuid4().hex}",
        "call_id": f"call_{uuid4().hex}",
        "name": call.name,
        "status": "completed",
    }
    if call.words:
        return {**item, "type": "custom_tool_call", "input": call.words}
    return {**item, "type": "function_call", "arguments": json.dumps(dict(call.arguments))}


def _numbered(told: list[tuple[str, Json]]) -> list[Event]:
    return [
        (f"response.{name}", {"type": f"response.{name}", "sequence_number": number, **data})
        for number, (name, data) in enumerate(told)
    ]
