"""The command `cost`: what the nights cost, by night, purpose and model."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer

from skillopt_sleep.cli.console import BOLD, DIM, NAME, Column, Part, say, say_json, say_table
from skillopt_sleep.cli.since import moment
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.reporters.costs import price, spent, total
from skillopt_sleep.reporters.words import purpose_words, unpriced
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.ledger import LedgerLine

BAR = 12  # the width of the longest bar
_COLUMNS = (
    Column("purpose", cut=True),
    Column("calls", right=True),
    Column("in", right=True),
    Column("cached", right=True, from_width=70),
    Column("out", right=True),
    Column("dollars", right=True),
    Column("", from_width=80),
    Column("", cut=True, from_width=100),
)


def cost(
    *,
    since: Annotated[
        str, typer.Option(help="Only since a day (2026-03-02) or for a length of time until now (30d, 12h).")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what the nights cost, in calls, tokens and dollars."""
    settings = load(find_paths())
    with opened_to_read(settings) as store:
        lines = store.ledger.lines(since=moment(since) if since else None)
    if as_json:
        sums = total(lines)._asdict()
        if sums["unpriced"]:
            sums["usd"] = None
        rows = [line._asdict() for line in lines]
        say_json({"schema_version": 1, "lines": rows, "total": sums})
        return
    if not lines and since:
        say(f"Nothing was spent since {since}.")
        return
    if not lines:
        say("Nothing was spent: no night has called a model yet.")
        return
    for night, of_night in groupby(lines, key=lambda line: line.night):
        _show_night(night, list(of_night))
    say(("all  ", BOLD), f"{spent(total(lines))}  ", (price(total(lines)), BOLD))
    models = [line.model for line in lines if line.unpriced]
    if models:
        say(unpriced(models, settings.prices.models))


def _show_night(night: str, lines: Sequence[LedgerLine]) -> None:
    """Print a night, its models, and a row for each purpose and model, those with the most tokens first."""
    models = dict.fromkeys(line.model for line in lines)
    say((night, BOLD), (f"  {', '.join(models)}", DIM))
    most = max(line.input_tokens + line.output_tokens for line in lines)
    rows: list[list[Part]] = []
    for line in sorted(lines, key=lambda line: -(line.input_tokens + line.output_tokens)):
        of_line = total([line])
        tokens = [f"{count:,}" for count in (line.input_tokens, line.cached_tokens, line.output_tokens)]
        if of_line.unnamed == of_line.calls:
            tokens = ["unknown", "", ""]
        elif of_line.unnamed:
            tokens[0] = f"at least {tokens[0]}"
        bar = "█" * round(BAR * (line.input_tokens + line.output_tokens) / most) if most else ""
        model: Part = (line.model if len(models) > 1 else "", DIM)
        rows.append([purpose_words(line.purpose), f"{line.calls:,}", *tokens, price(of_line), (bar, NAME), model])
    say_table(_COLUMNS, rows, indent=2)
