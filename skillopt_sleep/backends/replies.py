"""Turn a model's text into the structured reply that its prompt asked for."""

import re
from typing import Generic, TypeVar

import msgspec

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.jsonish import find_object
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Usage

LONGER = "raise backend.max_output_tokens if you set it, or use a model that may answer at more length"

OTHER_MODEL = "check that the address serves the model you meant"
_LACKS = re.compile(r"Object missing required field (`[^`]+`)")

Bill = TypeVar("Bill")


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
    """What an answer reports to have used, whatever else is in it."""

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
