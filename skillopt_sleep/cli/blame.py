"""The command `blame`: whose words, which trial and which decision each managed line of a file rests on."""

from collections.abc import Sequence
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.cli.why_shown import blamed_rows, show
from skillopt_sleep.deciding.chosen import file_named
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.proposals.origins import Managed, adopted_files, managed_lines, origins


def blame(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file; every file with adopted rules by default.")
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show for each line we manage in a file whose words it rests on, its trial, and when you approved it."""
    with opened_to_read() as store, settled(store):
        known = list(origins(store.bank.proposals(), store.lessons.every()))
        paths = [file_named(store, file)] if file else adopted_files(known)
    found = {path: managed_lines(path, known) for path in paths}
    if as_json:
        say_json({str(path): [line._asdict() for line in lines] for path, lines in found.items()})
        return
    if not paths:
        say("No rule is adopted yet, or its record was purged: see skillopt-sleep show, skillopt-sleep blame FILE")
    now = utc_now()
    for path, lines in found.items():
        recorded = any(line.origin is not None for line in lines)
        say(f"{home_path(str(path))}: {_count(lines, recorded=recorded)}")
        for line in lines:
            show(blamed_rows(*line, now=now, recorded=recorded))


def _count(lines: Sequence[Managed], *, recorded: bool) -> str:
    """Count the lines that a proposal brought, and those in our part that a person wrote."""
    ours = sum(line.origin is not None or not recorded for line in lines)
    text = f"{counted(ours, 'line') if ours else 'no line'} managed by skillopt-sleep"
    theirs = len(lines) - ours
    return f"{text}, and {theirs} of yours between its markers" if theirs else text
