"""skillopt-sleep cost: what the nights spent, by night, purpose and model."""

import re
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import seconds
from skillopt_sleep.stores.ledger import LedgerLine

_LENGTH = re.compile(r"[0-9]{1,5}[smhd]")


def cost(
    *,
    since: Annotated[str, typer.Option(help="Only from this day on (2026-03-02), or so far back (30d, 12h).")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what was spent: calls, tokens and dollars, an unknown price as unknown."""
    with opened() as store:
        lines = store.ledger.lines(since=_moment(since) if since else None)
    if as_json:
        answer = {"schema_version": 1, "lines": [line._asdict() for line in lines], "total": _sum(lines)}
        say_json(answer)
        return
    if not lines:
        say("nothing was spent" + (f" since {since}" if since else ": no night asked a model yet"))
        return
    for night, own in groupby(lines, key=lambda line: line.night):
        say(night)
        for line in own:
            say(f"  {line.purpose:10} {_spent([line])}  {line.model}")
    say(f"{'all':12} {_spent(lines)}")


def _moment(since: str) -> datetime:
    if _LENGTH.fullmatch(since):
        return utc_now() - timedelta(seconds=seconds(since))
    try:
        found = datetime.fromisoformat(since)
    except ValueError as error:
        raise ConfigError(f"--since {since!r} is no time", remedy="a day such as 2026-03-02, or 30d") from error
    return (found if found.tzinfo else found.astimezone()).astimezone(UTC)


def _sum(lines: tuple[LedgerLine, ...] | list[LedgerLine]) -> dict[str, float | None]:
    """What the lines amount to; dollars are None where any of them isn't known."""
    return {
        "calls": sum(line.calls for line in lines),
        "input_tokens": sum(line.input_tokens for line in lines),
        "output_tokens": sum(line.output_tokens for line in lines),
        "cached_tokens": sum(line.cached_tokens for line in lines),
        "usd": None if any(line.unpriced for line in lines) else sum(line.usd for line in lines),
        "unpriced": sum(line.unpriced for line in lines),
        "unnamed": sum(line.unnamed for line in lines),
    }


def _spent(lines: tuple[LedgerLine, ...] | list[LedgerLine]) -> str:
    total = _sum(lines)
    named = sum(line.usd for line in lines)
    at_least = f"${named:.4f} and " if named else ""
    price = f"{at_least}{total['unpriced']} unpriced" if total["usd"] is None else f"${total['usd']:.4f}"
    calls = "call " if total["calls"] == 1 else "calls"
    if total["unnamed"] == total["calls"]:
        return f"{total['calls']:5,} {calls} tokens unknown  {price}"
    least = "at least " if total["unnamed"] else ""
    return (
        f"{total['calls']:5,} {calls} {least}{total['input_tokens']:11,} in (cached {total['cached_tokens']:,})"
        f" {total['output_tokens']:9,} out  {price}"
    )
