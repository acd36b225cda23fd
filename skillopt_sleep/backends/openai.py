"""Any OpenAI-compatible endpoint, by Chat Completions, and Azure OpenAI."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple

import msgspec
import openai
from msgspec import Meta

from skillopt_sleep.backends import http
from skillopt_sleep.backends.replies import unusable
from skillopt_sleep.errors import BackendUnavailable, ConfigError, FailureKind
from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Tokens, Usage

ADDRESS = "https://api.openai.com/v1"
ENTRA = "AZURE_OPENAI_AD_TOKEN"
NO_KEY = "not-needed"


class Azure(NamedTuple):
    """What Azure OpenAI needs beyond address and key; the Entra token is used where there is no key."""

    api_version: str
    ad_token: str = ""


NONE = msgspec.Raw(b"null")


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _Details | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Reply(msgspec.Struct):
    """What is read of a chat completion."""

    choices: Annotated[tuple[_Choice, ...], Meta(min_length=1)]
    usage: msgspec.Raw = NONE
    model: str | None = None


_spent = msgspec.json.Decoder(_Usage | None)
_reply = msgspec.json.Decoder(_Reply)


class OpenAIBackend(http.HttpBackend):
    """Asks one model; an endpoint of the user's own may need no key. On Azure the model is the deployment's name."""

    speaks = "a chat completion"
    errors = http.Errors(openai.APIError, openai.APITimeoutError, openai.APIConnectionError, openai.APIStatusError)

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        api_key: str,
        api_key_env: str,
        timeout: float,
        azure: Azure | None = None,
        max_output_tokens: int = 0,
    ) -> None:
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
        )
        if azure is not None:
            self._client: openai.AsyncOpenAI = _azure_client(base_url, azure.api_version, key, token, api_key_env)
        else:
            if not key and not base_url:
                raise BackendUnavailable(f"{api_key_env} is not set", remedy=f"export {api_key_env}=…", login=True)
            self._client = openai.AsyncOpenAI(
                api_key=key or NO_KEY, base_url=base_url or ADDRESS, max_retries=0, http_client=http.client()
            )
        self._azure = azure is not None
        self._most_tokens: Any = max_output_tokens or openai.omit
        # OpenAI's newer models refuse the older name, and servers of others mostly know no other.
        self._older = azure is None and base_url not in {"", ADDRESS}

    def ready(self, until: datetime) -> bool:
        """As of every HTTP backend; a deployment on Azure can't be looked up by its name."""
        return not self._azure and super().ready(until)

    async def _look_up(self, *, seconds: float) -> http.Raw:
        return await self._client.models.with_raw_response.retrieve(self._model, timeout=seconds)

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        messages: Any = [{"role": "user", "content": prompt.text}]
        asked: Any = openai.omit
        if structured:
            asked = {"type": "json_schema", "json_schema": named_schema(prompt)}
        return await self._client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=messages,
            timeout=seconds,
            response_format=asked,
            max_tokens=self._most_tokens if self._older else openai.omit,
            max_completion_tokens=openai.omit if self._older else self._most_tokens,
        )

    def _read(self, prompt: Prompt, data: bytes) -> Completion:
        reply = _reply.decode(data)
        choice, usage = reply.choices[0], _usage(reply.usage)
        if choice.message.refusal:
            raise unusable(FailureKind.REFUSED, f"the model refused: {one_line(choice.message.refusal)}", usage)
        if choice.finish_reason == "content_filter":
            raise unusable(FailureKind.REFUSED, f"the answer to the {prompt.purpose} prompt was filtered", usage)
        if choice.finish_reason == "length":
            raise unusable(FailureKind.MALFORMED, f"the answer to the {prompt.purpose} prompt was cut off", usage)
        return Completion(text=choice.message.content or "", usage=usage, model=reply.model or self._model)


def named_schema(prompt: Prompt) -> dict[str, Any]:
    """The schema of a prompt's reply under a name, to be kept to the letter."""
    return {"name": prompt.purpose.value, "schema": strict_schema(prompt.schema), "strict": True}


def _azure_client(base_url: str, api_version: str, key: str, token: str, key_env: str) -> openai.AsyncAzureOpenAI:
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
        http_client=http.client(),
    )


def _usage(said: msgspec.Raw) -> Usage | None:
    """What the call took; None where it doesn't tell, or tells what can't be."""
    try:
        usage = _spent.decode(said)
    except msgspec.DecodeError:
        return None
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details
    cached = min(details.cached_tokens or 0, usage.prompt_tokens) if details else 0
    return Usage(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens, cached_tokens=cached)
