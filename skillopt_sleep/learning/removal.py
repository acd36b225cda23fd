"""Try the document without a standing rule that may no longer be needed, on the tasks that the rule is for."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.attempts import CrewAttempts, block
from skillopt_sleep.learning.drift import steady
from skillopt_sleep.learning.harm import bystanders
from skillopt_sleep.learning.prune import prune
from skillopt_sleep.learning.search import add_trial
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    EditOp,
    Judged,
    Note,
    Past,
    Rollout,
    StepOutcome,
    Task,
)

Log = Callable[[str, Sequence[object]], None]

FULL = 0.75  # of the length that a document may have, from which on every night tries to shorten it
EVERY = 3  # nights between two rules, once removals are tried at all
SPARE = 2  # times the calls of the trial must be left: the lessons of other documents come first
LEAST_ROUNDS = 2  # worth beginning a trial for; later nights resume it


class Removal(NamedTuple):
    """The outcome with this trial, the removal if it decides the outcome, and the rollouts."""

    outcome: StepOutcome
    decides: Judged | None = None
    rollouts: tuple[Rollout, ...] = ()


def remove(
    learned: StepOutcome,
    tasks: Sequence[Task],
    *,
    others: Sequence[Task] = (),
    crew: Crew,
    plan: Plan,
    past: Past,
    night: str,
    slow: bool,
    log: Log,
) -> Removal:
    """If the night found nothing better, try to remove a rule, on the unseen `tasks` that exercise it.

    This happens on `slow` nights and some nights after the last rule was tried, and if the document is nearly full:
    one rule at a time, with a margin and the removals' own error rate, for as many rounds as the night's calls allow.
    It must not harm the lessons of `others`. If the budget runs out meanwhile, nothing else of the night is lost.
    """
    document, rule = learned.document, plan.removal
    if not _is_time(learned, plan, past, slow=slow):
        return Removal(learned)
    found = prune(document, past, tasks, least=plan.step.slow_every)
    if found is None:
        return Removal(learned)
    shorter = candidate(document, (found.edit,))
    if shorter is None:
        return Removal(learned)
    each_round = SPARE * len(found.val) * 2
    rounds = int(min(rule.rounds, crew.meter.left() // each_round))
    if rounds < min(LEAST_ROUNDS, rule.rounds):
        summary = f"{document.id}: no rule was tried for removal: that takes {LEAST_ROUNDS * each_round} calls"
        return _not_tried(learned, Note(stage="prune", summary=summary, remedy="raise budget.calls"))
    rule = replace(rule, rounds=rounds)
    try:
        trial, verdict, made = run_trial(
            document,
            shorter,
            found.val,
            attempts=CrewAttempts(crew),
            rule=rule,
            first=block(CandidateKind.REMOVAL, document.text, shorter.text),
            lessons=(found.edit.lessons,),
            bystanders=bystanders((found.edit,), found.val, others),
        )
    except BudgetExhausted as error:
        summary = f"{document.id}: the trial of a removal was cut short: {error.message}"
        return _not_tried(learned, Note(stage="prune", summary=summary, remedy=error.remedy))
    verdict = steady(verdict, trial.pairs, made)
    tested = Judged(kind=CandidateKind.REMOVAL, edits=(found.edit,), trial=trial, verdict=verdict)
    log("rollouts", made)
    log("trials", (tested,))
    outcome = add_trial(learned, tested, night=night, crew=crew)
    if verdict.decision is Decision.ACCEPT:
        return Removal(outcome, decides=tested, rollouts=made)
    return Removal(outcome, rollouts=made)


def _is_time(learned: StepOutcome, plan: Plan, past: Past, *, slow: bool) -> bool:
    if learned.verdict.decision is Decision.ACCEPT or learned.sessions.unfinished:
        return False
    if plan.removal.name != "sequential":
        return False
    full = len(learned.document.body) > FULL * plan.step.max_chars
    waits = any(wait.tested.kind is CandidateKind.REMOVAL for wait in learned.tried.undecided)
    removals = [past.ago(tried.night) for tried in past.tried if tried.edit.op is EditOp.DELETE]
    again = plan.step.slow_every > 0 and bool(removals) and min(removals) >= EVERY
    return (slow or full or again) and not waits


def _not_tried(learned: StepOutcome, note: Note) -> Removal:
    return Removal(learned.noted(note))
