"""The command `status`: the last night, the next one, and what waits for a decision."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import typer

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, say_json, say_next, say_row
from skillopt_sleep.daemon.status import daemon_data, daemon_rows, first_step
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import Exit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, length, when
from skillopt_sleep.records import CUT_SHORT, OUTCOMES, Outcome, Recurrence, ended
from skillopt_sleep.reporters.recurrence import so_far, told_of
from skillopt_sleep.reporters.rule import in_order
from skillopt_sleep.reporters.status import in_a_line, overtaken
from skillopt_sleep.reporters.underway import spending, time_left
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.settings import Paths, Settings, find_paths, load_or_defaults
from skillopt_sleep.stores.bank import Decided
from skillopt_sleep.stores.running import Progress, read_progress
from skillopt_sleep.stores.sqlite import NightLine

MOST_ADOPTED = 3  # adopted rules of which is said whether it stopped


class Status(NamedTuple):
    """The data that `status` shows.

    `running` is whether a night runs, even if its `progress` isn't known. `ended` is how the last night ended, in
    words, `because` the reason, and `prompts` the number of hand-off prompts that wait. Those in `postponed` wait
    unseen. `adopted` says of each adopted rule's lesson how often it was corrected before and since. The last night
    began instead of going on with the one that is `overtaken`.
    """

    nights: Sequence[NightLine]
    waiting: Sequence[Decided]
    progress: Progress | None
    running: bool
    because: str
    prompts: int
    ended: str = ""
    postponed: Sequence[Decided] = ()
    adopted: Sequence[Recurrence] = ()
    overtaken: str = ""

    @property
    def last(self) -> NightLine | None:
        """The last night that has ended."""
        return last_closed(self.nights)

    @property
    def unfinished(self) -> list[str]:
        """The ids of nights that run or were cut off."""
        return [night.id for night in self.nights if not night.closed]


def last_closed(nights: Iterable[NightLine]) -> NightLine | None:
    """Return the last night that has ended; the nights come newest first."""
    return next((night for night in nights if night.closed), None)


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 10 if proposals are waiting.")] = False,
) -> None:
    """Show the last night, the next one, and the proposals waiting for you."""
    paths = find_paths()
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
    from skillopt_sleep.cli.decisions import consistent_journal

    with opened_to_read(settings) as store, consistent_journal(store):
        nights = store.nights()
        waiting = store.bank.to_decide(utc_now())
        postponed = store.bank.postponed(utc_now())
        progress = read_progress(paths.data)
        running = progress is not None or store.is_running()
        last = last_closed(nights)
        report = store.report(last.id) if last else None
        recurring = store.recurrences()
        before = [night for night in nights if night.closed][1:2]
        left = [night.id for night in before if night.outcome is Outcome.INTERRUPTED and not store.report(night.id)]
    unfinished = any(not night.closed for night in nights)
    return Status(
        nights=nights,
        waiting=waiting,
        progress=progress,
        running=running,
        postponed=postponed,
        adopted=told_of(recurring.values()),
        overtaken="".join(left),
        ended=ended(report) if report else "",
        because=report.because if report else "",
        # Prompts that a finished night left behind needn't be answered.
        prompts=len(list(paths.handoff.glob("open/*.md"))) if unfinished else 0,
    )


def show_status(current: Status, paths: Paths, settings: Settings, problem: str, *, now: datetime) -> None:
    """Print the status; `problem` says what is wrong with the settings, "" if nothing is."""
    if problem:
        say_row("Settings", ("✗ ", BAD), problem)
    _show_last(current, now=now)
    if current.overtaken:
        say_row("Not ended", overtaken(current.overtaken))
    for night in current.unfinished:
        for label, line in _open(night, current, now=now):
            say_row(label, line)
    if current.prompts:
        say_row("", f"{counted(current.prompts, 'prompt')} waiting in {paths.handoff / 'open'}")
        say_row("", f"how to go on: {paths.handoff / 'README.md'}")
    for label, text in daemon_rows(paths, now=now):
        say_row(label, text)
    say_row("Waiting", (counted(len(current.waiting), "proposal") if current.waiting else "no proposals", BOLD))
    known = {decided.proposal.id: decided for decided in (*current.waiting, *current.postponed)}
    for proposal in in_order([decided.proposal for decided in known.values()]):
        line = in_a_line(known[proposal.id], now=now)
        say_row("  - ", f"{line} ", (f"({proposal.id})", DIM), width=4)
    _show_adopted(current.adopted)
    step = "" if current.nights else first_step(paths, settings)
    if current.waiting:
        say_next("skillopt-sleep review")
    elif step:
        say_next(step, label="Begin with")


def _show_adopted(adopted: Sequence[Recurrence]) -> None:
    """Print whether it stopped, for the first of these rules."""
    for one in adopted[:MOST_ADOPTED]:
        say_row("Adopted" if one is adopted[0] else "", f"{so_far(one)} ", (f"({one.proposal})", DIM))
    if adopted[MOST_ADOPTED:]:
        say_row("", f"and {counted(len(adopted) - MOST_ADOPTED, 'more rule')}: skillopt-sleep why RULE")


def _show_last(current: Status, *, now: datetime) -> None:
    """Print the last night's outcome, and the reason unless it went as planned."""
    night, because = current.last, current.because
    if night is None:
        say_row("Last night", "none yet")
        return
    outcome = "cut off"
    style = CAREFUL
    if night.outcome:
        outcome = current.ended or OUTCOMES[night.outcome]
        style = GOOD if night.outcome is Outcome.IMPROVED else ""
        style = BAD if night.outcome in CUT_SHORT else style
    say_row("Last night", f"{when(night.started, now)}: ", (outcome, style), (f"  ({night.id})", DIM))
    if because and night.outcome is not Outcome.IMPROVED:
        say_row("", one_line(because, limit=200))
        say_row("", "more: skillopt-sleep report")


def _open(night: str, current: Status, *, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield how far a running night is, or that one was cut off, each line with its label."""
    progress = current.progress
    if not current.running:
        yield "Unfinished", f"{night}: the next run resumes it"
    elif progress is None or progress.night != night:
        yield "Running", night
    else:
        passed = filter(None, (length(now - progress.started), time_left(progress, now=now)))
        yield "Running", f"{night}, {', '.join(passed)}: {spending(progress)}"
        for stage in progress.stages:
            yield "", f"{one_line(stage_words(stage.label), limit=80)}  {stage.done}/{stage.total}"


def proposal_data(decided: Decided) -> dict[str, object]:
    """Return a proposal and what became of it as data."""
    proposal = decided.proposal
    return {
        "id": proposal.id,
        "state": decided.state,
        "version": proposal.version,
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
        "adopted": current.adopted,
        "overtaken": current.overtaken or None,
        "waiting": [proposal_data(decided) for decided in current.waiting],
        "running": current.running,
        "progress": current.progress,
        "unfinished": current.unfinished,
        "prompts": current.prompts,
        "daemon": daemon,
        "settings_error": problem or None,
    }
