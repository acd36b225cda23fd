"""The commands `status` and `report`: the last night, the next one, and what waits for a decision."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from skillopt_sleep.cli.console import say, say_json, say_markdown, warn
from skillopt_sleep.cli.daemon_shown import daemon_data, daemon_lines, first_step
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.cli.text import counted
from skillopt_sleep.cli.watch import shown, watch_night
from skillopt_sleep.errors import ConfigError, Exit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.records import NightReport, Outcome, Proposal, report_data
from skillopt_sleep.settings import Paths, Settings, find_paths, load
from skillopt_sleep.stores.progress import Progress, read_progress
from skillopt_sleep.stores.sqlite import NightLine


class _Status(NamedTuple):
    """The data that `status` shows.

    `running` is whether a night runs, even if its `progress` isn't known. `because` is the reason of the last night's
    outcome, and `prompts` the number of hand-off prompts without an answer.
    """

    nights: Sequence[NightLine]
    waiting: Sequence[Proposal]
    progress: Progress | None
    running: bool
    because: str
    prompts: int

    @property
    def last(self) -> NightLine | None:
        """The last night that has ended."""
        return _last_closed(self.nights)

    @property
    def unfinished(self) -> list[str]:
        """The ids of nights that run or were cut off."""
        return [night.id for night in self.nights if not night.closed]


def _last_closed(nights: Iterable[NightLine]) -> NightLine | None:
    """Return the last night that has ended; the nights come newest first."""
    for night in nights:
        if night.closed:
            return night
    return None


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
    settings, problem = _settings(paths)
    current = _read(paths, settings)
    if as_json:
        say_json(_data(current, daemon_data(paths, now=now), problem))
    else:
        for line in _lines(current, paths, settings, problem, now=now):
            say(line)
    if problem:
        raise typer.Exit(Exit.USAGE)
    if exit_code and current.waiting:
        raise typer.Exit(Exit.WAITING)


def _settings(paths: Paths) -> tuple[Settings, str]:
    """Return the settings and ""; if they are invalid, the defaults and the reason, so that status still works."""
    try:
        return load(paths), ""
    except ConfigError as error:
        return Settings(), f"{error.message} → {error.remedy}"


def _read(paths: Paths, settings: Settings) -> _Status:
    from skillopt_sleep.cli.settled import settled
    from skillopt_sleep.stores.bank import WAITING

    with opened(settings) as store, settled(store):
        nights = store.nights()
        waiting = [banked.proposal for banked in store.bank.proposals(WAITING)]
        progress = read_progress(paths.data)
        running = progress is not None or store.is_running()
        last = _last_closed(nights)
        report = store.report(last.id) if last else None
    unfinished = any(not night.closed for night in nights)
    return _Status(
        nights=nights,
        waiting=waiting,
        progress=progress,
        running=running,
        because=report.because if report else "",
        # Prompts that a finished night left behind needn't be answered.
        prompts=_open_prompts(paths.data) if unfinished else 0,
    )


def _open_prompts(data: Path) -> int:
    """Return how many hand-off prompts have no answer yet."""
    if not (data / "handoff").exists():
        return 0
    from skillopt_sleep.backends.handoff import waiting

    return waiting(data / "handoff")


def _waiting_data(proposal: Proposal) -> dict[str, object]:
    return {
        "id": proposal.id,
        "document": proposal.document,
        "proof": proposal.proof,
        "summary": proposal.summary,
        "warnings": proposal.warnings,
    }


def _data(current: _Status, daemon: dict[str, object], problem: str) -> dict[str, object]:
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


def _lines(current: _Status, paths: Paths, settings: Settings, problem: str, *, now: datetime) -> Iterator[str]:
    if problem:
        yield f"Settings     invalid: {visible(problem)}"
    yield from _last_night(current.last, current.because)
    yield from _open_nights(current, now=now)
    if current.prompts:
        folder = paths.data / "handoff" / "open"
        yield f"             {counted(current.prompts, 'prompt')} waiting for an answer in {folder}"
    yield from daemon_lines(paths, now=now)
    yield from _waiting(current.waiting)
    step = "" if current.nights else first_step(paths, settings)
    if step:
        yield f"Begin with   {step}"


def _last_night(night: NightLine | None, because: str) -> Iterator[str]:
    """Yield the last night's outcome, and the reason unless it went as planned."""
    if night is None:
        yield "Last night   none yet"
        return
    outcome = night.outcome.value if night.outcome else "cut off"
    yield f"Last night   {night.id}: {outcome}"
    if because and night.outcome not in {Outcome.IMPROVED, Outcome.NOTHING_NEW}:
        yield f"             {one_line(because, limit=200)}"
        yield "             more: skillopt-sleep report"


def _open_nights(current: _Status, *, now: datetime) -> Iterator[str]:
    """Yield the running night and its progress, or a night that was cut off."""
    for night in current.unfinished:
        if current.progress and current.progress.night == night:
            first, *rest = shown(current.progress, now=now)
            yield f"Running      {first.removeprefix('Night ')}"
            yield from rest
        elif current.running:
            yield f"Running      {night}"
        else:
            yield f"Unfinished   {night}: the next run resumes it"


def _waiting(proposals: Sequence[Proposal]) -> Iterator[str]:
    """Yield the proposals that nobody has decided on."""
    if not proposals:
        yield "Waiting      no proposals"
        return
    yield f"Waiting      {counted(len(proposals), 'proposal')}"
    for proposal in proposals:
        caution = f"read twice ({proposal.touches}): " if proposal.touches else ""
        label = f"{proposal.label}: " if proposal.label else ""
        yield f"  {proposal.id}  {label}{caution}{one_line(proposal.summary, limit=400)}"
    yield f"Look at one: skillopt-sleep show {proposals[0].id}"


def report(
    night: Annotated[str, typer.Argument(help="A night's id; the last night by default.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Print a night's report."""
    from skillopt_sleep.stores.bank import WAITING

    with opened() as store:
        nights = store.nights()
        last = _last_closed(nights)
        wanted = night or (last.id if last else "")
        if not wanted:
            warn("No night has run yet. Run one: skillopt-sleep run")
            return
        stored = store.report(wanted)
        waiting = [banked.proposal for banked in store.bank.proposals(WAITING)]
    if stored is None:
        known = ", ".join(line.id for line in nights[:5])
        raise ConfigError(f"there is no report of night {wanted!r}", remedy=f"the last nights: {known}")
    if as_json:
        say_json(report_data(stored))
        return
    from skillopt_sleep.reporters.morning import render

    say_markdown(render(stored))
    if not night:
        _say_earlier(waiting, stored)


def _say_earlier(waiting: Sequence[Proposal], last: NightReport) -> None:
    """Say how many proposals of earlier nights are waiting, if any."""
    reported = {proposal.id for proposal in last.proposals}
    count = 0
    for proposal in waiting:
        if proposal.id not in reported:
            count += 1
    if count == 1:
        say("1 proposal of an earlier night is waiting for you: skillopt-sleep status")
    elif count:
        say(f"{count} proposals of earlier nights are waiting for you: skillopt-sleep status")
