"""Add up what was spent, and say it: what isn't known is unknown, never 0, and a known part is a lower bound."""

from collections.abc import Iterable
from typing import NamedTuple

from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import NightReport, Spend
from skillopt_sleep.stores.ledger import LedgerLine

SMALL = 0.1  # dollars; smaller amounts are shown to a hundredth of a cent


class Total(NamedTuple):
    """The sum of ledger lines; `usd` is the known part of the price, `unpriced` the calls without a known price.

    `unnamed` is the number of calls whose tokens aren't known.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0
    unpriced: int = 0
    unnamed: int = 0

    @property
    def tokens(self) -> int:
        """Return the tokens of both kinds."""
        return self.input_tokens + self.output_tokens


def total(lines: Iterable[LedgerLine]) -> Total:
    """Add up these lines."""
    lines = tuple(lines)
    return Total(
        calls=sum(line.calls for line in lines),
        input_tokens=sum(line.input_tokens for line in lines),
        output_tokens=sum(line.output_tokens for line in lines),
        cached_tokens=sum(line.cached_tokens for line in lines),
        usd=sum(line.usd for line in lines),
        unpriced=sum(line.unpriced for line in lines),
        unnamed=sum(line.unnamed for line in lines),
    )


def spent(summed: Total) -> str:
    """Say how many calls and tokens that was."""
    return f"{counted(summed.calls, 'call')}, {tokens_spent(summed)}"


def tokens_spent(summed: Total) -> str:
    """Say how many tokens that was."""
    if summed.unnamed == summed.calls:
        return "tokens unknown"
    at_least = "at least " if summed.unnamed else ""
    return f"{at_least}{summed.input_tokens:,} tokens in and {summed.output_tokens:,} out"


def price(summed: Total) -> str:
    """Say what it cost."""
    if not summed.unpriced:
        return amount(summed.usd)
    return f"at least {amount(summed.usd)}" if summed.usd else "unknown"


def calls(report: NightReport) -> str:
    """Return the number of calls, with their limit if there is one."""
    made = "1 call" if report.spend.calls == 1 else f"{report.spend.calls} calls"
    if "calls" in report.run.limits:
        return f"{made} (limit {report.run.limits['calls']:.0f})"
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
    """Return the dollars in words; none if there was no call."""
    if spend.calls and spend.usd is None:
        return "dollars unknown"
    return amount(spend.usd or 0)


def amount(usd: float) -> str:
    """Return an amount of dollars as it is shown everywhere."""
    return f"${usd:,.4f}" if 0 < usd < SMALL else f"${usd:,.2f}"
