"""Any OpenAI-compatible endpoint, by Chat Completions. The only importer of openai."""

from typing import Any

import openai
from openai.types.chat import ChatCompletion

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.codec import schema
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage

PREFLIGHT_SECONDS = 30.0
LONGEST_WAIT = 60.0
NO_KEY = "not-needed"


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
            reply = self._ask(prompt)
        except openai.APIError as error:
            raise self._failure(error) from error
        except ValueError as error:
            raise CallFailed(
                FailureKind.MALFORMED, f"{self._where} answered with something else than JSON"
            ) from error
        return decoded(prompt, self._completion(prompt, reply))

    def _ask(self, prompt: Prompt) -> object:
        timeout = min(self._timeout, PREFLIGHT_SECONDS) if prompt.purpose is Purpose.PREFLIGHT else self._timeout
        messages: Any = [{"role": "user", "content": prompt.text}]
        if prompt.schema is None or not self._takes_schema:
            return self._client.chat.completions.create(model=self._model, messages=messages, timeout=timeout)
        asked: Any = {
            "type": "json_schema",
            "json_schema": {"name": prompt.purpose.value, "schema": schema(prompt.schema)},
        }
        try:
            return self._client.chat.completions.create(
                model=self._model, messages=messages, timeout=timeout, response_format=asked
            )
        except openai.BadRequestError as error:
            if "response_format" not in str(error) and "json_schema" not in str(error):
                raise
            self._takes_schema = False
            return self._ask(prompt)

    def _completion(self, prompt: Prompt, reply: object) -> Completion:
        if not isinstance(reply, ChatCompletion) or not reply.choices:
            raise CallFailed(
                FailureKind.MALFORMED, f"{self._where} answered with something else than a chat completion"
            )
        choice = reply.choices[0]
        if choice.message.refusal:
            raise CallFailed(FailureKind.REFUSED, f"the model refused: {one_line(choice.message.refusal)}")
        if choice.finish_reason == "length":
            raise CallFailed(FailureKind.MALFORMED, f"the answer to the {prompt.purpose} prompt was cut off")
        return Completion(text=choice.message.content or "", usage=_usage(reply), model=reply.model or self._model)

    def _failure(self, error: openai.APIError) -> CallFailed:
        """The typed failure, named for the person who has to mend it."""
        said = one_line(error.message, limit=200)
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


def _usage(reply: ChatCompletion) -> Usage | None:
    if reply.usage is None:
        return None
    details = reply.usage.prompt_tokens_details
    return Usage(
        input_tokens=reply.usage.prompt_tokens,
        output_tokens=reply.usage.completion_tokens,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
    )
