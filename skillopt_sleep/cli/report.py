"""The command `report`: print a night's report or open it as a page, list the nights, or show what they cost."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.lazy import night_ids
from skillopt_sleep.cli.nights import list_costs, list_nights
from skillopt_sleep.cli.status import last_closed
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records import PAGE, NightReport, Proposal
from skillopt_sleep.reporters.morning import page, shown
from skillopt_sleep.reporters.night import Night
from skillopt_sleep.reporters.status import NO_NIGHT, told_of_all

LAST = 14  # nights in a list


def report(
    night: Annotated[
        str, typer.Argument(help="A night's id; the last night by default.", autocompletion=night_ids)
    ] = "",
    *,
    opens: Annotated[bool, typer.Option("--open", help="Open it as a page in your browser.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List past nights.")] = False,
    last: Annotated[
        int | None,
        typer.Option("--last", min=0, help="With --list, how many nights (14); 0 for all."),
    ] = None,
    cost: Annotated[bool, typer.Option("--cost", help="Show what nights cost.")] = False,
    since: Annotated[str, typer.Option("--since", help="With --cost, only since 2026-03-02, or for 30d.")] = "",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="With the statistics and all ids.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Print a night's report; --open shows it as a page."""
    shown = [name for name, given in {"--list": list_, "--cost": cost, "--open": opens}.items() if given]
    if len(shown) > 1 or (opens and as_json):
        raise ConfigError(f"{shown[0]} stands by itself", remedy="leave out the other one")
    if night and (list_ or cost):
        raise ConfigError(f"{shown[0]} is of all nights", remedy="leave out the night's id")
    if last is not None and not list_:
        raise ConfigError("--last says how many nights --list lists", remedy="add --list, or leave it out")
    if since and not cost:
        raise ConfigError("--since says which costs --cost shows", remedy="add --cost, or leave it out")
    if list_:
        list_nights(last=LAST if last is None else last, as_json=as_json)
    elif cost:
        list_costs(since=since, as_json=as_json)
    else:
        _report(night, opens=opens, verbose=verbose, as_json=as_json)


def _report(night: str, *, opens: bool, verbose: bool, as_json: bool) -> None:
    """Print the report of one night, the last that is over by default, or open it as a page."""
    with opened_to_read() as store:
        nights = store.nights()
        closed = last_closed(nights)
        wanted = night or (closed.id if closed else "")
        if not wanted:
            if nights:
                warn(f"Night {nights[0].id} isn't over yet, so it has no report: skillopt-sleep status")
                return
            warn(f"{NO_NIGHT} Run one: skillopt-sleep run   (an example: skillopt-sleep run --example)")
            return
        stored, folder = store.report(wanted), store.folder(wanted)
        waits = tuple(banked.proposal.id for banked in store.bank.to_decide(utc_now()))
        known = store.bank.proposals()
    if stored is None:
        last = ", ".join(line.id for line in nights[:5])
        raise ConfigError(f"there is no report of night {wanted!r}", remedy=f"the last nights: {last}")
    if as_json:
        say_json(stored)
        return
    stored = _by_rule(stored, [decided.proposal for decided in known])
    told = Night(stored, waits, folder, told_of_all(known, waits, now=utc_now()))
    if opens:
        _open(told, folder)
    else:
        say_blocks(shown(told, verbose=verbose), verbose=verbose)


def _by_rule(report: NightReport, known: Sequence[Proposal]) -> NightReport:
    """Return the report with each rule that was decided on by itself in place of its whole proposal."""
    rules = [one for one in known if one.night == report.night and "." in one.id]
    divided = {one.id.rpartition(".")[0] for one in rules}
    whole = [one for one in report.proposals if one.id not in divided]
    return replace(report, proposals=(*whole, *rules))


def _open(night: Night, folder: Path) -> None:
    """Write the page as things are now, and open it; where there is no browser, say where it is."""
    name = night.report.night
    if not folder.is_dir():
        raise ConfigError(
            f"the files of night {name} are gone", remedy=f"what is known of it: skillopt-sleep report {name}"
        )
    path = folder / PAGE
    write_atomic(path, page(night, at=utc_now()).encode())
    if not webbrowser.open(path.as_uri()):
        say(f"No browser could be opened. The page: {path}")
