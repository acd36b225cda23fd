"""Set the error rate of a night by what the nights before it spent, so that the errors of a month stay few as well.

Every night that tries something new spends its rate: with so small a chance a useless edit passes, and over thirty
nights that adds up. So what the nights of the last WINDOW spent is taken from a STOCK, what a person adopted and kept
in that time earns one night's rate back, and a night may have half of what is left, up to `gate.alpha`. This is
alpha-investing (Foster & Stine, "α-investing: a procedure for sequential control of expected false discoveries", JRSS
B 70, 2008) that forgets what is long past (Ramdas, Yang, Wainwright & Jordan, "Online control of the false discovery
rate with decaying memory", NIPS 2017). Without an adoption the rates add up to the STOCK and the FLOORs at most.

Simulated over 30 nights, each with another useless edit that is tried on up to three: a month ends with one accepted
in 9 % at 4 unseen tasks and in 8 % at 7 (at the full rate every night in 48 and 52 %). Of eight lessons worth 30
points that come up in 60 nights, beside a useless edit every second night, 7.8 and 7.9 are found (7.9 and 7.9), and
all eight of those that go from .2 or from 0 to .9. At the FLOOR one night finds 0 → .9 in 100 % and .2 → .9 in 99 %
at 4 tasks, and three nights find 30 points in 68 % (80); at 2 tasks one night finds 0 → .9 in 100 %, .2 → .9 in 69 %.
A lower FLOOR takes more of that than it saves; a higher one lets more than a tenth of such months end with one.
"""

from dataclasses import replace as replace_in
from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.protocols import Page, Plan
from skillopt_sleep.records import CandidateKind, ErrorRate, Fate, Spent, StepOutcome

WINDOW = timedelta(days=30)
# In full rates of a night:
STOCK = 2.0
PART = 0.5  # of what is left, for one night
FLOOR = 0.08


def on_rate(plan: Plan, page: Page) -> Plan:
    """Return the plan with the error rate of this night; a resumed night keeps the one it began with."""
    if plan.gate.name != "sequential":
        return plan
    alpha = page.keep("rate", float, lambda: nights_rate(page.history.spent(page.started - WINDOW), plan.gate.alpha))
    rate = min(alpha, plan.gate.alpha)
    return replace_in(plan, gate=replace(plan.gate, alpha=rate))


def nights_rate(spent: Spent, most: float) -> float:
    """Return the error rate that a night may have: at most `most`, and never below a floor."""
    left = STOCK * most - spent.rates + spent.adopted * most
    return max(FLOOR * most, min(most, PART * left))


def error_rate(plan: Plan, outcomes: list[StepOutcome]) -> ErrorRate | None:
    """Return the night's error rate, and whether it was spent; None if the rule has none that is known."""
    if plan.gate.name != "sequential":
        return None
    spent = any(_tries_anew(outcome) for outcome in outcomes)
    return ErrorRate(rate=plan.gate.alpha, spent=plan.gate.alpha if spent else 0.0)


def _tries_anew(outcome: StepOutcome) -> bool:
    """Return whether something was tried that no earlier night did; removals have a rate of their own."""
    if outcome.tried.retested:
        return True
    new = {fate.edit.key for fate in outcome.tried.edits if fate.fate is Fate.APPLIED}
    for tested in outcome.tried.tested:
        if tested.kind is CandidateKind.GUIDANCE:
            return True
        if tested.kind is not CandidateKind.REMOVAL and any(edit.key in new for edit in tested.edits):
            return True
    return False
