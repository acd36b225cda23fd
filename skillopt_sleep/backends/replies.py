"""A model's text to the structured reply its prompt asked for."""

import msgspec

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.jsonish import find_object
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Usage


def decoded(prompt: Prompt, completion: Completion) -> Completion:
    """The completion with `structured` filled where the prompt has a schema.

    Raises CallFailed: empty where there is no text, malformed where it isn't what the schema says. Such a reply is a
    failed call, never an empty result.
    """
    usage = completion.usage
    if not completion.text.strip():
        raise unusable(
            FailureKind.EMPTY, f"the model answered the {prompt.purpose} prompt with nothing", usage, completion.usd
        )
    if prompt.schema is None:
        return completion
    found = find_object(completion.text)
    if found is None:
        shown = one_line(completion.text, limit=80)
        said = f"the reply to the {prompt.purpose} prompt holds no JSON object: {shown!r}"
        raise unusable(FailureKind.MALFORMED, said, usage, completion.usd)
    try:
        structured = from_json(found, prompt.schema)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        said = f"the reply to the {prompt.purpose} prompt is not what was asked for: {error}"
        raise unusable(FailureKind.MALFORMED, said, usage, completion.usd) from error
    return msgspec.structs.replace(completion, structured=structured)


def unusable(kind: FailureKind, message: str, usage: Usage | None, usd: float | None = None) -> CallFailed:
    """The failure of an answer that was paid for."""
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else None
    return CallFailed(kind, message, tokens=tokens, usd=usd, paid=True)
