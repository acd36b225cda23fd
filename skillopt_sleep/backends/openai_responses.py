"""The Responses API of OpenAI and Azure OpenAI; nothing is kept on the server."""

from typing import Any

import msgspec
import openai

from skillopt_sleep.backends import http
from skillopt_sleep.backends.openai import NONE, OpenAIBackend, named_schema
from skillopt_sleep.backends.refusals import Refusal
from skillopt_sleep.backends.replies import unusable
from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Tokens, Usage

# A response that failed has no status of its own; these are the ones its error would have come with.
_STATUS = {"server_error": 500, "rate_limit_exceeded": 429}
_BAD_REQUEST = 400


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None


class _Usage(msgspec.Struct):
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    input_tokens_details: _Details | None = None


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct):
    """One item of the output; only a message has parts that we read."""

    type: str
    content: msgspec.Raw = msgspec.Raw(b"[]")


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Error(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Reply(msgspec.Struct):
    """What is read of a response."""

    output: tuple[_Item, ...]
    status: str | None = None
    error: _Error | None = None
    incomplete_details: _Incomplete | None = None
    usage: msgspec.Raw = NONE
    model: str | None = None


_spent = msgspec.json.Decoder(_Usage | None)
_reply = msgspec.json.Decoder(_Reply)
_parts = msgspec.json.Decoder(tuple[_Part, ...])


class OpenAIResponses(OpenAIBackend):
    """Asks one model by the Responses API; everything else is as with Chat Completions."""

    speaks = "a response"

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        asked: Any = openai.omit
        if structured:
            asked = {"format": {"type": "json_schema", **named_schema(prompt)}}
        return await self._client.responses.with_raw_response.create(
            model=self._model,
            input=prompt.text,
            text=asked,
            store=False,
            timeout=seconds,
            max_output_tokens=self._most_tokens,
        )

    def _read(self, prompt: Prompt, data: bytes) -> Completion:
        reply = _reply.decode(data)
        usage = _usage(reply.usage)
        if reply.error is not None:
            code, said = reply.error.code or "", reply.error.message or "it failed"
            status = _STATUS.get(code, _BAD_REQUEST)
            failed = self._failed(Refusal(status=status, names=frozenset({code}), text=said))
            raise unusable(failed.kind, failed.message, usage)
        parts = [part for item in reply.output if item.type == "message" for part in _parts.decode(item.content)]
        refused = next((part.refusal for part in parts if part.refusal), "")
        if refused:
            raise unusable(FailureKind.REFUSED, f"the model refused: {one_line(refused)}", usage)
        reason = reply.incomplete_details.reason if reply.incomplete_details else None
        if reason == "content_filter":
            raise unusable(FailureKind.REFUSED, f"the answer to the {prompt.purpose} prompt was filtered", usage)
        if reason or reply.status not in {"completed", None}:
            why = reason or reply.status
            said = f"the answer to the {prompt.purpose} prompt was cut off ({why})"
            raise unusable(FailureKind.MALFORMED, said, usage)
        text = "".join(part.text for part in parts if part.type == "output_text")
        return Completion(text=text, usage=usage, model=reply.model or self._model)


def _usage(said: msgspec.Raw) -> Usage | None:
    """What the call took; None where it doesn't tell, or tells what can't be."""
    try:
        usage = _spent.decode(said)
    except msgspec.DecodeError:
        return None
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    details = usage.input_tokens_details
    cached = min(details.cached_tokens or 0, usage.input_tokens) if details else 0
    return Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cached_tokens=cached)
