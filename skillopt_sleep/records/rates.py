"""Error rate: what is said beside every result of a gate's rule whose error rate isn't known."""

UNKNOWN = "error rate unknown"
UNVERIFIED = "unverified"


def unknown_rate(claim: str) -> str:
    """Return what must be said beside a result, by what its verdict claims of its error rate; "" if that is known."""
    if claim == UNKNOWN:
        return "error rate unknown: gate.rule is strict, which takes what has the higher mean"
    if claim == UNVERIFIED:
        return "taken untested, error rate unknown: gate.rule is greedy, which takes every rule"
    return ""
