"""skillopt-sleep status and report: the last night, and what waits."""

import sys
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_markdown, warn
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.errors import ConfigError, Exit
from skillopt_sleep.settings import find_paths


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 10 when proposals wait.")] = False,
) -> None:
    """Show the last night and the proposals that wait for you."""
    from skillopt_sleep.proposals.journal import Journal
    from skillopt_sleep.stores.bank import WAITING

    Journal(find_paths().adoptions).recover()
    with opened() as store:
        nights = store.nights()
        waiting = store.bank.proposals(WAITING)
        running = store.is_running()
    last = next((night for night in nights if night.closed), None)
    if as_json:
        from skillopt_sleep.kit.codec import to_json

        answer = {
            "schema_version": 1,
            "last_night": {"night": last.id, "closed": last.closed, "verdict": last.outcome} if last else None,
            "waiting": [
                {"id": p.id, "document": p.document, "summary": p.summary}
                for p in (found.proposal for found in waiting)
            ],
            "running": running,
            "unfinished": [night.id for night in nights if not night.closed],
        }
        sys.stdout.write(to_json(answer, pretty=True).decode())
    else:
        outcome = f"{last.id}: {last.outcome.value if last.outcome else 'cut off'}" if last else "none yet"
        say(f"Last night   {outcome}")
        for night in nights:
            if not night.closed:
                goes_on = "" if running else ": the next run goes on with it"
                say(f"{'Running' if running else 'Unfinished':12} {night.id}{goes_on}")
        say(f"Waiting      {len(waiting) or 'no'} {'proposal' if len(waiting) == 1 else 'proposals'}")
        for proposal in (found.proposal for found in waiting):
            say(f"  {proposal.id}  {proposal.summary}")
        if waiting:
            say(f"Look at one: skillopt-sleep show {waiting[0].proposal.id}")
        elif last is None:
            say("Begin with:  skillopt-sleep run --now --example")
    if exit_code and waiting:
        raise typer.Exit(Exit.WAITING)


def report(
    night: Annotated[str, typer.Argument(help="A night's id; the last one where none is named.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Print a night's report."""
    with opened() as store:
        nights = store.nights()
        wanted = night or next((line.id for line in nights if line.closed), "")
        if not wanted:
            warn("no night has run yet: skillopt-sleep run --now")
            return
        found = store.report(wanted)
    if found is None:
        known = ", ".join(line.id for line in nights[:5])
        raise ConfigError(f"there is no report of night {wanted!r}", remedy=f"the last nights: {known}")
    if as_json:
        from skillopt_sleep.kit.codec import to_json

        sys.stdout.write(to_json(found, pretty=True).decode())
        return
    from skillopt_sleep.reporters.morning import render

    say_markdown(render(found))
