"""The command `cost`: what the nights cost, by night, purpose and model."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, NamedTuple

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.since import moment
from skillopt_sleep.cli.stored import opened_to_read
from skillopt_sleep.stores.ledger import LedgerLine


class _Total(NamedTuple):
    """The sum of ledger lines; `usd` is the known part of the price, `unpriced` the calls without a known price.

    `unnamed` is the number of calls whose tokens aren't known.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float
    unpriced: int
    unnamed: int


def cost(
    *,
    since: Annotated[
        str, typer.Option(help="Only since a day (2026-03-02) or for a length of time until now (30d, 12h).")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what the nights cost, in calls, tokens and dollars."""
    with opened_to_read() as store:
        lines = store.ledger.lines(since=moment(since) if since else None)
    if as_json:
        total = _total(lines)._asdict()
        if total["unpriced"]:
            total["usd"] = None
        rows = [line._asdict() for line in lines]
        say_json({"schema_version": 1, "lines": rows, "total": total})
        return
    if not lines and since:
        say(f"Nothing was spent since {since}.")
        return
    if not lines:
        say("Nothing was spent: no night has called a model yet.")
        return
    for night, of_night in groupby(lines, key=lambda line: line.night):
        say(night)
        for line in of_night:
            say(f"  {line.purpose:10} {_spent([line])}  {line.model}")
    say(f"{'all':12} {_spent(lines)}")


def _total(lines: Sequence[LedgerLine]) -> _Total:
    total = _Total(calls=0, input_tokens=0, output_tokens=0, cached_tokens=0, usd=0, unpriced=0, unnamed=0)
    for line in lines:
        total = _Total(
            calls=total.calls + line.calls,
            input_tokens=total.input_tokens + line.input_tokens,
            output_tokens=total.output_tokens + line.output_tokens,
            cached_tokens=total.cached_tokens + line.cached_tokens,
            usd=total.usd + line.usd,
            unpriced=total.unpriced + line.unpriced,
            unnamed=total.unnamed + line.unnamed,
        )
    return total


def _spent(lines: Sequence[LedgerLine]) -> str:
    total = _total(lines)
    noun = "call " if total.calls == 1 else "calls"
    calls = f"{total.calls:5,} {noun}"
    if total.unnamed == total.calls:
        return f"{calls} tokens unknown  {_price(total)}"
    at_least = "at least " if total.unnamed else ""
    tokens = f"{total.input_tokens:11,} in (cached {total.cached_tokens:,}) {total.output_tokens:9,} out"
    return f"{calls} {at_least}{tokens}  {_price(total)}"


def _price(total: _Total) -> str:
    if not total.unpriced:
        return f"${total.usd:.4f}"
    if total.usd:
        return f"${total.usd:.4f} and {total.unpriced} unpriced"
    return f"{total.unpriced} unpriced"
