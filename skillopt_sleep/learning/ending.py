"""Begin a step with an outcome in which nothing was done yet, and end it with what a verdict makes of that."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.afterwards import afterwards, ahead, fresh_round, scored_pairs
from skillopt_sleep.learning.evidence import shown
from skillopt_sleep.learning.exercise import exercise
from skillopt_sleep.learning.propose import not_scored
from skillopt_sleep.learning.spare import SpareAttempts
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    Judged,
    Note,
    Outcome,
    Split,
    StepOutcome,
    StepSessions,
    StepTasks,
    Task,
    TestMeans,
    Tried,
    Verdict,
    lessons_of,
    said_of_changes,
)
from skillopt_sleep.replay.rollout import Job

ENDS = {
    Decision.ACCEPT: Outcome.IMPROVED,
    Decision.REJECT: Outcome.NO_CHANGE,
    Decision.UNDECIDED: Outcome.UNDECIDED,
    Decision.ABSTAIN: Outcome.UNVERIFIED,
}


def by_split(tasks: Sequence[Task]) -> tuple[list[Task], list[Task], list[Task]]:
    """Return the tasks on train, on val and on test; those that wait for a side count as train."""
    sides: dict[Split, list[Task]] = {split: [] for split in Split}
    for task in tasks:
        sides[task.split or Split.TRAIN].append(task)
    return sides[Split.TRAIN], sides[Split.VAL], sides[Split.TEST]


def beginning(document: Document, tasks: Sequence[Task], *, waiting: Sequence[Task]) -> StepOutcome:
    """Return the outcome of a step on these tasks that has done nothing yet; `waiting` ones need the repository."""
    train, val, test = by_split(tasks)
    evidence, deeds = shown(train)
    outcome = StepOutcome(
        document=document,
        outcome=Outcome.UNVERIFIED,
        because="",
        verdict=Verdict(decision=Decision.ABSTAIN, reason="no trial"),
        tasks=StepTasks(train=len(train), val=len(val), test=len(test), needs_repository=len(waiting)),
        sessions=StepSessions(ids=tuple(dict.fromkeys(task.session for task in (*train, *val, *test, *waiting)))),
        tried=Tried(evidence=evidence, deeds=deeds),
    )
    if not waiting:
        return outcome
    return outcome.noted(Note(stage="step", summary=f"{document.id}: {_needs(waiting)}", expected=True))


def _needs(waiting: Sequence[Task]) -> str:
    count = "1 task waits" if len(waiting) == 1 else f"{len(waiting)} tasks wait"
    return f"needs the repository: {count} for a replay that can run them"


def end_as(outcome: StepOutcome, end: Outcome, because: str) -> StepOutcome:
    """Return the outcome with how it ended, and why."""
    return replace(outcome, outcome=end, because=because)


def why_none(lessons: int, val: Sequence[Task], waiting: Sequence[Task]) -> str:
    """Say why there is no task to learn from: how many lessons have no unseen task, which tasks can't be tried."""
    reasons: list[str] = []
    if lessons:
        which = "1 lesson has" if lessons == 1 else f"{lessons} lessons have"
        reasons.append(f"{which} requests of one session only, so there is no unseen one to test with")
    if waiting:
        reasons.append(_needs(waiting))
    if val and not lessons:
        reasons.append("every task that can be tried is there to test with, none to learn from")
    return "; ".join(reasons) or "there is no task to learn from"


def on_test(
    outcome: StepOutcome, edits: Sequence[Edit], test: Sequence[Task], *, crew: Crew, plan: Plan
) -> StepOutcome:
    """Attempt the test tasks of the edits' lessons under both versions, once: what comes of it never decides."""
    document, changed = outcome.document, candidate(outcome.document, edits)
    own = _of_lessons(edits, test)
    if not own or changed is None:
        return outcome
    jobs: list[Job] = []
    for task in own:
        jobs += [(task, document, 0), (task, changed, 0)]
    attempts = SpareAttempts(crew)
    made = attempts.make(jobs, label=f"rollout {document.id}")
    fresh = fresh_round(scored_pairs(own, made, plan.gate))
    means = TestMeans(before=fresh.before, after=fresh.after, n=fresh.n, interval=fresh.interval)
    outcome = replace(outcome, test=means)
    if attempts.end is None:
        return outcome.noted(*not_scored(made))
    summary = f"{document.id}: not tried on all of the test tasks: {attempts.end.message}"
    return outcome.noted(Note(stage="rollout", summary=summary, remedy=attempts.end.remedy))


def ask_ahead(
    outcome: StepOutcome, edits: Sequence[Edit], test: Sequence[Task], *, val: Sequence[Task], crew: Crew, plan: Plan
) -> None:
    """Ask for all that these edits are attempted on if they are accepted; raise CallPending while an answer lacks.

    Someone who answers by hand has to sit down for every round, so this is asked along with the edits' trial.
    """
    try:
        on_test(outcome, edits, test, crew=crew, plan=plan)
    finally:
        ahead(outcome.document, edits, exercise(edits, (), val), crew=crew)


def _of_lessons(edits: Sequence[Edit], tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks of the edits' lessons; all of them if those of one edit aren't known."""
    if not all(edit.lessons for edit in edits):
        return list(tasks)
    lessons = set(lessons_of(edits))
    return [task for task in tasks if task.lesson in lessons]


def decided(
    outcome: StepOutcome,
    best: Judged,
    test: Sequence[Task],
    *,
    val: Sequence[Task],
    crew: Crew,
    plan: Plan,
    since: str = "",
) -> StepOutcome:
    """End with the candidate's verdict; an accepted candidate is attempted on test and again on its own val tasks."""
    changed = candidate(outcome.document, best.edits)
    outcome = replace(outcome, candidate=changed, trial=best.trial, verdict=best.verdict)
    decision = best.verdict.decision
    if decision is Decision.ACCEPT:
        outcome = on_test(outcome, best.edits, test, crew=crew, plan=plan)
        outcome = afterwards(outcome, best, val, crew=crew, plan=plan)
    because = best.verdict.reason
    if since:
        because = f"{because}; tried since the night of {since}"
    if best.trial.text_changed:
        because = f"{because}; {said_of_changes(best.trial.text_changed)}"
    if best.kind is CandidateKind.REMOVAL and changed is not None:
        because = f"{because}; {len(outcome.document.body) - len(changed.body)} characters less"
    if decision is Decision.ACCEPT and not best.trial.pairs:
        return end_as(outcome, Outcome.UNVERIFIED, because)
    return end_as(outcome, Outcome.SAVING if best.verdict.saving else ENDS[decision], because)
