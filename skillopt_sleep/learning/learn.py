"""Learn edits from attempts on train: reflect, aggregate, budget, select, update; or write a whole new text."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

import msgspec

from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.fit import fit
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.rewrite import rewrite, rewrite_full, unite
from skillopt_sleep.learning.select import Budget, budget, select
from skillopt_sleep.learning.update import update
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import AppliedEdit, Document, Edit, Note, Patch, Rollout, Score, Task

Log = Callable[[str, Sequence[object]], None]
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


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate with the fates of its edits, the results of each stage, and the calls that failed.

    The candidate equals the document if no edit could be applied. `budget` is None if the mode has none.
    """

    candidate: Document
    patches: tuple[Patch, ...] = ()
    merged: Patch = Patch()
    budget: Budget | None = None
    edits: tuple[Edit, ...] = ()
    fates: tuple[AppliedEdit, ...] = ()
    notes: tuple[Note, ...] = ()


def unlogged(_stage: str, _rows: Sequence[object]) -> None:
    """Keep no rows."""


def draft(
    teaching: Teaching,
    *,
    optimizer: Optimizer,
    rules: StepRules,
    limit: EditLimit | None,
    refuse: Callable[[Edit], str],
    sourced: Callable[[Sequence[Edit]], tuple[Edit, ...]] = tuple,
    lacks: Callable[[str], Sequence[str]] | None = None,
    log: Log = unlogged,
) -> Draft:
    """Return the candidate that is learned from the attempts.

    `refuse` says why an edit may not be applied, or ""; `sourced` names the real tasks that edits were learned from,
    and `lacks` what a rule names that the project doesn't have: the optimizer is asked back about that once.
    """
    drafted = learn(teaching, optimizer=optimizer, rules=rules, limit=limit, log=log)
    if not drafted.patches:
        return drafted
    edits, notes = sourced(drafted.edits), drafted.notes
    if lacks is not None and rules.mode != "full_rewrite":
        fitted = fit(edits, optimizer=optimizer, lacks=lacks)
        edits, notes = fitted.edits, notes + fitted.notes
    if rules.mode == "rewrite" and edits:
        written = rewrite(edits, optimizer=optimizer)
        edits, notes = written.patches[0].edits, notes + written.notes
    changed, fates = update(optimizer.document, edits, refuse=refuse, most=rules.max_chars)
    log("edits", fates)
    return msgspec.structs.replace(drafted, candidate=changed, fates=fates, notes=notes)


def learn(
    teaching: Teaching,
    *,
    optimizer: Optimizer,
    rules: StepRules,
    limit: EditLimit | None,
    log: Log = unlogged,
) -> Draft:
    """Return the edits of the batches, none applied; each batch is reflected on by itself, several at once.

    Without a `limit` all merged edits may be applied. In mode `full_rewrite` neither a limit nor the budget counts:
    the text is tried as a whole. `log` keeps a stage's rows.
    """
    if rules.mode == "full_rewrite":
        return _in_full(teaching, optimizer=optimizer, rules=rules, log=log)
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
    merged = aggregate(patches, optimizer=optimizer, merge_batch=rules.merge_batch)
    chosen = Budget(edits=len(merged.patch.edits))
    if limit is not None:
        least, most = limit
        chosen = budget(merged.patch, optimizer=optimizer, least=least, most=most, grades=teaching.grades)
    if limit is not None and limit.least < limit.most:
        log("budget", (chosen,))
    notes += merged.notes + chosen.notes
    drafted = Draft(candidate=optimizer.document, patches=patches, merged=merged.patch, budget=chosen, notes=notes)
    if chosen.edits == 0:
        return drafted
    selected = select(merged.patch, optimizer=optimizer, budget=chosen.edits)
    return msgspec.structs.replace(drafted, edits=selected.edits, notes=notes + selected.notes)


def _each(
    batches: Sequence[Sequence[Rollout]], ask: Callable[[Sequence[Rollout]], Result], optimizer: Optimizer
) -> tuple[Result, ...]:
    """Ask about each batch, several at once."""
    if len(batches) == 1:
        return (ask(batches[0]),)
    return tuple(optimizer.pool.together(ask, batches))


def _in_full(teaching: Teaching, *, optimizer: Optimizer, rules: StepRules, log: Log) -> Draft:
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
    return Draft(
        candidate=optimizer.document,
        patches=patches,
        merged=Patch(edits=edits),
        edits=edits,
        notes=notes + united.notes,
    )
