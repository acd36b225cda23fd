"""Draft the candidate of a step from attempts on train: learn edits, vary or rewrite them, and race the results."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

import msgspec

from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import Attempts
from skillopt_sleep.learning.learn import EditLimit, Lessons, Log, Teaching, Timed, learn, unlogged, untimed
from skillopt_sleep.learning.race import race
from skillopt_sleep.learning.variants import variants
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import AppliedEdit, Document, Edit, Note


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate with the fates of its edits, what it was learned from, and the calls that failed.

    The candidate equals the document if no edit could be applied.
    """

    lessons: Lessons
    candidate: Document
    fates: tuple[AppliedEdit, ...] = ()
    notes: tuple[Note, ...] = ()


def unchanged(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits as they are."""
    return tuple(edits)


def draft(
    teaching: Teaching,
    *,
    optimizer: Optimizer,
    attempts: Attempts,
    rules: StepRules,
    limit: EditLimit | None,
    refuse: Callable[[Edit], str],
    sourced: Callable[[Sequence[Edit]], tuple[Edit, ...]] = unchanged,
    log: Log = unlogged,
    timed: Timed = untimed,
) -> Draft:
    """Return the best candidate that can be learned from the attempts.

    `refuse` says why an edit may not be applied, or ""; `sourced` names the real tasks that edits were learned from.
    """
    document = optimizer.document
    lessons = learn(teaching, optimizer=optimizer, rules=rules, limit=limit, log=log, timed=timed)
    if not lessons.patches:
        return Draft(lessons=lessons, candidate=document, notes=lessons.notes)
    with timed("rewrite") if rules.mode == "rewrite" else nullcontext():
        several = variants(sourced(lessons.edits), optimizer=optimizer, rules=rules)
    train = list(teaching.tasks.values())
    won = race(
        several.sets,
        train,
        teaching.rollouts,
        document=document,
        attempts=attempts,
        rules=rules,
        measure=teaching.measure,
        refuse=refuse,
    )
    if won.standings:
        log("rollouts", won.rollouts)
        log("race", won.standings)
    log("edits", won.fates)
    notes = lessons.notes + several.notes + won.notes
    return Draft(lessons=lessons, candidate=won.candidate, fates=won.fates, notes=notes)
