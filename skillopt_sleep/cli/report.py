"""The command `report`: print a night's report, or open it as a page."""

import webbrowser
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.completing import night_ids
from skillopt_sleep.cli.console import say, say_json, say_markdown, warn
from skillopt_sleep.cli.status_shown import last_closed
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records import PAGE, NightReport, Proposal, report_data
from skillopt_sleep.reporters.decided import told_of_all


class Format(StrEnum):
    """The forms in which a report can be printed."""

    MARKDOWN = "md"
    PAGE = "html"
    DATA = "json"


class Now(NamedTuple):
    """The proposals that wait now, and in words what was decided on the others."""

    waits: tuple[str, ...]
    decided: dict[str, str]


def report(
    night: Annotated[
        str, typer.Argument(help="A night's id; the last night by default.", autocompletion=night_ids)
    ] = "",
    *,
    opens: Annotated[bool, typer.Option("--open", help="Open it as a page in your browser.")] = False,
    form: Annotated[
        Format | None, typer.Option("--format", help="Print it in this form, for other programs.", show_default=False)
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="With the statistics and all ids.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Print a night's report, and what of it still waits for you; --open shows it as a page."""
    if opens and (form or as_json):
        raise ConfigError("--open shows the page, so it prints no other form", remedy="leave out one of both")
    with opened_to_read() as store:
        nights = store.nights()
        last = last_closed(nights)
        wanted = night or (last.id if last else "")
        if not wanted:
            if nights:
                warn(f"Night {nights[0].id} isn't over yet, so it has no report: skillopt-sleep status")
                return
            warn("No night has run yet. Run one: skillopt-sleep run   (an example: skillopt-sleep run --example)")
            return
        stored, folder = store.report(wanted), store.folder(wanted)
        waits = tuple(banked.proposal.id for banked in store.bank.to_decide(utc_now()))
        known = store.bank.proposals()
        now = Now(waits, told_of_all(known, waits))
    if stored is None:
        known = ", ".join(line.id for line in nights[:5])
        raise ConfigError(f"there is no report of night {wanted!r}", remedy=f"the last nights: {known}")
    if not (as_json or form is Format.DATA):
        stored = _by_rule(stored, [decided.proposal for decided in known])
    if opens:
        _open(stored, now, folder)
    else:
        _print(stored, now, folder, Format.DATA if as_json else form, verbose=verbose)


def _by_rule(report: NightReport, known: Sequence[Proposal]) -> NightReport:
    """Return the report with each rule that was decided on by itself in place of its whole proposal."""
    rules = [one for one in known if one.night == report.night and "." in one.id]
    divided = {one.id.rpartition(".")[0] for one in rules}
    whole = [one for one in report.proposals if one.id not in divided]
    return replace(report, proposals=(*whole, *rules))


def _print(report: NightReport, now: Now, folder: Path, form: Format | None, *, verbose: bool) -> None:
    """Print a report in one form; for a person, if none is named."""
    if form is Format.DATA:
        say_json(report_data(report))
    elif form is Format.PAGE:
        from skillopt_sleep.reporters.page import render as page

        typer.echo(page(report, now.waits, folder=folder, decided=now.decided, at=utc_now()), nl=False)
    else:
        from skillopt_sleep.reporters.morning import render

        text = render(report, now.waits, folder=folder, decided=now.decided, verbose=verbose)
        if form is Format.MARKDOWN:
            typer.echo(text, nl=False)
        else:
            say_markdown(text)


def _open(report: NightReport, now: Now, folder: Path) -> None:
    """Write the page as things are now, and open it; where there is no browser, say where it is."""
    from skillopt_sleep.reporters.page import render

    if not folder.is_dir():
        raise ConfigError(
            f"the files of night {report.night} are gone",
            remedy=f"what is known of it: skillopt-sleep report {report.night}",
        )
    path = folder / PAGE
    page = render(report, now.waits, folder=folder, decided=now.decided, at=utc_now())
    write_atomic(path, page.encode())
    if not webbrowser.open(path.as_uri()):
        say(f"No browser could be opened. The page: {path}")
