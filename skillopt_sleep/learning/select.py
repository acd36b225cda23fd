"""Choose the few edits a step may apply: how many (its textual learning rate), and which."""

import math
from collections.abc import Sequence

import msgspec

from skillopt_sleep.learning.asking import Edits, Optimizer, Question
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.records import Edit, EditSource, Note, Patch, Purpose, mean_of


class BudgetReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    edit_budget: int
    reasoning: str = ""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The number of edits that may be applied, the reason, and the calls that failed."""

    edits: int
    because: str = ""
    notes: tuple[Note, ...] = ()


def edit_budget(schedule: str, *, step: int, total: int, most: int, least: int) -> int:
    """Return how many edits step `step` of `total` (from 1) may apply at most, by SkillOpt's formulas.

    Linear and cosine go down from `most` to `least`; constant stays at `most`, and so does autonomous, which leaves
    the choice to `budget`. Raises ValueError for another schedule.
    """
    if schedule not in {"constant", "autonomous", "linear", "cosine"}:
        raise ValueError(f"there is no schedule {schedule!r}")
    if schedule in {"constant", "autonomous"} or total <= 1:
        return most
    t = min(step, total) / total
    if schedule == "linear":
        return max(least, round(most + (least - most) * t))
    return max(least, round(least + (most - least) * (1 + math.cos(math.pi * t)) / 2))


def budget(patch: Patch, *, optimizer: Optimizer, least: int, most: int, grades: Sequence[float]) -> Budget:
    """Let the optimizer choose a number of edits from `least` to `most`; if they are equal, no call is made.

    `grades` are those of this step's attempts on train. If the call fails, the budget is `most`.
    """
    highest = min(most, len(patch.edits))
    if highest <= least:
        return Budget(edits=most)
    average, fared = mean_of(grades), "Unknown."
    if average is not None:
        fared = f"{len(grades)} attempts, graded {average:.2f} of 1 on average."
    values = {
        "least": str(least),
        "most": str(highest),
        "fared": fared,
        "edits": numbered(patch.edits),
    }
    reply = optimizer.ask_alone(Question(Purpose.BUDGET, BudgetReply, values))
    if isinstance(reply, Note):
        return Budget(edits=most, notes=(reply,))
    return Budget(edits=max(least, min(highest, reply.edit_budget)), because=reply.reasoning)


class SelectReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: numbers of edits, best first."""

    selected_indices: tuple[int, ...]


def select(patch: Patch, *, optimizer: Optimizer, budget: int) -> Edits:
    """Return at most `budget` edits, best first by the optimizer's choice; no call is made if all fit.

    If the call fails or names no edit of the patch, edits learned from failures go first, then those with more
    support; of those that train can't tell apart the shorter goes first, as length is a cost.
    """
    if len(patch.edits) <= budget:
        return Edits(edits=patch.edits)
    values = {"budget": str(budget), "edits": numbered(patch.edits)}
    reply = optimizer.ask_alone(Question(Purpose.SELECT, SelectReply, values))
    if isinstance(reply, Note):
        return Edits(edits=_by_support(patch.edits)[:budget], notes=(reply,))
    indices = dict.fromkeys(reply.selected_indices)
    chosen = tuple(patch.edits[i] for i in indices if 0 <= i < len(patch.edits))
    ranked = chosen or _by_support(patch.edits)
    return Edits(edits=ranked[:budget])


def _by_support(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    def rank(edit: Edit) -> tuple[bool, int, int]:
        return edit.source is not EditSource.FAILURE, -edit.support, len(edit.content) - len(edit.target)

    return tuple(sorted(edits, key=rank))
