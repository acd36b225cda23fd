"""The command `review`: go through what waits, and decide on one rule after the other."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from skillopt_sleep.cli.console import (
    BAD,
    BOLD,
    DIM,
    Part,
    print_lines,
    say,
    say_all,
    say_json,
    say_next,
    say_row,
    stdout,
)
from skillopt_sleep.cli.decide import adopt_named, reject, snooze
from skillopt_sleep.cli.review_edited import edited, test_again
from skillopt_sleep.cli.review_read import as_data, names_of_rules, read_rule
from skillopt_sleep.cli.review_shown import not_shown, screen, whole_change
from skillopt_sleep.deciding.decide import LATER
from skillopt_sleep.deciding.read import Waiting
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.keys import read_key
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Proof
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.statistics import places, statistics

KEYS = {"y": "yes", "n": "no", "e": "edit", "l": "later (a day)", "w": "why", "q": "quit"}
MEANINGS = {
    "y": "put it into the file; undo takes it out again",
    "n": "turn it down: the same change isn't tried again",
    "e": "put it into your own words, in your editor; it waits on, untested",
    "l": "ask again tomorrow",
    "w": "the statistics, and where you said it",
    "q": "stop here; what you decided stays decided",
}


@dataclass
class Tally:
    """The decisions made in a review."""

    adopted: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)


def review(
    proposals: Annotated[
        list[str] | None, typer.Argument(help="Proposals, as in P-0001; all that wait by default.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print what waits, rule by rule, as JSON.")] = False,
) -> None:
    """Go through what waits, and say yes, no or later to each rule.

    A decision is done when you take it: stop whenever you like. The keys: y (yes) puts the rule into its file, n (no)
    turns it down, e (edit) opens it in your editor, l (later) asks again tomorrow, w (why) shows the statistics and
    where you said it, q (quit) stops.
    """
    if as_json:
        say_json([as_data(waiting) for waiting in map(read_rule, names_of_rules(proposals or ())) if waiting])
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError(
            "review asks questions, so it needs a terminal",
            remedy="see the same with: skillopt-sleep review --json; decide with: adopt, reject or snooze",
        )
    names = names_of_rules(proposals or ())
    if not names:
        say("No proposals are waiting.")
        return
    done = Tally()
    try:
        for number, name in enumerate(names, start=1):
            if not _decide(name, number, names, done):
                break
    except (EOFError, KeyboardInterrupt, typer.Abort):
        say("")
    _say_done(done, len(names))


def _decide(name: str, number: int, names: Sequence[str], done: Tally) -> bool:
    """Show a rule and do what the person wants with it; return False if they quit."""
    while True:
        waiting = read_rule(name)
        if waiting is None:
            say(f"{name} was decided on in the meantime.")
            return True
        say("")
        size = stdout().size
        print_lines(screen(waiting.rule, number=number, count=len(names), width=stdout().width, height=size.height))
        key = _answered(waiting)
        if key == "q":
            return False
        try:
            if key != "e":
                _do(key, waiting, done)
                return True
            name = _edited(waiting) or name
        except SleepError as error:
            say((sentence(error.message), BAD))
            if error.remedy:
                say_row("  → ", error.remedy, width=4)
            if not _go_on():
                return False


def _answered(waiting: Waiting) -> str:
    """Return the person's key; `why` is answered at once, as often as they like."""
    while True:
        key = _asked()
        if key != "w":
            return key
        _say_why(waiting)


def _asked() -> str:
    """Show the keys and wait for one; any other shows what each of them does."""
    parts: list[Part] = []
    for key, meaning in KEYS.items():
        parts += [(key, BOLD), f" {meaning}   "]
    say("")
    while True:
        say(*parts)
        key = read_key().lower()
        if key in KEYS:
            return key
        for name, meaning in MEANINGS.items():
            say_row(f"{name}  ", meaning, width=3)


def _do(key: str, waiting: Waiting, done: Tally) -> None:
    """Adopt, reject or snooze a rule."""
    name = waiting.proposal.id
    if key == "y":
        adopt_named([name], every=False, yes=False, dry_run=False)
        done.adopted.append(name)
    elif key == "n":
        reject([name], reason=input("Why not? (Enter for no reason) ").strip())
        done.rejected.append(name)
    else:
        snooze([name], for_=LATER)
        done.later.append(name)


def _edited(waiting: Waiting) -> str:
    """Let the person edit a rule, and ask whether to test their words; return the id of what waits then, or "".

    Words of their own that they save unchanged are asked about again.
    """
    name = edited(waiting.proposal)
    own = name or (waiting.proposal.id if waiting.proposal.proof is Proof.EDITED else "")
    if own and typer.confirm("Test it again tonight?", default=False):
        test_again(own)
        say(f"The next night tests {own} again. It stays untested until then, and you decide.")
    elif own:
        say(f"{own} stays untested. To have it tested after all, edit it (e) and save it as it is.")
    return name


def _go_on() -> bool:
    say(("Any key shows it again, q quits.", DIM))
    return read_key().lower() != "q"


def _say_why(waiting: Waiting) -> None:
    """Print what the screen leaves out: the numbers, the rest of a change, and the sessions in which it was said."""
    proposal, width = waiting.proposal, stdout().width
    say("")
    say_all(statistics(proposal, waiting.whole))
    if proposal.pair:
        say(proposal.pair)
    if proposal.doubt:
        say(f"Note that {proposal.doubt}.")
    for change in not_shown(waiting.rule, width):
        say("")
        print_lines(whole_change(change, width))
    for line in places(proposal):
        say((line, DIM))


def _say_done(done: Tally, count: int) -> None:
    """Say what was decided, what is left, and the way back."""
    decided = len(done.adopted) + len(done.rejected) + len(done.later)
    say("")
    say(
        (f"{len(done.adopted)} adopted, {len(done.rejected)} rejected, {len(done.later)} for later", BOLD),
        f"; {counted(count - decided, 'rule')} left to decide." if count > decided else ".",
    )
    if done.adopted:
        say_next(f"skillopt-sleep undo {' '.join(done.adopted)}", label="Take back")
    if done.rejected:
        say_next(f"skillopt-sleep reject --undo {' '.join(done.rejected)}", label="Take back")
    if count > decided:
        say_next("skillopt-sleep review")
