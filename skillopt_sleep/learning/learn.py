"""Learn edits from attempts on train: reflect, aggregate, budget, select, update; or write a whole new text."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import NamedTuple, TypeVar

import msgspec

from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.rewrite import rewrite, rewrite_full, unite
from skillopt_sleep.learning.select import Budget, budget, select
from skillopt_sleep.learning.update import update
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import AppliedEdit, Document, Edit, Note, Patch, Rollout, Score, Task

Log = Callable[[str, Sequence[object]], None]
Timed = Callable[[str], AbstractContextManager[None]]
Result = TypeVar("Result")


class EditLimit(NamedTuple):
    """The number of edits a step may apply; if `least` is below `most`, the optimizer chooses between them."""

    least: int
    most: int


class Teaching(NamedTuple):
    """The material of a step: attempts on train in batches, their tasks, and how a score is measured."""

    batches: Sequence[Sequence[Rollout]]
    tasks: Mapping[str, Task]
    measure: Callable[[Score], float]

    @property
    def rollouts(self) -> list[Rollout]:
        """The attempts of all batches."""
        return list(chain.from_iterable(self.batches))

    @property
    def grades(self) -> list[float]:
        """The measured grades of all attempts that were scored."""
        return [self.measure(rollout.score) for rollout in self.rollouts if rollout.score is not None]


class Lessons(msgspec.Struct, frozen=True, kw_only=True):
    """The edits to try, the results of each stage, and the calls that failed.

    `budget` is None if the mode has none.
    """

    patches: tuple[Patch, ...] = ()
    merged: Patch = Patch()
    budget: Budget | None = None
    edits: tuple[Edit, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate with the fates of its edits, what it was learned from, and the calls that failed.

    The candidate equals the document if no edit could be applied.
    """

    lessons: Lessons
    candidate: Document
    fates: tuple[AppliedEdit, ...] = ()
    notes: tuple[Note, ...] = ()


def unlogged(_stage: str, _rows: Sequence[object]) -> None:
    """Keep no rows."""


def untimed(_stage: str) -> AbstractContextManager[None]:
    """Measure no time."""
    return nullcontext()


def unchanged(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits as they are."""
    return tuple(edits)


def draft(
    teaching: Teaching,
    *,
    optimizer: Optimizer,
    rules: StepRules,
    limit: EditLimit | None,
    refuse: Callable[[Edit], str],
    sourced: Callable[[Sequence[Edit]], tuple[Edit, ...]] = unchanged,
    log: Log = unlogged,
    timed: Timed = untimed,
) -> Draft:
    """Return the candidate that is learned from the attempts.

    `refuse` says why an edit may not be applied, or ""; `sourced` names the real tasks that edits were learned from.
    """
    document = optimizer.document
    lessons = learn(teaching, optimizer=optimizer, rules=rules, limit=limit, log=log, timed=timed)
    if not lessons.patches:
        return Draft(lessons=lessons, candidate=document, notes=lessons.notes)
    edits, notes = sourced(lessons.edits), lessons.notes
    if rules.mode == "rewrite" and edits:
        with timed("rewrite"):
            written = rewrite(edits, optimizer=optimizer)
        edits, notes = written.patches[0].edits, notes + written.notes
    changed, fates = update(document, edits, refuse=refuse, most=rules.max_chars)
    log("edits", fates)
    return Draft(lessons=lessons, candidate=changed, fates=fates, notes=notes)


def learn(
    teaching: Teaching,
    *,
    optimizer: Optimizer,
    rules: StepRules,
    limit: EditLimit | None,
    log: Log = unlogged,
    timed: Timed = untimed,
) -> Lessons:
    """Return the lessons of the batches; each batch is reflected on by itself, several at once.

    Without a `limit` all merged edits may be applied. In mode `full_rewrite` neither a limit nor the budget counts:
    the text is tried as a whole. `log` keeps a stage's rows, `timed` measures it.
    """
    if rules.mode == "full_rewrite":
        with timed("rewrite"):
            return _in_full(teaching, optimizer=optimizer, rules=rules, log=log)
    with timed("reflect"):
        reflections = _each(
            teaching.batches,
            lambda batch: reflect(batch, teaching.tasks, optimizer=optimizer, rules=rules, measure=teaching.measure),
            optimizer,
        )
    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()
    for reflection in reflections:
        patches += reflection.patches
        notes += reflection.notes
    log("patches", patches)
    with timed("aggregate"):
        merged = aggregate(patches, optimizer=optimizer, merge_batch=rules.merge_batch)
    with timed("budget"):
        chosen = _budget(merged.patch, limit, teaching, optimizer)
    if limit is not None and limit.least < limit.most:
        log("budget", (chosen,))
    notes += merged.notes + chosen.notes
    lessons = Lessons(patches=patches, merged=merged.patch, budget=chosen, notes=notes)
    if chosen.edits == 0:
        return lessons
    with timed("select"):
        selected = select(merged.patch, optimizer=optimizer, budget=chosen.edits)
    return msgspec.structs.replace(lessons, edits=selected.edits, notes=notes + selected.notes)


def _budget(patch: Patch, limit: EditLimit | None, teaching: Teaching, optimizer: Optimizer) -> Budget:
    if limit is None:
        return Budget(edits=len(patch.edits))
    return budget(patch, optimizer=optimizer, least=limit.least, most=limit.most, grades=teaching.grades)


def _each(
    batches: Sequence[Sequence[Rollout]], ask: Callable[[Sequence[Rollout]], Result], optimizer: Optimizer
) -> tuple[Result, ...]:
    """Ask about each batch, several at once."""
    if len(batches) == 1:
        return (ask(batches[0]),)
    return tuple(optimizer.pool.together(ask, batches))


def _in_full(teaching: Teaching, *, optimizer: Optimizer, rules: StepRules, log: Log) -> Lessons:
    """Ask for a whole text for each minibatch of failures, and merge them into one; if that fails, take the first."""
    written = _each(
        teaching.batches,
        lambda batch: rewrite_full(
            batch,
            teaching.tasks,
            optimizer=optimizer,
            measure=teaching.measure,
            minibatch=rules.minibatch,
        ),
        optimizer,
    )
    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()
    for texts in written:
        patches += texts.patches
        notes += texts.notes
    united = unite(patches, optimizer=optimizer)
    edits: tuple[Edit, ...] = ()
    for patch in united.patches:
        edits += patch.edits
    log("patches", patches)
    return Lessons(patches=patches, merged=Patch(edits=edits), edits=edits, notes=notes + united.notes)
