"""Say all of a rule on its page: what it is decided by, what was decided on it, and the button that goes on."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.deciding.read import Seen, digest_of, shown_of
from skillopt_sleep.errors import ProposalError
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.pages.blocks import Block, Link, Sentence
from skillopt_sleep.proposals.divide import wording
from skillopt_sleep.records import Proof, Proposal
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.recurrence import SHARPEN, by_week, since_adoption
from skillopt_sleep.reporters.rule_page import changed, first_screen, staged_change
from skillopt_sleep.reporters.status import happened, is_put_off, notes, status
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, Decided
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.site import file_at

UNDO, WAIT, WAKE, TEST = "undo", "wait", "wake", "test"


class Button(NamedTuple):
    """A form that takes a decision back or goes on from it: its address, its button, and what that does.

    `shown` tells whether the decision is still the one on the page.
    """

    action: str
    label: str
    does: str
    shown: str


class Notice(NamedTuple):
    """What happened to a rule, and the button that takes it back; the text goes on with the files that were written.

    Each file has the address of its page.
    """

    text: str
    link: str
    files: tuple[tuple[str, str], ...] = ()
    button: Button | None = None


class Card(NamedTuple):
    """A rule and what can be done with it.

    `state` is what was decided, "" if nothing was, and `button` takes that back. `shown` tells whether the rule is
    still as on this page. One that `waits` can be adopted and rejected, with a `wording` edited, and with `later` put
    off. `part_of` is the proposal that it isn't divided from yet, None if it is a proposal of its own.
    """

    proposal: Proposal
    state: str
    waits: bool
    later: bool
    button: Button | None
    shown: str
    blocks: tuple[Block, ...]
    wording: str
    part_of: Proposal | None


def card_of(seen: Seen, *, now: datetime) -> Card:
    """Return the card of a proposal."""
    decided, waiting = seen.decided, seen.waiting
    proposal, whole = waiting.proposal, waiting.whole
    waits, put_off = decided.state in OPEN, is_put_off(decided, now=now)
    return Card(
        proposal=proposal,
        state=sentence(status(decided, now=now)) if not waits or decided.state == UNDONE or put_off else "",
        waits=waits,
        later=waits and decided.state != UNDONE and not put_off,
        button=button_of(decided, now=now),
        shown=shown_of(waiting),
        blocks=tuple(_blocks(seen)),
        wording=_wording(proposal) if waits else "",
        part_of=whole if whole.id != proposal.id and waiting.divides else None,
    )


def _blocks(seen: Seen) -> Iterator[Block]:
    """Yield what the rule is decided by, its change, and where all that is known of it is."""
    rule = seen.waiting.rule
    yield from first_screen(rule)
    for line in notes(seen.decided):
        yield Sentence(line, "soft")
    for one in seen.since:
        yield from since_adoption(one)
        if one.since.times:
            yield Sentence(SHARPEN)
        yield from by_week(one)
    yield from islice(changed(rule.changes), 1)  # the other files change alike, and the page of all shows them
    yield Sentence("", link=Link("All that was said, answered, measured and changed", f"/inbox/{rule.id}/all"))
    if not rule.changes:
        yield from staged_change(seen.staged)


def _wording(proposal: Proposal) -> str:
    try:
        return wording(proposal)
    except ProposalError:
        return ""


def notice_of(store: SqliteStore, name: str, *, now: datetime) -> Notice | None:
    """Say what was done with a proposal, as the store knows it; None if it knows none of this name."""
    found = [one for one in store.bank.family(name) if one.proposal.id == name]
    if not found:
        return None
    (decided,) = found
    adopted = decided.proposal.paths if decided.state == ADOPTED else ()
    files = tuple((home_path(path), file_at(Path(path))) for path in adopted)
    return Notice(happened(decided, now=now), name, files, button_of(decided, now=now))


def button_of(decided: Decided, *, now: datetime) -> Button | None:
    """Return the button that takes back what was decided, or that has own words tried; None if there is none."""
    seen = state_shown(decided)
    if decided.state == ADOPTED:
        return Button(UNDO, "Undo", "takes it out of the file again", seen)
    if decided.state == REJECTED:
        return Button(WAIT, "Let it wait again", "takes the rejection back", seen)
    if is_put_off(decided, now=now):
        return Button(WAKE, "Ask me now", "lets it wait today", seen)
    if decided.state in OPEN and decided.proposal.proof is Proof.EDITED and not decided.again:
        return Button(TEST, "Test them next night", "your words are untested", seen)
    return None


def state_shown(decided: Decided) -> str:
    """Return what tells whether a decision is still the one that was shown."""
    until = decided.until.isoformat() if decided.until else ""
    return digest_of((decided.proposal.id, decided.state, decided.decided, decided.reason, until, decided.again))


def every_decision(store: SqliteStore, *, now: datetime) -> list[Decided]:
    """Return what the person decided: what was put off first, then the latest decision first."""
    put_off = sorted(store.bank.postponed(now), key=lambda one: one.until or now)
    decided = sorted(store.bank.proposals(ADOPTED, REJECTED, UNDONE), key=_moment, reverse=True)
    return [*put_off, *decided]


def _moment(decided: Decided) -> float:
    return datetime.fromisoformat(decided.decided).timestamp() if decided.decided else 0.0


def decided_line(decided: Decided, *, now: datetime) -> tuple[Proposal, str, Button | None]:
    """Return a rule in the list of decisions: what was decided on it, and the button that goes on from there."""
    return decided.proposal, sentence(status(decided, now=now)), button_of(decided, now=now)
