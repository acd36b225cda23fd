"""Try the document without a standing rule that may no longer be needed, on the tasks that the rule is for."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.prune import prune
from skillopt_sleep.learning.search import add_trial, candidate
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Judged,
    Note,
    Past,
    Rollout,
    StepOutcome,
    Task,
)

Log = Callable[[str, Sequence[object]], None]

FULL = 0.75  # of the length that a document may have, from which on every night tries to shorten it
SPARE = 2  # times the calls of the trial must be left: the lessons of other documents come first


class Removal(NamedTuple):
    """The outcome with this trial, the removal if it decides the outcome, and the rollouts."""

    outcome: StepOutcome
    decides: Judged | None = None
    rollouts: tuple[Rollout, ...] = ()


def remove(
    learned: StepOutcome,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: Plan,
    past: Past,
    night: str,
    slow: bool,
    log: Log,
) -> Removal:
    """If the night found nothing better, try to remove a rule, on the unseen `tasks` that exercise it.

    This happens on `slow` nights, and if the document is nearly full: one rule at a time, with a margin and the
    removals' own error rate. If the budget runs out meanwhile, nothing else of the night is lost.
    """
    document, rule = learned.document, plan.removal
    if not _is_time(learned, plan, slow=slow):
        return Removal(learned)
    found = prune(document, past, tasks)
    if found is None:
        return Removal(learned)
    shorter = candidate(document, (found.edit,))
    if shorter is None:
        return Removal(learned)
    most = SPARE * len(found.val) * rule.rounds * 2
    if crew.meter.left() < most:
        summary = f"{document.id}: no rule was tried for removal: that takes {most} calls"
        return _not_tried(learned, Note(stage="prune", summary=summary, remedy="raise budget.calls"))
    try:
        trial, verdict, made = run_trial(
            document, shorter, found.val, attempts=CrewAttempts(crew), rule=rule, lessons=(found.edit.lessons,)
        )
    except BudgetExhausted as error:
        summary = f"{document.id}: the trial of a removal was cut short: {error.message}"
        return _not_tried(learned, Note(stage="prune", summary=summary, remedy=error.remedy))
    tested = Judged(kind=CandidateKind.REMOVAL, edits=(found.edit,), trial=trial, verdict=verdict)
    log("rollouts", made)
    log("trials", (tested,))
    outcome = add_trial(learned, tested, night=night, crew=crew)
    if verdict.decision is Decision.ACCEPT:
        return Removal(outcome, decides=tested, rollouts=made)
    return Removal(outcome, rollouts=made)


def _is_time(learned: StepOutcome, plan: Plan, *, slow: bool) -> bool:
    if learned.verdict.decision is Decision.ACCEPT or learned.sessions.unfinished:
        return False
    if plan.removal.name != "sequential":
        return False
    full = len(learned.document.body) > FULL * plan.step.max_chars
    waits = any(wait.tested.kind is CandidateKind.REMOVAL for wait in learned.tried.undecided)
    return (slow or full) and not waits


def _not_tried(learned: StepOutcome, note: Note) -> Removal:
    return Removal(learned.noted(note))
