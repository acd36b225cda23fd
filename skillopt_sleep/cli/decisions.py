"""Ask before a decision that merges, keep the bank and the journal in line, and say what a decision did."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import assert_never

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.deciding import stored
from skillopt_sleep.deciding.decide import Adopted, CanComeBack, Event
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.proposals.undo import Undone
from skillopt_sleep.proposals.written import diff
from skillopt_sleep.reporters.rule import cautions
from skillopt_sleep.stores.sqlite import SqliteStore

Act = Callable[[Mapping[str, Plan]], Sequence[SleepError]]


def consistent_journal(store: SqliteStore) -> AbstractContextManager[Journal]:
    """Lock the journal, finish what a crash left half done, update the bank, and yield the journal."""
    return stored.consistent_journal(store, damaged=_warn)


def _warn(error: SleepError) -> None:
    warn(visible(f"skillopt-sleep: {error.message} → {error.remedy}"))


def say_preview(preview: Plan) -> None:
    """Print what would change in each file."""
    for move in preview.moves:
        if move.new == move.old:
            say(f"{spelled(move.path)} stays as it is.")
        else:
            say(diff(move.path.lstrip("/"), move.old, move.new).rstrip("\n"))
    say("Nothing was written: this was a dry run.")


def with_consent(act: Act, *, yes: bool) -> None:
    """Act, ask about each merge with the person's own edits, and act again with those they agree to.

    Raises the last error that is left; the others are printed.
    """
    agreed: dict[str, Plan] = {}
    while True:
        errors = list(act(agreed))
        asked: dict[str, Plan] = {}
        for error in errors:
            if isinstance(error, MergeNeeded) and error.proposal not in agreed and _agrees(error, yes=yes):
                asked[error.proposal] = error.plan
        if not asked:
            break
        agreed |= asked
    for error in errors[:-1]:
        warn(f"skillopt-sleep: {error.message}\n  → {error.remedy}")
    if errors:
        raise errors[-1]


def confirmed(question: str, *, yes: bool, instead: str) -> None:
    """Return if the person says yes; ConfigError with what to run instead if nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError("can't ask for confirmation without a terminal", remedy=instead)
    typer.confirm(visible(question), abort=True)


def _agrees(error: MergeNeeded, *, yes: bool) -> bool:
    """Show how the files would change, and return whether the person agrees."""
    if not yes and not sys.stdin.isatty():
        return False
    say(f"You edited the rules in {' and '.join(map(spelled, error.plan.edited))} by hand. This would be written:")
    for move in error.plan.changing:
        say(diff(move.path.lstrip("/"), move.old, move.new).rstrip("\n"))
    return yes or typer.confirm("Write this?", default=False)


def say_event(event: Event) -> None:
    """Say in lines what happened."""
    match event:
        case Adopted():
            _say_adopted(event)
        case Undone():
            for path, state in event.files.items():
                say(f"Undid {event.proposal}: {spelled(path)} {state}")
            if event.folders_left:
                folder = spelled(event.folders_left[-1])
                say(f"  could not remove the empty folder {folder}; the next command tries again")
        case CanComeBack():
            say(f"  adopt it again: skillopt-sleep undo --redo {event.name}")
        case _:
            assert_never(event)


def _say_adopted(event: Adopted) -> None:
    proposal = event.proposal
    path = " and ".join(map(spelled, proposal.paths))
    if proposal.label:
        say(f"{proposal.id} is {proposal.label}")
    for line in cautions(proposal):
        say(f"Look twice: {visible(line)}")
    if event.already:
        say(f"{proposal.id} was already adopted: {path}")
    else:
        say(f"Adopted {proposal.id}: wrote {path}")
    say(f"  undo: skillopt-sleep undo {proposal.id}")
