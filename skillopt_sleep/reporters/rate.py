"""Say in plain words what the error rate of accepted changes is of, and what it is not."""

from collections.abc import Iterable

from skillopt_sleep.records import StepOutcome

_AS_NOISE = "the answers only as another date or session id in the prompt would"
_MEASURED = "That this holds was measured in simulated nights. None of it is the chance that"


def of_night(accepted: Iterable[StepOutcome]) -> str:
    """Return what the error rate of a night's accepted changes is of; "" if none is known.

    A trial that an earlier night began keeps that night's rate, so the highest is named. Removals claim something
    else, each in its own words.
    """
    rates: list[float] = []
    for outcome in accepted:
        trial = outcome.trial
        if outcome.verdict.rule.startswith("sequential") and trial.together is not None and not trial.margin:
            rates.append(trial.together)
    if not rates:
        return ""
    rate = f"{100 * max(rates):.3g} %"
    return (
        f"at most {rate} of nights like this one propose a rule that does nothing, by the verdicts on these"
        " requests; that isn't the chance that a rule below does nothing"
    )


def of_proposal(claim: str) -> str:
    """Return what the claim about a proposal's error rate means; "" if it claims none."""
    if "did nothing" in claim:
        return f"A change that does nothing moves {_AS_NOISE}. {_MEASURED} this change does nothing."
    if "removing" in claim:
        return f"{_MEASURED} this removal loses as much."
    return ""
