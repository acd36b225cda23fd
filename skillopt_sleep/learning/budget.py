"""How many edits a step may apply, its textual learning rate: by a schedule, or as a model chooses."""

import math
from collections.abc import Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.edits import numbered
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Document, Note, Past, Patch, Prompt, Purpose


class BudgetReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    edit_budget: int
    reasoning: str = ""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How many edits may be applied, why, and the call that failed."""

    edits: int
    because: str = ""
    notes: tuple[Note, ...] = ()


def edit_budget(schedule: str, *, step: int, total: int, most: int, least: int) -> int:
    """How many edits step `step` of `total` (from 1) may apply at most (SkillOpt's formulas).

    Linear and cosine go down from `most` to `least`; constant stays at `most`, and so does autonomous, which leaves
    the choice to `budget`.
    """
    t = min(step, total) / total
    if schedule in {"constant", "autonomous"} or total <= 1:
        return most
    if schedule == "linear":
        return max(least, round(most + (least - most) * t))
    return max(least, round(least + (most - least) * (1 + math.cos(math.pi * t)) / 2))


def budget(
    patch: Patch,
    document: Document,
    *,
    optimizer: Backend,
    pool: Pool,
    least: int,
    most: int,
    past: Past,
    grades: Sequence[float],
) -> Budget:
    """As many edits as the optimizer chooses between `least` and `most`; no call where there is nothing to choose.

    `grades` are those of tonight's attempts on train. Where the choice fails it is `most`.
    """
    highest = min(most, len(patch.edits))
    if highest <= least:
        return Budget(edits=most)
    average = mean(grades)
    text = fill(
        "budget",
        least=str(least),
        most=str(highest),
        document=fence(document.text or "(empty)"),
        fared=f"{len(grades)} attempts, graded {average:.2f} of 1 on average." if average is not None else "Unknown.",
        tried=tried_before(past),
        notes=own_notes(past),
        edits=numbered(patch.edits),
    )
    prompt = Prompt(purpose=Purpose.BUDGET, text=text, schema=BudgetReply, project=document.project)

    def ask(prompt: Prompt) -> Budget:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            note = Note(stage="budget", summary=f"{document.id}: {error.message}", remedy=error.remedy)
            return Budget(edits=most, notes=(note,))
        assert isinstance(reply, BudgetReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return Budget(edits=max(least, min(highest, reply.edit_budget)), because=reply.reasoning)

    (chosen,) = pool.map(ask, (prompt,), label=f"budget {document.id}")
    return chosen
