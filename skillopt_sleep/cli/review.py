"""The command `review`: go through what waits, and decide on one rule after the other."""

import os
import sys
import termios
import tty
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import BAD, BOLD, DIM, Part, say, say_json, say_next, say_row
from skillopt_sleep.cli.decide import adopt_named, postpone, reject
from skillopt_sleep.cli.decisions import consistent_journal
from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.cli.lazy import proposal_ids
from skillopt_sleep.cli.proposals import as_data, names_of_rules, read_rule, show_proposals
from skillopt_sleep.deciding import decide as rewording
from skillopt_sleep.deciding.decide import LATER
from skillopt_sleep.deciding.read import Waiting
from skillopt_sleep.deciding.stored import opened
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.proposals.divide import wording
from skillopt_sleep.records import Proof, Proposal
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.rule_page import changed, more, screen
from skillopt_sleep.reporters.status import OWN_WORDS, next_night_tests
from skillopt_sleep.settings import find_paths, load

_CTRL_C, _CTRL_D, _CTRL_Z = "\x03", "\x04", "\x1a"
KEYS = {"y": "yes", "n": "no", "e": "edit", "l": "later (a day)", "w": "why", "q": "quit"}
MEANINGS = {
    "y": "put it into the file; undo takes it out again",
    "n": "turn it down: the same change isn't tried again",
    "e": "put it into your own words, in your editor; it waits on, untested",
    "l": "ask again tomorrow",
    "w": "the statistics, and where you said it",
    "q": "stop here; what you decided stays decided",
}
_FROM_HERE = "<!-- Save and close"
_HELP = f"""
{_FROM_HERE} to keep your words; close without saving to keep the old ones. What is from this line on is left
out. {OWN_WORDS} -->
"""


@dataclass
class Tally:
    """The decisions made in a review."""

    adopted: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)


def review(
    proposals: Annotated[
        list[str] | None,
        typer.Argument(help="Proposals, as in P-0001; all that wait by default.", autocompletion=proposal_ids),
    ] = None,
    *,
    show: Annotated[
        bool, typer.Option("--show", help="Only show the proposals, decided or not, or list all.")
    ] = False,
    later: Annotated[
        str, typer.Option("--later", metavar="LENGTH", help="Ask about the named ones after this, as in 7d.")
    ] = "",
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="With --show, the statistics and sessions.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What waits, rule by rule, as JSON.")] = False,
) -> None:
    """Go through what waits, and say yes, no or later to each rule.

    A decision is done when you take it. Keys: y (yes), n (no), e (edit), l (ask again tomorrow), w (why), q (quit).
    """
    names = proposals or ()
    if later and (show or as_json):
        raise ConfigError("--later shows nothing", remedy="leave out --show and --json")
    if verbose and not show:
        raise ConfigError("--verbose says more of what --show shows", remedy="add --show, or leave it out")
    if later:
        postpone(names, later)
    elif show:
        show_proposals(names, verbose=verbose, as_json=as_json)
    elif as_json:
        say_json([as_data(waiting) for waiting in map(read_rule, names_of_rules(names)) if waiting])
    else:
        _go_through(names)


def _go_through(proposals: Sequence[str]) -> None:
    """Ask about each rule that waits, one after the other, until the person quits."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError(
            "review asks questions, so it needs a terminal",
            remedy="see the same with: skillopt-sleep review --json; decide with: adopt, reject or review --later",
        )
    names = names_of_rules(proposals)
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
        say((f"{number} of {len(names)}", DIM))
        say_blocks([*screen(waiting.rule)])
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
    """Adopt or reject a rule, or put it off."""
    name = waiting.proposal.id
    if key == "y":
        adopt_named([name], every=False, yes=False, dry_run=False)
        done.adopted.append(name)
    elif key == "n":
        reject([name], reason=input("Why not? (Enter for no reason) ").strip())
        done.rejected.append(name)
    else:
        postpone([name], LATER)
        done.later.append(name)


def _edited(waiting: Waiting) -> str:
    """Let the person edit a rule, and ask whether to test their words; return the id of what waits then, or "".

    Words of their own that they save unchanged are asked about again.
    """
    name = edited(waiting.proposal)
    own = name or (waiting.proposal.id if waiting.proposal.proof is Proof.EDITED else "")
    if own and typer.confirm("Test it again tonight?", default=False):
        test_again(own)
        say(next_night_tests(own))
    elif own:
        say(f"{own} stays untested. To have it tested after all, edit it (e) and save it as it is.")
    return name


def _go_on() -> bool:
    say(("Any key shows it again, q quits.", DIM))
    return read_key().lower() != "q"


def _say_why(waiting: Waiting) -> None:
    """Print what the screen leaves out: the numbers, the whole change, and the sessions in which it was said."""
    say("")
    say_blocks([*more(waiting.proposal, waiting.whole), *changed(waiting.rule.changes)])


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


def edited(proposal: Proposal) -> str:
    """Let the person edit the rule of a proposal; return the id of what waits in its place, "" if nothing changed."""
    text = wording(proposal)
    with in_editor(f"{proposal.id}.md", f"{text}\n{_HELP}") as path:
        if path is None:
            say("Nothing was changed.")
            return ""
        words = path.read_text(encoding="utf-8", errors="replace").partition(_FROM_HERE)[0].strip("\n")
        with opened() as store, consistent_journal(store):
            own = rewording.reword(store, proposal.id, words, settings=load(find_paths()))
    say(f"Your words wait as {own.id}, in place of {proposal.id}.")
    return own.id


def test_again(proposal: str) -> None:
    """Let the next night test the person's own words."""
    with opened() as store:
        rewording.test_again(store, proposal)


def read_key() -> str:
    """Wait for a key and return it, without Enter; raise EOFError or KeyboardInterrupt if the person ends it.

    What was typed before is dropped: a key pressed twice must not answer the next question too.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSAFLUSH)
        key = os.read(terminal, 1).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    if key == _CTRL_C:
        raise KeyboardInterrupt
    if key in {"", _CTRL_D, _CTRL_Z}:
        raise EOFError
    return key
