"""Say in plain words what the error rate of accepted changes is of."""

from collections.abc import Iterable

from skillopt_sleep.records import StepOutcome

OF_NIGHTS = (
    "Nights on which no rule could help proposed one in fewer than 1 of 20 simulated nights, going by this judge's"
    " grades and if the model answers afresh each time."
)


def of_night(accepted: Iterable[StepOutcome]) -> str:
    """Return what the error rate of a night's accepted changes is of; "" if none is known.

    Removals claim something else, each in its own words.
    """
    rules = [outcome for outcome in accepted if outcome.verdict.rule.startswith("sequential")]
    return OF_NIGHTS if any(not outcome.trial.margin for outcome in rules) else ""


def of_proposal(claim: str) -> str:
    """Return what the claim about a proposal's error rate means; "" if it claims none."""
    return OF_NIGHTS if "proposed any rule" in claim else ""
