"""Try the document without a standing rule that may no longer be needed, on the tasks that the rule is for."""

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.begin import Step, is_due
from skillopt_sleep.learning.prune import prune
from skillopt_sleep.learning.rule import Rule, TriedRule
from skillopt_sleep.records import CandidateKind, Decision, EditOp, Note, StepOutcome

FULL = 0.75  # of the length that a document may have, from which on every night tries to shorten it
EVERY = 3  # nights between two rules, once removals are tried at all
SPARE = 2  # times the calls of the trial must be left: the lessons of other documents come first
LEAST_ROUNDS = 2  # worth beginning a trial for; later nights resume it


def remove(step: Step, learned: StepOutcome) -> tuple[StepOutcome, list[TriedRule]]:
    """If the night found nothing better, try to remove a rule, on the unseen tasks that exercise it.

    This happens on nights that look back, some nights after the last rule was tried, and if the document is nearly
    full: one rule at a time, with a margin and the removals' own error rate, for as many rounds as the night's calls
    allow. If the budget runs out meanwhile, nothing else of the night is lost.
    """
    if not _is_time(step, learned):
        return learned, []
    found = prune(step.document, step.begun.past, step.begun.known, least=step.plan.step.slow_every)
    if found is None:
        return learned, []
    gate = step.plan.removal
    each_round = SPARE * len(found.val) * 2
    rounds = int(min(gate.rounds, step.crew.meter.left() // each_round))
    if rounds < min(LEAST_ROUNDS, gate.rounds):
        summary = f"{step.document.id}: no rule was tried for removal: that takes {LEAST_ROUNDS * each_round} calls"
        return learned.noted(Note(stage="prune", summary=summary, remedy="raise budget.calls")), []
    step = step.with_removal(replace(gate, rounds=rounds))
    try:
        tried = step.attempt(Rule(CandidateKind.REMOVAL, (found.edit,), found.val))
    except BudgetExhausted as error:
        summary = f"{step.document.id}: the trial of a removal was cut short: {error.message}"
        return learned.noted(Note(stage="prune", summary=summary, remedy=error.remedy)), []
    return learned, [tried]


def _is_time(step: Step, learned: StepOutcome) -> bool:
    if learned.verdict.decision is Decision.ACCEPT or learned.sessions.unfinished:
        return False
    plan, past = step.plan, step.begun.past
    if plan.removal.name != "sequential":
        return False
    full = len(learned.document.body) > FULL * plan.step.max_chars
    waits = any(wait.tested.kind is CandidateKind.REMOVAL for wait in learned.tried.undecided)
    removals = [past.ago(tried.night) for tried in past.tried if tried.edit.op is EditOp.DELETE]
    again = plan.step.slow_every > 0 and bool(removals) and min(removals) >= EVERY
    return (is_due(plan, past) or full or again) and not waits
