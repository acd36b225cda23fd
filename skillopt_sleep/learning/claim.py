"""Say what a rule's error rate is of: this change, on these requests, by this judge."""

from skillopt_sleep.records import UNKNOWN, UNVERIFIED, GateRule, Trial

_RATES = {"strict": UNKNOWN, "greedy": UNVERIFIED}


def error_rate(trial: Trial, rule: GateRule) -> str:
    """Return what is known of the rule's error rate, with the trial's share and that of a whole night apart."""
    if rule.name in _RATES:
        return _RATES[rule.name]
    requests = _requests(len({pair.task for pair in trial.own}))
    if rule.margin:
        if_not = (
            f"if removing this rule lost {100 * rule.margin:.3g} points on {requests}, the chance of removing it was"
        )
        of_all = "removals"
    else:
        if_not = f"if this change did nothing for {requests}, the chance of accepting it was"
        of_all = "changes"
    together = ""
    if rule.together is not None:
        together = f", and for all {of_all} of one night together {_percent(rule.together)}"
    return f"{if_not} at most {_percent(rule.alpha)}{together}; this is about these verdicts"


def _requests(count: int) -> str:
    if not count:
        return "the requests it is tried on"
    return "this 1 request" if count == 1 else f"these {count} requests"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
