"""Ask OpenAI, Azure OpenAI, and any endpoint that is compatible: by Chat Completions or by the Responses API."""

import os
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import httpx2
import msgspec
import openai
from msgspec import Meta

from skillopt_sleep.backends import http
from skillopt_sleep.backends.refusals import ServerRefusal
from skillopt_sleep.backends.replies import Billed, Tariff, bill_in, cut_off, filtered, messages_of, refused, unusable
from skillopt_sleep.errors import BackendUnavailable, ConfigError
from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.records import Completion, Prompt, Tokens, Usage

ADDRESS = "https://api.openai.com/v1"
ENTRA = "AZURE_OPENAI_AD_TOKEN"
NO_KEY = "not-needed"
# A failed response has no status; these are the ones that its errors would have had.
_STATUS = {"server_error": 500, "rate_limit_exceeded": 429}
_BAD_REQUEST = 400


class Azure(NamedTuple):
    """The settings that Azure OpenAI needs besides address and key; without a key the Entra token is used."""

    api_version: str
    ad_token: str = ""


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None


class _Usage(msgspec.Struct):
    """Token usage, under the names of Chat Completions and of Responses."""

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _Details | None = None
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    input_tokens_details: _Details | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Reply(msgspec.Struct):
    """The parts of a chat completion that we read."""

    choices: Annotated[tuple[_Choice, ...], Meta(min_length=1)]
    model: str | None = None


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


class _Response(msgspec.Struct):
    """The parts of a response that we read."""

    output: tuple[_Item, ...]
    status: str | None = None
    error: _Error | None = None
    incomplete_details: _Incomplete | None = None
    model: str | None = None


_bill = msgspec.json.Decoder(Billed[_Usage])
_reply = msgspec.json.Decoder(_Reply)
_response = msgspec.json.Decoder(_Response)
_parts = msgspec.json.Decoder(tuple[_Part, ...])


class OpenAIBackend(http.HttpBackend):
    """Asks one model; with `base_url` an endpoint of the user's own, which may need no key.

    Address and key are those of OPENAI_BASE_URL and of the variable `api_key_env`, unless they are given. On Azure
    the model is the name of a deployment.
    """

    speaks = "a chat completion"
    errors = http.Errors(openai.APIError, openai.APITimeoutError, openai.APIConnectionError, openai.APIStatusError)

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        timeout: float = 300.0,
        azure: Azure | None = None,
        max_output_tokens: int = 0,
        tariff: Tariff | None = None,
    ) -> None:
        if base_url is None:
            base_url = os.environ.get("OPENAI_BASE_URL", "")
        if api_key is None:
            api_key = os.environ.get(api_key_env, "")
        key = http.usable_key(api_key, api_key_env)
        token = http.usable_key(azure.ad_token, ENTRA) if azure and not key else ""
        super().__init__(
            "azure" if azure else "openai",
            model=model,
            base_url=base_url,
            home=ADDRESS,
            secret=key or token,
            key_env=ENTRA if token else api_key_env,
            timeout=timeout,
            tariff=tariff,
        )
        self._client: openai.AsyncOpenAI
        if azure is not None:
            self._client = _azure_client(
                base_url, azure.api_version, key, token, api_key_env, client=http.client(self, base_url)
            )
        else:
            self._client = _openai_client(base_url, key, api_key_env, http.client(self, base_url))
        self._azure = azure is not None
        self._most_tokens: Any = max_output_tokens or openai.omit
        # OpenAI's newer models refuse `max_tokens`, and most other servers know nothing else.
        self._uses_max_tokens = azure is None and base_url not in {"", ADDRESS}

    def ready(self, until: datetime) -> bool:
        """Check login and model like every HTTP backend; a deployment on Azure can't be looked up by its name."""
        return not self._azure and super().ready(until)

    async def _look_up(self, *, seconds: float) -> http.Raw:
        return await self._client.models.with_raw_response.retrieve(self._model, timeout=seconds)

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        messages: Any = messages_of(prompt)
        temperature: Any = openai.omit if prompt.temperature is None else prompt.temperature
        output: Any = openai.omit
        if structured:
            output = {"type": "json_schema", "json_schema": _named_schema(prompt)}
        max_tokens: Any = openai.omit
        max_completion_tokens: Any = openai.omit
        if self._uses_max_tokens:
            max_tokens = self._most_tokens
        else:
            max_completion_tokens = self._most_tokens
        return await self._client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=messages,
            temperature=temperature,
            timeout=seconds,
            response_format=output,
            max_tokens=max_tokens,
            max_completion_tokens=max_completion_tokens,
        )

    def _read(self, prompt: Prompt, data: bytes) -> Completion:
        reply = _reply.decode(data)
        usage = self._usage(data)
        choice = reply.choices[0]
        if choice.message.refusal:
            raise refused(choice.message.refusal, usage)
        if choice.finish_reason == "content_filter":
            raise filtered(prompt, usage)
        if choice.finish_reason == "length":
            raise cut_off(prompt, usage, reply=choice.message.content or "")
        return Completion(text=choice.message.content or "", usage=usage, model=reply.model or self._model)

    def _usage(self, answer: bytes) -> Usage | None:
        bill = bill_in(answer, _bill) or _Usage()
        given = bill.input_tokens if bill.prompt_tokens is None else bill.prompt_tokens
        made = bill.output_tokens if bill.completion_tokens is None else bill.completion_tokens
        if given is None or made is None:
            return None
        details = bill.prompt_tokens_details or bill.input_tokens_details or _Details()
        return Usage(input_tokens=given, output_tokens=made, cached_tokens=min(details.cached_tokens or 0, given))


class OpenAIResponses(OpenAIBackend):
    """Asks one model by the Responses API, which is told to keep nothing; all else is as with Chat Completions."""

    speaks = "a response"

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        output: Any = openai.omit
        if structured:
            output = {"format": {"type": "json_schema", **_named_schema(prompt)}}
        question: Any = messages_of(prompt) if prompt.messages else prompt.text
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
        reply = _response.decode(data)
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


def _named_schema(prompt: Prompt) -> dict[str, Any]:
    """Return the schema of a prompt's reply under a name, to be followed exactly."""
    return {"name": prompt.purpose.value, "schema": strict_schema(prompt.schema), "strict": True}


def _openai_client(base_url: str, key: str, key_env: str, client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    if not key and not base_url:
        raise BackendUnavailable(f"{key_env} is not set", remedy=f"export {key_env}=…", login=True)
    return openai.AsyncOpenAI(api_key=key or NO_KEY, base_url=base_url or ADDRESS, max_retries=0, http_client=client)


def _azure_client(
    base_url: str, api_version: str, key: str, token: str, key_env: str, *, client: httpx2.AsyncClient
) -> openai.AsyncAzureOpenAI:
    if not base_url:
        raise ConfigError(
            "Azure OpenAI has no address of its own",
            remedy="set backend.base_url, such as https://NAME.openai.azure.com",
        )
    if not api_version:
        raise ConfigError("no version of Azure OpenAI's API is named", remedy="set backend.api_version")
    if not key and not token:
        raise BackendUnavailable(f"neither {key_env} nor {ENTRA} is set", remedy=f"export {key_env}=…", login=True)
    return openai.AsyncAzureOpenAI(
        azure_endpoint=base_url,
        api_version=api_version,
        api_key=key or None,
        azure_ad_token=None if key else token,
        max_retries=0,
        http_client=client,
    )


def _refusal(error: _Error) -> ServerRefusal:
    code = error.code or ""
    return ServerRefusal(
        status=_STATUS.get(code, _BAD_REQUEST), names=frozenset({code}), text=error.message or "it failed"
    )
