"""Ask for other ways to say the chosen edits: one call for all of them, so that they differ."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from skillopt_sleep.learning.asking import Optimizer, Question, WrittenEdit
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.records import Edit, Note, Purpose, tasks_of


class Alternative(msgspec.Struct, frozen=True):
    """Edits that take the place of those that were proposed."""

    edits: tuple[WrittenEdit, ...]


class VaryReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    alternatives: tuple[Alternative, ...]


class Variety(msgspec.Struct, frozen=True, kw_only=True):
    """The sets of edits to try, the chosen one first, and the calls that failed."""

    sets: tuple[tuple[Edit, ...], ...]
    notes: tuple[Note, ...] = ()


def vary(edits: Sequence[Edit], *, optimizer: Optimizer, candidates: int, budget: int) -> Variety:
    """Return up to `candidates` sets of at most `budget` edits, these edits first; one set needs no call.

    Alternatives count as learned from the same tasks. If the call fails, there are none.
    """
    chosen = tuple(edits)
    if candidates <= 1 or not chosen:
        return Variety(sets=(chosen,))
    values = {"alternatives": str(candidates - 1), "budget": str(budget), "edits": numbered(chosen)}
    reply = optimizer.ask_alone(Question(Purpose.VARY, VaryReply, values))
    if isinstance(reply, Note):
        return Variety(sets=(chosen,), notes=(reply,))
    others = [_edits(alternative, chosen, budget) for alternative in reply.alternatives]
    sets = (chosen, *filter(None, others))
    return Variety(sets=sets[:candidates])


def _edits(alternative: Alternative, chosen: Sequence[Edit], budget: int) -> tuple[Edit, ...]:
    tasks = tasks_of(chosen)
    support = max(edit.support for edit in chosen)
    source = chosen[0].source
    varied = [written.edit() for written in alternative.edits[:budget]]
    return tuple(replace(edit, source=source, support=support, tasks=tasks) for edit in varied)
