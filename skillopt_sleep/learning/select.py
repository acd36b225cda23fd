"""One patch to the few edits a step may apply: ranked, and clipped to the edit budget."""

from collections.abc import Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.edits import numbered
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Document, Edit, EditSource, Note, Past, Patch, Prompt, Purpose


class SelectReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: numbers of edits, best first."""

    selected_indices: tuple[int, ...]
    reasoning: str = ""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen edits, and the call that failed."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[Note, ...] = ()


def select(patch: Patch, document: Document, *, optimizer: Backend, pool: Pool, budget: int, past: Past) -> Selection:
    """At most `budget` edits, best first by the optimizer's choice; no call where all fit.

    Where the choice fails or names nothing that is there: edits learned from failures first, then by support.
    """
    if len(patch.edits) <= budget:
        return Selection(edits=patch.edits)
    text = fill(
        "select",
        budget=str(budget),
        document=fence(document.text or "(empty)"),
        tried=tried_before(past),
        notes=own_notes(past),
        edits=numbered(patch.edits),
    )
    prompt = Prompt(purpose=Purpose.SELECT, text=text, schema=SelectReply, project=document.project)

    def ask(prompt: Prompt) -> SelectReply | Note:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="select", summary=f"{document.id}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, SelectReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply

    (reply,) = pool.map(ask, (prompt,), label=f"select {document.id}")
    if isinstance(reply, Note):
        return Selection(edits=_by_support(patch.edits)[:budget], notes=(reply,))
    chosen = [i for i in dict.fromkeys(reply.selected_indices) if 0 <= i < len(patch.edits)]
    ranked = tuple(patch.edits[i] for i in chosen) or _by_support(patch.edits)
    return Selection(edits=ranked[:budget])


def _by_support(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(edits, key=lambda edit: (edit.source is not EditSource.FAILURE, -edit.support)))
