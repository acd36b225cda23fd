"""Set the error rate of a night by what the nights before it spent, so that the errors of a month stay few as well.

What the nights of the last WINDOW spent is taken from a STOCK, what a person adopted and kept in that time earns one
night's rate back, and a night may have half of what is left, up to `gate.alpha`. This is alpha-investing (Foster &
Stine, JRSS B 70, 2008) that forgets what is long past (Ramdas, Yang, Wainwright & Jordan, NIPS 2017). Without
adoptions the monthly total stays below STOCK plus one FLOOR a night.
"""

from dataclasses import replace as replace_in
from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.protocols.crew import NightPlan
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import CandidateKind, EditFate, ErrorRate, SpentErrorRate, StepOutcome

WINDOW = timedelta(days=30)
# In full rates of a night:
STOCK = 2.0
PART = 0.5  # of what is left, for one night
FLOOR = 0.08


def with_nights_rate(plan: NightPlan, page: OpenNight) -> NightPlan:
    """Return the plan with the error rate of this night; a resumed night keeps the one it began with."""
    if plan.gate.name != "sequential":
        return plan
    alpha = page.keep("rate", float, lambda: nights_rate(page.history.spent(page.started - WINDOW), plan.gate.alpha))
    rate = min(alpha, plan.gate.alpha)
    return replace_in(plan, gate=replace(plan.gate, alpha=rate))


def nights_rate(spent: SpentErrorRate, most: float) -> float:
    """Return the error rate that a night may have: at most `most`, and never below a floor."""
    left = STOCK * most - spent.rates + spent.adopted * most
    return max(FLOOR * most, min(most, PART * left))


def error_rate(plan: NightPlan, outcomes: list[StepOutcome]) -> ErrorRate | None:
    """Return the night's error rate, and whether it was spent; None if the rule has none that is known."""
    if plan.gate.name != "sequential":
        return None
    spent = any(_tries_anew(outcome) for outcome in outcomes)
    return ErrorRate(rate=plan.gate.alpha, spent=plan.gate.alpha if spent else 0.0)


def _tries_anew(outcome: StepOutcome) -> bool:
    """Return whether something was tried that no earlier night did; removals have a rate of their own."""
    if outcome.tried.retested:
        return True
    new = {fate.edit.key for fate in outcome.tried.edits if fate.fate is EditFate.APPLIED}
    for tested in outcome.tried.tested:
        if tested.kind is CandidateKind.GUIDANCE:
            return True
        if tested.kind is not CandidateKind.REMOVAL and any(edit.key in new for edit in tested.edits):
            return True
    return False
