"""Ask Anthropic's Messages API by its own SDK, an optional extra that only this file imports."""

import os
import re
from typing import Any

import msgspec

from skillopt_sleep.backends import http
from skillopt_sleep.backends.refusals import ServerRefusal
from skillopt_sleep.backends.replies import Billed, Tariff, bill_in, cut_off, messages_of, price, refused, unusable
from skillopt_sleep.errors import BackendUnavailable, FailureKind
from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.records import Completion, Prompt, Purpose, Tokens, Usage

try:
    import anthropic
except ImportError as error:
    raise BackendUnavailable(
        "Anthropic's SDK is not installed", remedy=f"install it: {command_for('anthropic')}"
    ) from error

ADDRESS = "https://api.anthropic.com"
NO_KEY = "not-needed"
# The API needs a limit. This one is more than any answer of ours; a model that takes less says so, and gets that.
MOST_TOKENS = 32_000
# All attempts under one document have the same text before this line: the provider caches it.
REQUEST = "\n# Request\n"

_TOO_MANY = re.compile(r"max_tokens: \d+ > ([1-9]\d{0,6})\b")


class _Usage(msgspec.Struct):
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None

    @property
    def written(self) -> int:
        return self.cache_creation_input_tokens or 0


class _Block(msgspec.Struct):
    """One block of the content; only a text block has a text."""

    type: str
    text: str = ""


class _Details(msgspec.Struct):
    explanation: str | None = None


class _Reply(msgspec.Struct):
    """The parts of a message that we read."""

    content: tuple[_Block, ...]
    stop_reason: str | None = None
    stop_details: _Details | None = None
    model: str | None = None


_bill = msgspec.json.Decoder(Billed[_Usage])
_reply = msgspec.json.Decoder(_Reply)


class AnthropicBackend(http.HttpBackend):
    """Asks one model; with `base_url` an endpoint of the user's own, which may need no key."""

    speaks = "a message"
    errors = http.Errors(
        anthropic.APIError, anthropic.APITimeoutError, anthropic.APIConnectionError, anthropic.APIStatusError
    )

    def __init__(
        self,
        *,
        model: str,
        base_url: str = "",
        api_key: str | None = None,
        api_key_env: str = "ANTHROPIC_API_KEY",
        timeout: float = 300.0,
        max_output_tokens: int = 0,
        tariff: Tariff | None = None,
    ) -> None:
        key = http.usable_key(os.environ.get(api_key_env, "") if api_key is None else api_key, api_key_env)
        if not key and not base_url:
            raise BackendUnavailable(f"{api_key_env} is not set", remedy=f"export {api_key_env}=…", login=True)
        super().__init__(
            "anthropic",
            model=model,
            base_url=base_url,
            home=ADDRESS,
            secret=key,
            key_env=api_key_env,
            timeout=timeout,
            tariff=tariff,
        )
        self._most_tokens = max_output_tokens or MOST_TOKENS
        self._client = anthropic.AsyncAnthropic(
            api_key=key or NO_KEY,
            base_url=base_url or ADDRESS,
            max_retries=0,
            open_telemetry=False,
            http_client=http.client(self, base_url),
        )

    async def _look_up(self, *, seconds: float) -> http.Raw:
        return await self._client.models.with_raw_response.retrieve(self._model, timeout=seconds)

    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> http.Raw:
        output: Any = anthropic.omit
        if structured:
            output = {"format": {"type": "json_schema", "schema": strict_schema(prompt.schema)}}
        messages: Any = [{"role": "user", "content": _content(prompt)}]
        system: Any = anthropic.omit
        more: Any = None if prompt.temperature is None else {"temperature": prompt.temperature}
        if prompt.messages:
            messages = [one for one in messages_of(prompt) if one["role"] != "system"]
            system = "\n\n".join(one.text for one in prompt.messages if one.role == "system") or anthropic.omit
        return await self._client.messages.with_raw_response.create(
            model=self._model,
            max_tokens=self._most_tokens,
            messages=messages,
            system=system,
            extra_body=more,
            output_config=output,
            timeout=seconds,
        )

    def _read(self, prompt: Prompt, data: bytes) -> Completion:
        reply = _reply.decode(data)
        bill = bill_in(data, _bill)
        usage = self._usage(data)
        text = "".join(block.text for block in reply.content if block.type == "text")
        match reply.stop_reason:
            case "refusal":
                raise refused(reply.stop_details.explanation if reply.stop_details else None, usage)
            case "max_tokens":
                raise cut_off(prompt, usage, reply=text)
            case "model_context_window_exceeded":
                message = f"the {prompt.purpose} prompt and its answer are too long for {self._model}"
                raise unusable(FailureKind.TOO_LONG, message, usage)
            case _:
                pass
        usd = None
        if bill and bill.written and usage and not self._tariff:
            # The price list charges more for what is written to the cache, which a Usage doesn't record.
            usd = price(self._own or self._provider, self._model, usage, written=bill.written)
        return Completion(text=text, usage=usage, usd=usd, model=reply.model or self._model)

    def _usage(self, answer: bytes) -> Usage | None:
        """Return all input tokens as one: the API counts those read from its cache or written to it separately."""
        bill = bill_in(answer, _bill)
        if bill is None or bill.input_tokens is None or bill.output_tokens is None:
            return None
        cached = bill.cache_read_input_tokens or 0
        return Usage(
            input_tokens=bill.input_tokens + bill.written + cached,
            output_tokens=bill.output_tokens,
            cached_tokens=cached,
        )

    def _give_up(self, refusal: ServerRefusal, *, structured: bool) -> str:
        named = _TOO_MANY.search(refusal.text)
        if named and int(named[1]) < self._most_tokens:
            self._most_tokens = int(named[1])
            return f"answer longer than {named[1]} tokens"
        return super()._give_up(refusal, structured=structured)


def _content(prompt: Prompt) -> Any:
    """Return the prompt, in two parts if many prompts of a night share the first one and it is worth caching."""
    head, _, tail = prompt.text.partition(REQUEST)
    if prompt.purpose is not Purpose.ROLLOUT or not head or not tail:
        return prompt.text
    return [
        {"type": "text", "text": head, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": f"{REQUEST}{tail}"},
    ]
