"""skillopt-sleep status and report: the last night, and what waits."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json, say_markdown, warn
from skillopt_sleep.cli.daemon_shown import daemon_data, daemon_lines, first_step
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.cli.watch import shown, watch_night
from skillopt_sleep.errors import ConfigError, Exit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.records import Outcome, Proposal, report_data
from skillopt_sleep.settings import Paths, Settings, find_paths, load
from skillopt_sleep.stores.progress import Progress, read_progress
from skillopt_sleep.stores.sqlite import NightLine


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 10 when proposals wait.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="First follow the night that runs, until it is over.")
    ] = False,
) -> None:
    """Show the last night and the proposals that wait for you."""
    from skillopt_sleep.cli.settled import settled
    from skillopt_sleep.stores.bank import WAITING

    paths = find_paths()
    if watch:
        watch_night(paths.data)
    now = utc_now()
    settings, unfit = _settings(paths)
    with opened(settings) as store, settled(store):
        nights = store.nights()
        waiting = store.bank.proposals(WAITING)
        progress = read_progress(paths.data)
        running = progress is not None or store.is_running()
        last = next((night for night in nights if night.closed), None)
        report = store.report(last.id) if last else None
        because = report.because if report else ""
    unfinished = [night.id for night in nights if not night.closed]
    prompts = _prompts(paths.data, unfinished)
    if as_json:
        answer = {
            "schema_version": 1,
            "last_night": {"night": last.id, "closed": last.closed, "verdict": last.outcome, "because": because}
            if last
            else None,
            "waiting": [
                {"id": p.id, "document": p.document, "summary": p.summary, "warnings": p.warnings}
                for p in (found.proposal for found in waiting)
            ],
            "running": running,
            "progress": progress,
            "unfinished": unfinished,
            "prompts": prompts,
            "daemon": daemon_data(paths, now=now),
            "settings_error": unfit or None,
        }
        say_json(answer)
    else:
        if unfit:
            say(f"Settings     can't be used: {visible(unfit)}")
        for line in _ended(last, because):
            say(line)
        for line in (
            *_open_nights(nights, progress, running=running, now=now),
            *_laid_out(prompts, paths.data),
            *daemon_lines(paths, now=now),
        ):
            say(line)
        for line in _waiting([found.proposal for found in waiting]):
            say(line)
        if not nights and (step := first_step(paths, settings)):
            say(f"Begin with:  {step}")
    if unfit:
        raise typer.Exit(Exit.USAGE)
    if exit_code and waiting:
        raise typer.Exit(Exit.WAITING)


def _prompts(data: Path, unfinished: Sequence[str]) -> int:
    """How many prompts of a handoff wait for their answers; what a night that is over left there waits for none."""
    if not unfinished or not (data / "handoff").exists():
        return 0
    from skillopt_sleep.backends.handoff import waiting

    return waiting(data / "handoff")


def _laid_out(prompts: int, data: Path) -> Iterator[str]:
    """Where the prompts are that wait, if any do."""
    if prompts:
        said = "1 prompt waits" if prompts == 1 else f"{prompts} prompts wait"
        yield f"             {said} for an answer in {data / 'handoff' / 'open'}"


def _settings(paths: Paths) -> tuple[Settings, str]:
    """The settings; where they can't be used the defaults, and why: how things stand is to be seen even so."""
    try:
        return load(paths), ""
    except ConfigError as error:
        return Settings(), f"{error.message} → {error.remedy}"


def _ended(night: NightLine | None, because: str) -> Iterator[str]:
    """The last night, and where it didn't do what nights are for, why."""
    if night is None:
        yield "Last night   none yet"
        return
    yield f"Last night   {night.id}: {night.outcome.value if night.outcome else 'cut off'}"
    if because and night.outcome not in {Outcome.IMPROVED, Outcome.NOTHING_NEW}:
        yield f"             {one_line(because, limit=200)}"
        yield "             more: skillopt-sleep report"


def _open_nights(
    nights: Sequence[NightLine], progress: Progress | None, *, running: bool, now: datetime
) -> Iterator[str]:
    """The night that runs and how far it is, or one that was cut off."""
    for night in nights:
        if night.closed:
            continue
        if progress and progress.night == night.id:
            first, *rest = shown(progress, now=now)
            yield f"Running      {first.removeprefix('Night ')}"
            yield from rest
        else:
            yield f"Running      {night.id}" if running else f"Unfinished   {night.id}: the next run goes on with it"


def _waiting(proposals: Sequence[Proposal]) -> Iterator[str]:
    """The proposals that nobody has decided on."""
    yield f"Waiting      {len(proposals) or 'no'} {'proposal' if len(proposals) == 1 else 'proposals'}"
    for proposal in proposals:
        touches = f"read twice ({proposal.touches}): " if proposal.touches else ""
        yield f"  {proposal.id}  {touches}{one_line(proposal.summary, limit=400)}"
    if proposals:
        yield f"Look at one: skillopt-sleep show {proposals[0].id}"


def report(
    night: Annotated[str, typer.Argument(help="A night's id; the last one where none is named.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Print a night's report."""
    from skillopt_sleep.stores.bank import WAITING

    with opened() as store:
        nights = store.nights()
        wanted = night or next((line.id for line in nights if line.closed), "")
        if not wanted:
            warn("no night has run yet: skillopt-sleep run --now")
            return
        found = store.report(wanted)
        waiting = store.bank.proposals(WAITING)
    if found is None:
        known = ", ".join(line.id for line in nights[:5])
        raise ConfigError(f"there is no report of night {wanted!r}", remedy=f"the last nights: {known}")
    if as_json:
        say_json(report_data(found))
        return
    from skillopt_sleep.reporters.morning import render

    say_markdown(render(found))
    told = {proposal.id for proposal in found.proposals}
    if not night and (others := sum(one.proposal.id not in told for one in waiting)):
        wait = "1 proposal of an earlier night waits" if others == 1 else f"{others} proposals of earlier nights wait"
        say(f"{wait} for you: skillopt-sleep status")
