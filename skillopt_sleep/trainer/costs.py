"""Add up what answers cost by the stage that used them, and say what was paid and what was used."""

import math
from collections import defaultdict
from collections.abc import Iterable

from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import Completion, Record


class Cost(Record, frozen=True, kw_only=True):
    """The answers that a stage used, also those that another training paid for, at what they cost then.

    `unnamed` calls reported no tokens; `usd` is None if one call's price is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    unnamed: int = 0
    usd: float | None = 0.0


def cost_of(completion: Completion) -> Cost:
    """Return the cost of one answer."""
    usage = completion.usage
    if usage is None:
        return Cost(calls=1, unnamed=1, usd=completion.usd)
    return Cost(
        calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        usd=completion.usd,
    )


def sum_of(costs: Iterable[Cost]) -> Cost:
    """Return what these cost together; the dollars are None if those of any are."""
    every = list(costs)
    dollars = [cost.usd for cost in every if cost.usd is not None]
    return Cost(
        calls=sum(cost.calls for cost in every),
        input_tokens=sum(cost.input_tokens for cost in every),
        output_tokens=sum(cost.output_tokens for cost in every),
        cached_tokens=sum(cost.cached_tokens for cost in every),
        unnamed=sum(cost.unnamed for cost in every),
        usd=math.fsum(dollars) if len(dollars) == len(every) else None,
    )


class StageCosts:
    """The costs of the answers that each stage used."""

    def __init__(self) -> None:
        self._costs = defaultdict[str, list[Cost]](list)

    def add(self, stage: str, costs: Iterable[Cost]) -> None:
        """Add answers to a stage."""
        self._costs[stage] += costs

    @property
    def calls(self) -> int:
        """Return how many answers all stages used."""
        return sum(len(costs) for costs in self._costs.values())

    def by_stage(self) -> dict[str, Cost]:
        """Return the cost of each stage, independent of the order in which the calls ended."""
        return {stage: sum_of(costs) for stage, costs in sorted(self._costs.items()) if costs}


def spent_line(used: Cost, paid: SpendTally | None) -> str:
    """Return the calls that were paid for in a run's folder, and the answers that the run used, of others too."""
    if paid is None:
        return f"used: {used_words(used)}"
    return f"paid in this folder: {paid_words(paid)}; {counted(used.calls, 'answer')} used"


def paid_words(paid: SpendTally) -> str:
    """Return calls, tokens and dollars that were paid for, and what a limit counts for tokens that aren't known."""
    words = token_words(paid.usage.tokens, unnamed=paid.unnamed)
    if paid.unnamed:
        words += f" (a limit counts an estimate of {paid.tokens:,})"
    return f"{counted(paid.calls, 'call')}, {words}, {_dollars(paid.usd)}"


def used_words(used: Cost) -> str:
    """Return answers, tokens and dollars, and what isn't known of them."""
    words = token_words(used.input_tokens + used.output_tokens, unnamed=used.unnamed)
    return f"{counted(used.calls, 'answer')}, {words}, {_dollars(used.usd)}"


def token_words(known: int, *, unnamed: int) -> str:
    """Return the tokens that are known of some calls, of which `unnamed` reported none."""
    if not unnamed:
        return f"{known:,} tokens"
    if not known:
        return "tokens unknown"
    return f"at least {known:,} tokens"


def _dollars(usd: float | None) -> str:
    return "dollars unknown" if usd is None else f"${usd:.4f}"
