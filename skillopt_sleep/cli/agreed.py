"""Ask a person before their own edits are merged with ours, and show what a decision would write."""

import sys
from collections.abc import Callable, Mapping, Sequence

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.deciding.preview import Preview
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.proposals.diff import diff
from skillopt_sleep.proposals.plan import MergeNeeded, Plan

Act = Callable[[Mapping[str, Plan]], Sequence[SleepError]]


def say_preview(preview: Preview) -> None:
    """Print what would change in each file."""
    for change in preview.changes():
        if change.new == change.old:
            say(f"{spelled(change.path)} stays as it is.")
        else:
            say(diff(change.path.lstrip("/"), change.old, change.new).rstrip("\n"))
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
