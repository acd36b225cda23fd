"""Show the status on one screen: the last night, the next one, what waits, and the next step."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, NAME, say_next, say_row
from skillopt_sleep.cli.watch import shown
from skillopt_sleep.daemon.shown import daemon_rows, first_step
from skillopt_sleep.kit.clock import shown as clock_words
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import counted, when
from skillopt_sleep.records import CUT_SHORT, OUTCOMES, Outcome, Proposal
from skillopt_sleep.reporters.cards import in_order, wording
from skillopt_sleep.reporters.gains import sentence, shown_gain
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.bank import Decided
from skillopt_sleep.stores.progress import Progress
from skillopt_sleep.stores.sqlite import NightLine


class Status(NamedTuple):
    """The data that `status` shows.

    `running` is whether a night runs, even if its `progress` isn't known. `because` is the reason of the last night's
    outcome, and `prompts` the number of hand-off prompts that wait. The next night tests those in `again`, and those
    in `snoozed` wait unseen.
    """

    nights: Sequence[NightLine]
    waiting: Sequence[Proposal]
    progress: Progress | None
    running: bool
    because: str
    prompts: int
    again: Collection[str] = ()
    snoozed: Sequence[Decided] = ()

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
    for night in nights:
        if night.closed:
            return night
    return None


def show_status(current: Status, paths: Paths, settings: Settings, problem: str, *, now: datetime) -> None:
    """Print the status; `problem` says what is wrong with the settings, "" if nothing is."""
    if problem:
        say_row("Settings", ("✗ ", BAD), problem)
    _show_last(current.last, current.because, now=now)
    _show_open(current, now=now)
    if current.prompts:
        say_row("", f"{counted(current.prompts, 'prompt')} waiting in {paths.handoff / 'open'}")
        say_row("", f"how to go on: {paths.handoff / 'README.md'}")
    for label, text in daemon_rows(paths, now=now):
        say_row(label, text)
    _show_waiting(current.waiting, current.again)
    _show_snoozed(current.snoozed)
    step = "" if current.nights else first_step(paths, settings)
    if current.waiting:
        say_next("skillopt-sleep review")
    elif step:
        say_next(step, label="Begin with")


def _show_last(night: NightLine | None, because: str, *, now: datetime) -> None:
    """Print the last night's outcome, and the reason unless it went as planned."""
    if night is None:
        say_row("Last night", "none yet")
        return
    outcome = "cut off"
    style = CAREFUL
    if night.outcome:
        outcome = OUTCOMES[night.outcome]
        style = GOOD if night.outcome is Outcome.IMPROVED else ""
        style = BAD if night.outcome in CUT_SHORT else style
    say_row("Last night", f"{when(night.started, now)}: ", (outcome, style), (f"  ({night.id})", DIM))
    if because and night.outcome is not Outcome.IMPROVED:
        say_row("", one_line(because, limit=200))
        say_row("", "more: skillopt-sleep report")


def _show_open(current: Status, *, now: datetime) -> None:
    """Print the running night and its progress, or a night that was cut off."""
    for night in current.unfinished:
        if current.progress and current.progress.night == night:
            first, *rest = shown(current.progress, now=now)
            say_row("Running", first.removeprefix("Night "))
            for line in rest:
                say_row("", line)
        elif current.running:
            say_row("Running", night)
        else:
            say_row("Unfinished", f"{night}: the next run resumes it")


def _show_snoozed(asleep: Sequence[Decided]) -> None:
    """Print until when each snoozed proposal sleeps."""
    for entry in asleep:
        name = entry.proposal.id
        until = clock_words(entry.until) if entry.until else ""
        say_row("Snoozed", (name, NAME), f" until {until}; show it again: skillopt-sleep snooze --undo {name}")


def _show_waiting(proposals: Sequence[Proposal], again: Collection[str]) -> None:
    """Print the proposals that nobody has decided on."""
    if not proposals:
        say_row("Waiting", "no proposals")
        return
    say_row("Waiting", (counted(len(proposals), "proposal"), BOLD))
    for proposal in in_order(proposals):
        where = " and ".join(spelled(file.document) for file in proposal.files)
        say_row(
            "  - ",
            f"{quoted(proposal)} → ",
            (where, NAME),
            f". {_known_of(proposal, again)} ",
            (f"({proposal.id})", DIM),
            width=4,
        )


def quoted(proposal: Proposal) -> str:
    """Return the rule of a proposal in quotes, of several the first and how many more there are."""
    if not proposal.edits:
        return one_line(proposal.summary, limit=400)
    first, *others = proposal.edits
    alone = one_line(wording(replace(proposal, edits=(first,))), limit=400)
    words, what = alone.removeprefix("Remove: "), "remove " if alone.startswith("Remove: ") else ""
    more = f" and {counted(len(others), 'more rule')}" if others else ""
    return f"{what}«{words}»{more}"


def _known_of(proposal: Proposal, again: Collection[str]) -> str:
    """Return in sentences what shows that a proposal helps, and what should be known of it."""
    said = list(shown_gain(proposal)[:1])
    if proposal.touches:
        said.append(f"Look twice ({proposal.touches}).")
    tested = "tested tonight" if proposal.id in again else ""
    known = "; ".join(words for words in (proposal.label, tested) if words)
    if known:
        said.append(sentence(known))
    return " ".join(said)
