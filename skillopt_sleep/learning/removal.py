"""Try the document without a standing rule that may no longer be needed, on the tasks that the rule is for.

Only a rule that we wrote is ever taken away: a line of an adopted edit that still stands in the body as it was
adopted.
"""

from collections.abc import Sequence

from rapidfuzz import fuzz

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.begin import DocumentStep, is_due
from skillopt_sleep.learning.rule import CandidateRule, TriedRule, exercising
from skillopt_sleep.proposals.rules import find_rule, items
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    EditOp,
    EditSource,
    EditStatus,
    Effect,
    Note,
    Past,
    StepOutcome,
    Task,
)

FULL = 0.75  # of the length that a document may have, from which on every night tries to shorten it
EVERY = 3  # nights between two rules, once removals are tried at all
SPARE = 2  # times the calls of the trial must be left: the lessons of other documents come first
SAME_RULE = 90.0  # words in another order can say the opposite, so near-equal rules are worth a trial, not more
RETRY = 20  # nights after which a removal that wasn't proven is tried again
SESSIONS = 2  # that the unseen tasks come from, at least: fewer could never prove it
DAY_CHARS = len("2026-01-31")
LEAST_ROUNDS = 2  # worth beginning a trial for; later nights resume it


def remove(step: DocumentStep, learned: StepOutcome) -> tuple[StepOutcome, list[TriedRule]]:
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
    try:
        tried = step.attempt(found, rounds=rounds)
    except BudgetExhausted as error:
        summary = f"{step.document.id}: the trial of a removal was cut short: {error.message}"
        return learned.noted(Note(stage="prune", summary=summary, remedy=error.remedy)), []
    return learned, [tried]


def _is_time(step: DocumentStep, learned: StepOutcome) -> bool:
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


def prune(document: Document, past: Past, tasks: Sequence[Task], *, least: int = 0) -> CandidateRule | None:
    """Return the removal to try, or None: of a rule that another line says too, else of the longest rule.

    A rule that was adopted fewer than `least` nights ago isn't tried. A removal that did harm before, that a person
    refused or that waits for them isn't tried again; one that wasn't proven is after RETRY nights, when those that
    were never tried had their turn.
    """
    decided = _decided(past) | _young(past, least)
    tried: dict[str, int] = {}  # how many nights ago the removal of a rule was tried
    for one in past.tried:
        if one.edit.op is EditOp.DELETE:
            tried.setdefault(one.edit.target.strip(), past.ago(one.night))
    rules = _standing(past.adopted)
    candidates = [rule for rule in rules if rule.strip() not in decided]
    candidates = [rule for rule in candidates if tried.get(rule.strip(), RETRY) >= RETRY]
    twice = {rule for rule in candidates if _is_said_twice(rule, document)}
    for rule in sorted(candidates, key=lambda rule: (rule.strip() in tried, rule not in twice, -len(rule))):
        target = find_rule(document.body, rule)
        val = exercising(rules[rule], tasks)
        if not target or len({task.session for task in val}) < SESSIONS:
            continue
        why = "it may not be needed any more"
        if rule in twice:
            why = "another line says it too"
        edit = Edit(
            op=EditOp.DELETE,
            target=target,
            reason=f"{why}; {len(target)} characters less",
            support=len(rules[rule]),
            tasks=rules[rule],
            lessons=tuple(dict.fromkeys(task.lesson for task in val if task.lesson)),
        )
        return CandidateRule(CandidateKind.REMOVAL, (edit,), val)
    return None


def _decided(past: Past) -> set[str]:
    """Return the rules whose removal was refused, waits for the person, or did harm."""
    edits = [*past.refused]
    edits += [proposed.edit for proposed in past.proposed if proposed.status is EditStatus.WAITS]
    edits += [tried.edit for tried in past.tried if tried.effect is Effect.HARMFUL]
    return {edit.target.strip() for edit in edits if edit.op is EditOp.DELETE}


def _young(past: Past, least: int) -> set[str]:
    """Return the rules that were adopted fewer than so many nights ago; nights of that same day don't count."""
    young: set[str] = set()
    if not past.nights:
        return young
    for proposed in past.proposed:
        since = proposed.since[:DAY_CHARS]
        nights = [night for night in past.nights if night[:DAY_CHARS] > since]
        if proposed.status is EditStatus.LIVE and len(nights) < least:
            young.update(rule.strip() for rule in items(proposed.edit.content))
    return young


def _standing(adopted: Sequence[Edit]) -> dict[str, tuple[str, ...]]:
    """Return the rules that were ever adopted, each with the tasks it was learned from."""
    rules: dict[str, tuple[str, ...]] = {}
    for edit in adopted:
        if edit.source is EditSource.SLOW:
            continue  # what a protected block says is the slow update's alone
        for rule in items(edit.content):
            rules[rule] = tuple(dict.fromkeys((*rules.get(rule, ()), *edit.tasks)))
    return rules


def _is_said_twice(rule: str, document: Document) -> bool:
    """Return whether another line of the file says nearly the same; that line may be the person's own."""
    lines = document.text.splitlines()
    if rule not in lines:
        return False
    lines.remove(rule)
    return any(fuzz.token_sort_ratio(rule.lower(), line.lower()) >= SAME_RULE for line in lines)
