"""Train tasks to the edits a step tries: attempts, reflection, and what may be applied of what it says."""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.augment import augment
from skillopt_sleep.learning.budget import budget
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.modes import in_full, ways
from skillopt_sleep.learning.race import race
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.select import select
from skillopt_sleep.proposals.guard import problems
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    AppliedEdit,
    Document,
    Edit,
    EditOp,
    Fate,
    Note,
    Outcome,
    Past,
    Rollout,
    Score,
    Task,
)
from skillopt_sleep.replay.rollout import rollout

Log = Callable[[str, Sequence[object]], None]


class Proposed(msgspec.Struct, frozen=True, kw_only=True):
    """The edits with their fates, or `nothing`: what a step without a candidate ends as, and why."""

    edits: tuple[AppliedEdit, ...] = ()
    nothing: tuple[Outcome, str] | None = None
    notes: tuple[Note, ...] = ()
    text_only: bool = False
    unfinished: bool = False


def propose(document: Document, train: Sequence[Task], *, crew: Crew, plan: Plan, past: Past, log: Log) -> Proposed:
    """Attempt the train tasks under the document as it is, and turn what failed into edits that could be applied."""
    more = augment(train, each=plan.step.augment, optimizer=crew.optimizer, pool=crew.pool, label=document.id)
    if more.tasks:
        log("augmented", more.tasks)
    train = (*train, *more.tasks)
    jobs = [(task, document, sample) for task in train for sample in range(plan.step.samples)]
    label = f"rollout {document.id}"
    tried = rollout(jobs, executor=crew.executor, judge=crew.judge, pool=crew.pool, label=label)
    log("rollouts", tried)
    text_only = any(attempt.trajectory.text_only for attempt in tried)
    so_far = Proposed(notes=(*more.notes, *not_scored(tried)), text_only=text_only)
    scores = [attempt.score for attempt in tried if attempt.score is not None]
    if not scores:
        because = f"none of {len(tried)} attempts at the known requests could be scored"
        failed = any(attempt.failed for attempt in tried)
        return msgspec.structs.replace(so_far, nothing=(Outcome.UNVERIFIED, because), unfinished=failed)
    if all(score.hard >= 1 for score in scores):
        because = f"all {len(scores)} attempts already do what was asked"
        return msgspec.structs.replace(so_far, nothing=(Outcome.NO_HEADROOM, because))

    edits, notes, unfinished = _learned(tried, train, document, crew=crew, plan=plan, past=past, log=log)
    so_far = msgspec.structs.replace(so_far, notes=so_far.notes + notes)
    if unfinished:
        because = f"no lesson could be drawn: {notes[0].summary if notes else 'no answer came'}"
        return msgspec.structs.replace(so_far, nothing=(Outcome.UNVERIFIED, because), unfinished=True)
    several = ways(more.of_real(edits), document, crew=crew, plan=plan, past=past)
    won = race(
        document, several.sets, train, tried, crew=crew, plan=plan, refuse=_refusal(document, train, plan, past)
    )
    if won.standings:
        log("rollouts", won.rollouts)
        log("race", won.standings)
    log("edits", won.fates)
    nothing = (Outcome.NO_CHANGE, _why_unchanged(won.fates)) if won.candidate.text == document.text else None
    notes = so_far.notes + several.notes + won.notes
    return msgspec.structs.replace(so_far, edits=won.fates, nothing=nothing, notes=notes)


def not_scored(rollouts: Sequence[Rollout]) -> tuple[Note, ...]:
    """What kept attempts from being scored, each reason once, with its count."""
    reasons = Counter(attempt.note for attempt in rollouts if attempt.note)
    return tuple(
        Note(stage="rollout", summary=f"{count} of {len(rollouts)} attempts not scored: {reason}")
        for reason, count in reasons.items()
    )


def _learned(
    tried: Sequence[Rollout],
    train: Sequence[Task],
    document: Document,
    *,
    crew: Crew,
    plan: Plan,
    past: Past,
    log: Log,
) -> tuple[tuple[Edit, ...], tuple[Note, ...], bool]:
    """The edits to try, the calls that failed on the way, and whether no reflection came back."""
    optimizer, pool = crew.optimizer, crew.pool

    def graded(score: Score) -> float:
        return measure(score, plan.gate)

    if plan.step.mode == "full_rewrite":
        full = in_full(tried, train, document, crew=crew, plan=plan, past=past, measure=graded)
        log("patches", full.patches)
        return full.edits, full.notes, not full.patches
    reflection = reflect(
        tried,
        {task.id: task for task in train},
        document,
        optimizer=optimizer,
        pool=pool,
        mode=plan.step.reflection,
        successes=plan.step.successes,
        minibatch=plan.step.minibatch,
        budget=plan.step.edit_budget,
        preferences=plan.preferences,
        past=past,
        measure=graded,
    )
    log("patches", reflection.patches)
    merged = aggregate(
        reflection.patches, document, optimizer=optimizer, pool=pool, merge_batch=plan.step.merge_batch, past=past
    )
    most = budget(
        merged.patch,
        document,
        optimizer=optimizer,
        pool=pool,
        least=plan.step.min_edit_budget,
        most=plan.step.edit_budget,
        past=past,
        grades=[graded(attempt.score) for attempt in tried if attempt.score is not None],
    )
    if plan.step.min_edit_budget < plan.step.edit_budget:
        log("budget", (most,))
    chosen = select(merged.patch, document, optimizer=optimizer, pool=pool, budget=most.edits, past=past)
    notes = (*reflection.notes, *merged.notes, *most.notes, *chosen.notes)
    return chosen.edits, notes, not reflection.patches


def _refusal(document: Document, train: Sequence[Task], plan: Plan, past: Past) -> Callable[[Edit], str]:
    """Says why an edit may not be tried: the person refused it, its trial waits, or the static guard refuses it."""
    evidence = [said.quote for task in train for said in task.evidence]
    refused = {edit.key: "you rejected it before" for edit in past.refused}
    for wait in past.waiting:
        if len(wait.tested.edits) == 1:
            refused.setdefault(wait.tested.edits[0].key, f"it waits for more proof since the night of {wait.night}")

    def refuse(edit: Edit) -> str:
        if why := refused.get(edit.key):
            return why
        if edit.op is EditOp.DELETE:
            return ""
        return "; ".join(problems(edit.content, evidence=evidence, held=document.text, allowed=plan.allowed))

    return refuse


def _why_unchanged(fates: Sequence[AppliedEdit]) -> str:
    if not fates:
        return "no edit was proposed"
    reasons = "; ".join(f"{fate.fate}: {fate.because}" for fate in fates if fate.fate is not Fate.APPLIED)
    return f"none of {len(fates)} proposed edits could be applied ({reasons})"
