"""Ask the Responses API of OpenAI and Azure OpenAI; nothing is kept on the server."""

from typing import Any

import msgspec
import openai

from skillopt_sleep.backends import http
from skillopt_sleep.backends.openai import OpenAIBackend, named_schema
from skillopt_sleep.backends.refusals import Refusal
from skillopt_sleep.backends.replies import cut_off, filtered, refused, unusable
from skillopt_sleep.backends.said import said
from skillopt_sleep.records import Completion, Prompt

# A failed response has no status; these are the ones that its errors would have had.
_STATUS = {"server_error": 500, "rate_limit_exceeded": 429}
_BAD_REQUEST = 400


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct):
    """One item of the output; only messages have parts that we read."""

    type: str
    content: msgspec.Raw = msgspec.Raw(b"[]")


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Error(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Reply(msgspec.Struct):
    """The parts of a response that we read."""

    output: tuple[_Item, ...]
    status: str | None = None
    error: _Error | None = None
    incomplete_details: _Incomplete | None = None
    model: str | None = None


_reply = msgspec.json.Decoder(_Reply)
_parts = msgspec.json.Decoder(tuple[_Part, ...])


class OpenAIResponses(OpenAIBackend):
    """Asks one model by the Responses API; everything else is the same as with Chat Completions."""

    speaks = "a response"

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        output: Any = openai.omit
        if structured:
            output = {"format": {"type": "json_schema", **named_schema(prompt)}}
        question: Any = said(prompt) if prompt.messages else prompt.text
        temperature: Any = openai.omit if prompt.temperature is None else prompt.temperature
        return await self._client.responses.with_raw_response.create(
            model=self._model,
            input=question,
            temperature=temperature,
            text=output,
            store=False,
            timeout=seconds,
            max_output_tokens=self._most_tokens,
        )

    def _read(self, prompt: Prompt, data: bytes) -> Completion:
        reply = _reply.decode(data)
        usage = self._usage(data)
        if reply.error is not None:
            failed = self._failed(_refusal(reply.error))
            raise unusable(failed.kind, failed.message, usage)
        parts: list[_Part] = []
        for item in reply.output:
            if item.type == "message":
                parts += _parts.decode(item.content)
        for part in parts:
            if part.refusal:
                raise refused(part.refusal, usage)
        reason = reply.incomplete_details.reason if reply.incomplete_details else None
        if reason == "content_filter":
            raise filtered(prompt, usage)
        text = "".join(part.text for part in parts if part.type == "output_text")
        if reason or reply.status not in {"completed", None}:
            raise cut_off(prompt, usage, why=reason or reply.status or "", reply=text)
        return Completion(text=text, usage=usage, model=reply.model or self._model)


def _refusal(error: _Error) -> Refusal:
    code = error.code or ""
    return Refusal(status=_STATUS.get(code, _BAD_REQUEST), names=frozenset({code}), text=error.message or "it failed")
