"""The chosen edits to other ways of going about the same: one call for all of them, so that they differ."""

from collections.abc import Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.edits import numbered
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Document, Edit, EditOp, Note, Past, Prompt, Purpose


class VariedEdit(msgspec.Struct, frozen=True):
    """An edit as the optimizer writes it."""

    op: EditOp
    content: str = ""
    target: str = ""
    reason: str = ""


class Alternative(msgspec.Struct, frozen=True):
    """Edits that take the place of those that were proposed."""

    edits: tuple[VariedEdit, ...]


class VaryReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    alternatives: tuple[Alternative, ...]
    reasoning: str = ""


class Variety(msgspec.Struct, frozen=True, kw_only=True):
    """The sets of edits to try, the one that was chosen first, and the call that failed."""

    sets: tuple[tuple[Edit, ...], ...]
    notes: tuple[Note, ...] = ()


def vary(
    edits: Sequence[Edit],
    document: Document,
    *,
    optimizer: Backend,
    pool: Pool,
    candidates: int,
    budget: int,
    preferences: str,
    past: Past,
) -> Variety:
    """Up to `candidates` sets of at most `budget` edits, these edits being the first; no call for one.

    Alternatives are learned from the same tasks. Where the call fails there are none.
    """
    chosen = tuple(edits)
    if candidates <= 1 or not chosen:
        return Variety(sets=(chosen,))
    text = fill(
        "vary",
        alternatives=str(candidates - 1),
        budget=str(budget),
        document=fence(document.text or "(empty)"),
        editable=fence(document.body or "(empty)"),
        preferences=preferences.strip() or "None.",
        tried=tried_before(past),
        notes=own_notes(past),
        edits=numbered(chosen),
    )
    prompt = Prompt(purpose=Purpose.VARY, text=text, schema=VaryReply, project=document.project)

    def ask(prompt: Prompt) -> VaryReply | Note:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="vary", summary=f"{document.id}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, VaryReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply

    (reply,) = pool.map(ask, (prompt,), label=f"vary {document.id}")
    if isinstance(reply, Note):
        return Variety(sets=(chosen,), notes=(reply,))
    others = [_edits(one, chosen, budget) for one in reply.alternatives]
    return Variety(sets=(chosen, *(one for one in others if one))[:candidates])


def _edits(alternative: Alternative, chosen: Sequence[Edit], budget: int) -> tuple[Edit, ...]:
    tasks = tuple(dict.fromkeys(task for edit in chosen for task in edit.tasks))
    return tuple(
        Edit(
            op=edit.op,
            content=edit.content.strip(),
            target=edit.target,
            reason=edit.reason,
            source=chosen[0].source,
            support=max(edit.support for edit in chosen),
            tasks=tasks,
        )
        for edit in alternative.edits[:budget]
    )
