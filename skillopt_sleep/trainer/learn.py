"""Attempts on train to the edits of a candidate: reflect, aggregate, budget, select, in the mode of the config."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.budget import budget, edit_budget
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.reflect import Reflection, reflect
from skillopt_sleep.learning.rewrite import Rewritten, rewrite, rewrite_full, unite
from skillopt_sleep.learning.search import candidate
from skillopt_sleep.learning.select import select
from skillopt_sleep.records import Document, Edit, Note, Past, Patch, Record, Rollout, Score
from skillopt_sleep.trainer.parts import Parts
from skillopt_sleep.trainer.summary import Action

Asked = TypeVar("Asked")


class Lessons(Record, frozen=True, kw_only=True):
    """The edits to apply with what each stage made of them; `nothing` says why there are none."""

    patches: tuple[Patch, ...] = ()
    merged: Patch = Patch()
    edit_budget: int | None = None
    because: str = ""
    edits: tuple[Edit, ...] = ()
    nothing: Action | None = None
    notes: tuple[Note, ...] = ()


def learn(
    parts: Parts, document: Document, batches: Sequence[Sequence[Rollout]], *, step: int, total: int, past: Past
) -> Lessons:
    """What the batches of one step teach; each is reflected on by itself, side by side."""
    seed = parts.config.train.seed + step
    batches = [_shuffled(batch, seed + 1000 * number) for number, batch in enumerate(batches)]
    if parts.config.optimizer.mode == "full_rewrite":
        return _in_full(parts, document, batches, past)
    with parts.spent.timed("reflect"):
        reflections = _each(parts, batches, lambda batch: _reflected(parts, document, batch, past))
    patches = tuple(patch for one in reflections for patch in one.patches)
    notes = tuple(note for one in reflections for note in one.notes)
    optimizer, pool, own = parts.optimizer, parts.pool, parts.config.optimizer
    with parts.spent.timed("aggregate"):
        merge = parts.config.gradient.merge_batch
        merged = aggregate(patches, document, optimizer=optimizer, pool=pool, merge_batch=merge, past=past)
    notes += merged.notes
    if not merged.patch.edits:
        unanswered = notes and not any(one.patches for one in reflections)
        nothing = Action.SKIP_NO_ANSWER if unanswered else Action.SKIP_NO_PATCHES
        return Lessons(patches=patches, nothing=nothing, notes=notes)
    with parts.spent.timed("budget"):
        most, because, more = _budget(parts, document, merged.patch, batches, step=step, total=total, past=past)
    notes += more
    if most == 0:
        return Lessons(
            patches=patches,
            merged=merged.patch,
            edit_budget=0,
            because=because,
            nothing=Action.SKIP_NO_BUDGET,
            notes=notes,
        )
    with parts.spent.timed("select"):
        chosen = select(merged.patch, document, optimizer=optimizer, pool=pool, budget=most, past=past)
    edits, notes = chosen.edits, notes + chosen.notes
    if own.mode == "rewrite":
        edits, more = _rewritten(parts, document, edits, past)
        notes += more
    return Lessons(
        patches=patches,
        merged=merged.patch,
        edit_budget=most,
        because=because,
        edits=edits,
        nothing=None if edits else Action.SKIP_NO_REWRITE,
        notes=notes,
    )


def _each(
    parts: Parts, batches: Sequence[Sequence[Rollout]], ask: Callable[[Sequence[Rollout]], Asked]
) -> tuple[Asked, ...]:
    return (ask(batches[0]),) if len(batches) == 1 else tuple(parts.pool.together(ask, batches))


def _shuffled(batch: Sequence[Rollout], seed: int) -> tuple[Rollout, ...]:
    """The scored attempts, failures first, each kind in an order of the seed (SkillOpt's minibatches)."""
    failed = [made for made in batch if made.score is not None and made.score.hard < 1]
    done = [made for made in batch if made.score is not None and made.score.hard >= 1]
    random.Random(seed).shuffle(failed)  # noqa: S311 - an order, not a secret
    random.Random(seed + 1).shuffle(done)  # noqa: S311 - an order, not a secret
    return (*failed, *done)


def _graded(parts: Parts) -> Callable[[Score], float]:
    return lambda score: measure(score, parts.rule)


def _reflected(parts: Parts, document: Document, batch: Sequence[Rollout], past: Past) -> Reflection:
    gradient = parts.config.gradient
    return reflect(
        batch,
        parts.on_train(batch),
        document,
        optimizer=parts.optimizer,
        pool=parts.pool,
        mode=gradient.reflection,
        successes=not gradient.failure_only,
        minibatch=gradient.minibatch,
        budget=parts.config.optimizer.edit_budget,
        preferences="",
        past=past,
        measure=_graded(parts),
    )


def _budget(
    parts: Parts,
    document: Document,
    patch: Patch,
    batches: Sequence[Sequence[Rollout]],
    *,
    step: int,
    total: int,
    past: Past,
) -> tuple[int, str, tuple[Note, ...]]:
    """How many edits may be applied, why, and the call that failed; by the step's number alone, or asked."""
    own = parts.config.optimizer
    if own.schedule == "none":
        return len(patch.edits), "", ()
    if own.schedule != "autonomous":
        least = own.min_edit_budget
        return edit_budget(own.schedule, step=step, total=total, most=own.edit_budget, least=least), "", ()
    grades = [_graded(parts)(made.score) for batch in batches for made in batch if made.score is not None]
    chosen = budget(
        patch,
        document,
        optimizer=parts.optimizer,
        pool=parts.pool,
        least=own.min_edit_budget,
        most=own.edit_budget,
        past=past,
        grades=grades,
    )
    return chosen.edits, chosen.because, chosen.notes


def _rewritten(
    parts: Parts, document: Document, edits: Sequence[Edit], past: Past
) -> tuple[tuple[Edit, ...], tuple[Note, ...]]:
    """The suggestions worked into the text, as edits."""
    with parts.spent.timed("rewrite"):
        done = rewrite(
            [edits],
            document,
            optimizer=parts.optimizer,
            pool=parts.pool,
            preferences="",
            past=past,
            apply=candidate,
        )
    return (done.patches[0].edits if done.patches else ()), done.notes


def _in_full(parts: Parts, document: Document, batches: Sequence[Sequence[Rollout]], past: Past) -> Lessons:
    """A whole text for each minibatch of failures, and of several texts one; the edit budget doesn't bound it.

    Where they can't be made one, it is the first.
    """

    def ask(batch: Sequence[Rollout]) -> Rewritten:
        return rewrite_full(
            batch,
            parts.on_train(batch),
            document,
            optimizer=parts.optimizer,
            pool=parts.pool,
            measure=_graded(parts),
            minibatch=parts.config.gradient.minibatch,
            preferences="",
            past=past,
            apply=candidate,
        )

    with parts.spent.timed("rewrite"):
        written = _each(parts, batches, ask)
        patches = tuple(patch for one in written for patch in one.patches)
        one = unite(
            patches,
            document,
            optimizer=parts.optimizer,
            pool=parts.pool,
            preferences="",
            past=past,
            apply=candidate,
        )
    notes = tuple(note for made in (*written, one) for note in made.notes)
    edits = tuple(edit for patch in one.patches for edit in patch.edits)
    nothing = None if edits else Action.SKIP_NO_REWRITE if patches or not notes else Action.SKIP_NO_ANSWER
    return Lessons(patches=patches, merged=Patch(edits=edits), edits=edits, nothing=nothing, notes=notes)
