"""Set how many edits a step may apply (its textual learning rate): by a schedule, or as the optimizer chooses."""

import math
from collections.abc import Sequence

import msgspec

from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.asking import Optimizer, Question
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.records import Note, Patch, Purpose


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
    values = {
        "least": str(least),
        "most": str(highest),
        "fared": _fared(grades),
        "edits": numbered(patch.edits),
    }
    reply = optimizer.ask_alone(Question(Purpose.BUDGET, BudgetReply, values))
    if isinstance(reply, Note):
        return Budget(edits=most, notes=(reply,))
    return Budget(edits=max(least, min(highest, reply.edit_budget)), because=reply.reasoning)


def _fared(grades: Sequence[float]) -> str:
    average = mean(grades)
    if average is None:
        return "Unknown."
    return f"{len(grades)} attempts, graded {average:.2f} of 1 on average."
