"""Say what a night spent; what isn't known is called unknown, never 0."""

from skillopt_sleep.records import NightReport, Spend

SMALL = 0.1  # dollars; smaller amounts are shown to a hundredth of a cent


def calls(report: NightReport) -> str:
    """Return the number of calls, with their limit if there is one."""
    made = "1 call" if report.spend.calls == 1 else f"{report.spend.calls} calls"
    if "calls" in report.limits:
        return f"{made} (limit {report.limits['calls']:.0f})"
    return made


def tokens(spend: Spend) -> str:
    """Return the number of tokens in words."""
    if spend.tokens is None:
        return "an unknown number of tokens"
    used = f"{spend.tokens:,} tokens"
    if spend.unnamed:
        used = f"at least {used}"
    if spend.cached_tokens:
        used += f" ({spend.cached_tokens:,} of them cached)"
    return used


def dollars(spend: Spend) -> str:
    """Return the dollars in words."""
    return "dollars unknown" if spend.usd is None else amount(spend.usd)


def amount(usd: float) -> str:
    """Return an amount of dollars as it is shown everywhere."""
    return f"${usd:,.4f}" if 0 < usd < SMALL else f"${usd:,.2f}"
