"""Any OpenAI-compatible endpoint, by Chat Completions. The only importer of openai."""

from typing import Annotated, Any

import msgspec
import openai
from msgspec import Meta

from skillopt_sleep.backends.replies import decoded, unusable
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.codec import schema
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage

PREFLIGHT_SECONDS = 30.0
LONGEST_WAIT = 60.0
NO_KEY = "not-needed"


Tokens = Annotated[int, Meta(ge=0)]


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
    usage: _Usage | None = None
    model: str | None = None


_reply = msgspec.json.Decoder(_Reply)


class OpenAIBackend:
    """Asks one model; an endpoint of the user's own may need no key."""

    def __init__(self, *, model: str, base_url: str, api_key: str, api_key_env: str, timeout: float) -> None:
        if not api_key and not base_url:
            raise BackendUnavailable(f"{api_key_env} is not set", remedy=f"export {api_key_env}=…", login=True)
        self._model = model
        self._where = base_url or "https://api.openai.com/v1"
        self._api_key_env = api_key_env
        self._timeout = timeout
        self._takes_schema = True
        self._client = openai.OpenAI(
            api_key=api_key or NO_KEY, base_url=base_url or None, max_retries=0, timeout=timeout
        )

    def complete(self, prompt: Prompt) -> Completion:
        """One request; raises CallFailed with what went wrong, never an empty answer."""
        try:
            data = self._ask(prompt)
        except openai.APIError as error:
            raise self._failure(prompt, error) from error
        try:
            reply = _reply.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = f"{self._where} answered with something else than a chat completion: {error}"
            raise CallFailed(FailureKind.MALFORMED, said) from error
        return decoded(prompt, self._completion(prompt, reply))

    def _ask(self, prompt: Prompt) -> bytes:
        """The body of the answer, as it came: it is decoded strictly, which the SDK does not."""
        timeout = min(self._timeout, PREFLIGHT_SECONDS) if prompt.purpose is Purpose.PREFLIGHT else self._timeout
        messages: Any = [{"role": "user", "content": prompt.text}]
        asked: Any = openai.omit
        if prompt.schema is not None and self._takes_schema:
            named = {"name": prompt.purpose.value, "schema": schema(prompt.schema)}
            asked = {"type": "json_schema", "json_schema": named}
        raw = self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=messages, timeout=timeout, response_format=asked
        )
        return raw.http_response.content

    def _completion(self, prompt: Prompt, reply: _Reply) -> Completion:
        choice, usage = reply.choices[0], _usage(reply.usage)
        if choice.message.refusal:
            raise unusable(FailureKind.REFUSED, f"the model refused: {one_line(choice.message.refusal)}", usage)
        if choice.finish_reason == "length":
            raise unusable(FailureKind.MALFORMED, f"the answer to the {prompt.purpose} prompt was cut off", usage)
        return Completion(text=choice.message.content or "", usage=usage, model=reply.model or self._model)

    def _failure(self, prompt: Prompt, error: openai.APIError) -> CallFailed:
        """The typed failure, named for the person who has to mend it."""
        said = one_line(error.message, limit=200)
        if prompt.schema is not None and self._takes_schema and _dislikes_schema(error):
            self._takes_schema = False
            return CallFailed(FailureKind.BAD_REQUEST, f"{self._where} takes no response_format", retry_after=0.0)
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            remedy = f"check the key in {self._api_key_env}"
            return CallFailed(FailureKind.LOGIN, f"{self._where} refused the key: {said}", remedy=remedy)
        if isinstance(error, openai.APITimeoutError):
            return CallFailed(
                FailureKind.TIMED_OUT, f"{self._where} did not answer in time", remedy="try again later"
            )
        if isinstance(error, openai.APIConnectionError):
            return CallFailed(FailureKind.UNREACHABLE, f"{self._where} can't be reached: {said}")
        if isinstance(error, openai.RateLimitError):
            return CallFailed(
                FailureKind.RATE_LIMITED,
                f"{self._where} is rate limited: {said}",
                retry_after=_retry_after(error),
            )
        if isinstance(error, openai.InternalServerError):
            return CallFailed(
                FailureKind.OVERLOADED,
                f"{self._where} failed with status {error.status_code}: {said}",
                retry_after=_retry_after(error),
            )
        if isinstance(error, openai.APIStatusError):
            remedy = f"check the model's name ({self._model}) and the address"
            return CallFailed(FailureKind.BAD_REQUEST, f"{self._where} refused the request: {said}", remedy=remedy)
        return CallFailed(FailureKind.MALFORMED, f"{self._where} answered with something unusable: {said}")


def _retry_after(error: openai.APIStatusError) -> float | None:
    """The seconds the server asked to wait, where it named some and they are worth waiting for."""
    named = error.response.headers.get("retry-after", "")
    return min(float(named), LONGEST_WAIT) if named.isdecimal() else None


def _dislikes_schema(error: openai.APIError) -> bool:
    refused = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError)
    return refused and any(word in str(error) for word in ("response_format", "json_schema"))


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details
    cached = details.cached_tokens if details else 0
    return Usage(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens, cached_tokens=cached or 0)
