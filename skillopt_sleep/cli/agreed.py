"""Ask a person before their own edits are merged with ours, and show what a decision would write."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals.diff import diff
from skillopt_sleep.proposals.plan import MergeNeeded, Plan

Act = Callable[[Mapping[str, Plan]], Sequence[SleepError]]


class Preview:
    """The files that several decisions would write, one after the other, for a dry run."""

    def __init__(self) -> None:
        self._first: dict[Path, tuple[str, bytes | None]] = {}
        self.texts: dict[Path, bytes | None] = {}

    def add(self, plan: Plan) -> None:
        """Take the plan of the next decision, made for the texts so far."""
        for move in plan.moves:
            self._first.setdefault(move.target, (move.path, move.old))
        self.texts |= plan.texts

    def show(self) -> None:
        """Print what would change in each file."""
        for target, (path, old) in self._first.items():
            if self.texts[target] == old:
                say(f"{spelled(path)} stays as it is.")
            else:
                say(diff(path.lstrip("/"), old, self.texts[target]).rstrip("\n"))
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
    say(f"You edited the rules in {' and '.join(map(spelled, error.plan.edited))} by hand. Your lines stay:")
    for move in error.plan.changing:
        say(diff(move.path.lstrip("/"), move.old, move.new).rstrip("\n"))
    return yes or typer.confirm("Write this?", default=False)
