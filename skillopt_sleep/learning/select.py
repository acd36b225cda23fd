"""Choose the few edits a step may apply: ranked, and cut to the edit budget."""

from collections.abc import Sequence

import msgspec

from skillopt_sleep.learning.asking import Optimizer, Question
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.records import Edit, EditSource, Note, Patch, Purpose


class SelectReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: numbers of edits, best first."""

    selected_indices: tuple[int, ...]


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen edits, and the calls that failed."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[Note, ...] = ()


def select(patch: Patch, *, optimizer: Optimizer, budget: int) -> Selection:
    """Return at most `budget` edits, best first by the optimizer's choice; no call is made if all fit.

    If the call fails or names no edit of the patch, edits learned from failures go first, then those with more
    support; of those that train can't tell apart the shorter goes first, as length is a cost.
    """
    if len(patch.edits) <= budget:
        return Selection(edits=patch.edits)
    values = {"budget": str(budget), "edits": numbered(patch.edits)}
    reply = optimizer.ask_alone(Question(Purpose.SELECT, SelectReply, values))
    if isinstance(reply, Note):
        return Selection(edits=_by_support(patch.edits)[:budget], notes=(reply,))
    indices = dict.fromkeys(reply.selected_indices)
    chosen = tuple(patch.edits[i] for i in indices if 0 <= i < len(patch.edits))
    ranked = chosen or _by_support(patch.edits)
    return Selection(edits=ranked[:budget])


def _by_support(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(edits, key=_rank))


def _rank(edit: Edit) -> tuple[bool, int, int]:
    longer = len(edit.content) - len(edit.target)
    return edit.source is not EditSource.FAILURE, -edit.support, longer
