"""Add up what was spent, and say it: what isn't known stays unknown, and a part that is known is a lower bound."""

from collections.abc import Iterable
from typing import NamedTuple

from skillopt_sleep.kit.words import counted
from skillopt_sleep.reporters.spending import amount
from skillopt_sleep.stores.ledger import LedgerLine


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
