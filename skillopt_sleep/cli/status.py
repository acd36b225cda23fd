"""The command `status`: the last night, the next one, and what waits for a decision."""

from typing import Annotated

import typer

from skillopt_sleep.cli.console import say_json
from skillopt_sleep.cli.status_shown import Status, last_closed, show_status
from skillopt_sleep.cli.watch import watch_night
from skillopt_sleep.daemon.shown import daemon_data
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import Exit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Proposal
from skillopt_sleep.settings import Paths, Settings, find_paths, load_or_defaults
from skillopt_sleep.stores.progress import read_progress


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 10 if proposals are waiting.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="First follow the running night until it ends.")] = False,
) -> None:
    """Show the last night, the next one, and the proposals waiting for you."""
    paths = find_paths()
    if watch:
        watch_night(paths.data)
    now = utc_now()
    settings, problem = load_or_defaults(paths)
    current = _read(paths, settings)
    if as_json:
        say_json(_data(current, daemon_data(paths, now=now), problem))
    else:
        show_status(current, paths, settings, problem, now=now)
    if problem:
        raise typer.Exit(Exit.USAGE)
    if exit_code and current.waiting:
        raise typer.Exit(Exit.WAITING)


def _read(paths: Paths, settings: Settings) -> Status:
    from skillopt_sleep.cli.settled import settled

    with opened_to_read(settings) as store, settled(store):
        nights = store.nights()
        to_decide = store.bank.to_decide(utc_now())
        waiting = [banked.proposal for banked in to_decide]
        snoozed = store.bank.snoozed(utc_now())
        again = {banked.proposal.id for banked in to_decide if banked.again}
        progress = read_progress(paths.data)
        running = progress is not None or store.is_running()
        last = last_closed(nights)
        report = store.report(last.id) if last else None
    unfinished = any(not night.closed for night in nights)
    return Status(
        nights=nights,
        waiting=waiting,
        progress=progress,
        running=running,
        again=again,
        snoozed=snoozed,
        because=report.because if report else "",
        # Prompts that a finished night left behind needn't be answered.
        prompts=len(list(paths.handoff.glob("open/*.md"))) if unfinished else 0,
    )


def _waiting_data(proposal: Proposal) -> dict[str, object]:
    return {
        "id": proposal.id,
        "document": proposal.document,
        "proof": proposal.proof,
        "label": proposal.label,
        "summary": proposal.summary,
        "warnings": proposal.warnings,
    }


def _data(current: Status, daemon: dict[str, object], problem: str) -> dict[str, object]:
    last_night: dict[str, object] | None = None
    last = current.last
    if last is not None:
        last_night = {
            "night": last.id,
            "closed": last.closed,
            "verdict": last.outcome,
            "because": current.because,
        }
    return {
        "schema_version": 1,
        "last_night": last_night,
        "waiting": list(map(_waiting_data, current.waiting)),
        "running": current.running,
        "progress": current.progress,
        "unfinished": current.unfinished,
        "prompts": current.prompts,
        "daemon": daemon,
        "settings_error": problem or None,
    }
