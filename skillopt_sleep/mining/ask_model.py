"""Ask a model one of mining's questions."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Note, Prompt, Purpose

Reply = TypeVar("Reply", bound=msgspec.Struct)


def ask_model(
    model: Backend,
    purpose: Purpose,
    values: Mapping[str, str],
    *,
    schema: type[Reply],
    project: str,
    stage: str,
    failure: str,
    sample: int = 0,
) -> Reply | Note:
    """Return the model's reply to the prompt of this purpose, or a note of `stage` that begins with `failure`.

    `values` fill the slots of the prompt; the call counts towards `project`. Another `sample` draws another reply.
    """
    prompt = Prompt(
        purpose=purpose, text=fill(purpose.value, **values), schema=schema, project=project, sample=sample
    )
    try:
        reply = model.complete(prompt).structured
    except ItemError as error:
        return Note(stage=stage, summary=f"{failure}: {error.message}", remedy=error.remedy)
    assert isinstance(reply, schema)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    return reply
