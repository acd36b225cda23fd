"""Lay a prompt out as messages, turn a model's text into the structured reply that was asked for, and price a call.

A price is what the user says that the model costs, else that of the list that genai-prices brings along.
"""

import re
from typing import Generic, NamedTuple, TypeVar

import msgspec

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import find_object, from_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Usage

LONGER = "raise backend.max_output_tokens if you set it, or use a model that may answer at more length"

OTHER_MODEL = "check that the address serves the model you meant"
_LACKS = re.compile(r"Object missing required field (`[^`]+`)")

_MILLION = 1_000_000

Bill = TypeVar("Bill")


def messages_of(prompt: Prompt) -> list[dict[str, str]]:
    """Return the messages that an API is sent: the prompt's own, or its text as one message of the user."""
    if not prompt.messages:
        return [{"role": "user", "content": prompt.text}]
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


def decoded(prompt: Prompt, completion: Completion) -> Completion:
    """Return the completion, with `structured` filled if the prompt has a schema.

    Raises CallFailed: empty if there is no text, malformed if it isn't what the schema says. Such a reply is a failed
    call, never an empty result.
    """
    usage = completion.usage
    if not completion.text.strip():
        message = f"the model answered the {prompt.purpose} prompt with nothing"
        raise unusable(FailureKind.EMPTY, message, usage, completion.usd, reply=completion.text)
    if prompt.schema is None:
        return completion
    found = find_object(completion.text)
    if found is None:
        shown = one_line(completion.text, limit=80)
        message = f"the reply to the {prompt.purpose} prompt holds no JSON object: {shown!r}"
        raise unusable(FailureKind.MALFORMED, message, usage, completion.usd, reply=completion.text)
    try:
        structured = from_json(found, prompt.schema)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        lacks = _LACKS.fullmatch(str(error))
        message = f"the reply to the {prompt.purpose} prompt is not what was asked for: {error}"
        if lacks:
            message = f"the model's reply to the {prompt.purpose} prompt lacks a required part ({lacks[1]})"
        raise unusable(
            FailureKind.MALFORMED,
            message,
            usage,
            completion.usd,
            reply=completion.text,
            remedy=OTHER_MODEL if lacks else "",
        ) from error
    return msgspec.structs.replace(completion, structured=structured)


class Billed(msgspec.Struct, Generic[Bill]):
    """The usage that an answer reports; its other fields are ignored."""

    usage: Bill | None = None


def bill_in(answer: bytes, decoder: "msgspec.json.Decoder[Billed[Bill]]") -> Bill | None:
    """Return the usage that a provider reports for a call; None if it reports none, or an impossible one."""
    try:
        return decoder.decode(answer).usage
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def unusable(
    kind: FailureKind,
    message: str,
    usage: Usage | None,
    usd: float | None = None,
    *,
    reply: str = "",
    remedy: str = "",
    retry_after: float | None = None,
) -> CallFailed:
    """Return the failure for an unusable answer that was paid for; `reply` is its text."""
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else None
    return CallFailed(
        kind, message, remedy=remedy, retry_after=retry_after, tokens=tokens, usd=usd, paid=True, reply=reply
    )


def refused(explanation: str | None, usage: Usage | None) -> CallFailed:
    """Return the failure of a prompt that the model refused."""
    message = f"the model refused: {one_line(explanation)}" if explanation else "the model refused"
    return unusable(FailureKind.REFUSED, message, usage)


def filtered(prompt: Prompt, usage: Usage | None) -> CallFailed:
    """Return the failure of a prompt whose answer a provider's filter held back."""
    return unusable(FailureKind.REFUSED, f"the answer to the {prompt.purpose} prompt was filtered", usage)


def cut_off(prompt: Prompt, usage: Usage | None, *, why: str = "", reply: str = "") -> CallFailed:
    """Return the failure of an answer that isn't complete; `reply` is what there is of it."""
    message = f"the answer to the {prompt.purpose} prompt was cut off"
    if why:
        message += f" ({why})"
    return unusable(FailureKind.MALFORMED, message, usage, reply=reply, remedy=LONGER)


class Tariff(NamedTuple):
    """The price of a model as the user gives it, in dollars per million tokens in and out."""

    input: float
    output: float

    def price(self, usage: Usage) -> float:
        """Return the price in US dollars; tokens from a cache cost as much as others."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


def price(provider: str, model: str, usage: Usage, *, written: int = 0) -> float | None:
    """Return the price in US dollars, or None if the list doesn't have the model's prices.

    `provider` is a name (`openai`, `azure`, `anthropic`, …) or the address of its API; `written` are the input tokens
    that went into a cache.
    """
    from genai_prices import Usage as Priced, calc_price

    priced = Priced(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=written,
    )
    try:
        if "://" in provider:
            found = calc_price(priced, model, provider_api_url=provider)
        else:
            found = calc_price(priced, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    if found.model_price.input_mtok is None or found.model_price.output_mtok is None:
        return None
    return float(found.total_price)
