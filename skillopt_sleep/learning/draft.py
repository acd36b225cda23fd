"""Draft the candidate of a step from attempts on train: learn edits, and apply them or work them into the text."""

from collections.abc import Callable, Sequence

import msgspec

from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.learn import EditLimit, Lessons, Log, Teaching, Timed, learn, unlogged, untimed
from skillopt_sleep.learning.rewrite import rewrite
from skillopt_sleep.learning.update import update
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
