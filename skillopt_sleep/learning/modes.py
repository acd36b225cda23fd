"""What becomes of what reflection says: edits as they are, worked into the text, or a whole text; in several ways."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from skillopt_sleep.learning.rewrite import rewrite, rewrite_full, unite
from skillopt_sleep.learning.search import candidate
from skillopt_sleep.learning.vary import vary
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import Document, Edit, Note, Past, Patch, Rollout, Score, Task


class Ways(NamedTuple):
    """The sets of edits to race, the one to prefer first, and the calls that failed."""

    sets: tuple[tuple[Edit, ...], ...]
    notes: tuple[Note, ...] = ()


class Full(NamedTuple):
    """A whole text as edits, the patches it was made of, and the calls that failed."""

    edits: tuple[Edit, ...]
    patches: tuple[Patch, ...]
    notes: tuple[Note, ...] = ()


def ways(edits: Sequence[Edit], document: Document, *, crew: Crew, plan: Plan, past: Past) -> Ways:
    """The chosen edits and other ways of going about it, `plan.step.candidates` sets at most, each its own candidate.

    In mode `rewrite` each is worked into the text. With one candidate in mode `patch` no call is made.
    """
    optimizer, pool, preferences = crew.optimizer, crew.pool, plan.preferences
    variety = vary(
        edits,
        document,
        optimizer=optimizer,
        pool=pool,
        candidates=plan.step.candidates,
        budget=plan.step.edit_budget,
        preferences=preferences,
        past=past,
    )
    if plan.step.mode != "rewrite" or not edits:
        return Ways(variety.sets, variety.notes)
    written = rewrite(
        variety.sets, document, optimizer=optimizer, pool=pool, preferences=preferences, past=past, apply=candidate
    )
    return Ways(tuple(patch.edits for patch in written.patches), variety.notes + written.notes)


def in_full(
    tried: Sequence[Rollout],
    train: Sequence[Task],
    document: Document,
    *,
    crew: Crew,
    plan: Plan,
    past: Past,
    measure: Callable[[Score], float],
) -> Full:
    """A whole text for each minibatch of failures, in place of reflection; of several one is made, if it can be.

    The edit budget doesn't bound it: the text is one thought, and what it doesn't need is pruned after its trial.
    """
    optimizer, pool, preferences = crew.optimizer, crew.pool, plan.preferences
    written = rewrite_full(
        tried,
        {task.id: task for task in train},
        document,
        optimizer=optimizer,
        pool=pool,
        measure=measure,
        minibatch=plan.step.minibatch,
        preferences=preferences,
        past=past,
        apply=candidate,
    )
    one = unite(
        written.patches,
        document,
        optimizer=optimizer,
        pool=pool,
        preferences=preferences,
        past=past,
        apply=candidate,
    )
    edits = tuple(edit for patch in one.patches for edit in patch.edits)
    return Full(edits, written.patches, written.notes + one.notes)
