"""Adopt, reject, put off or reword a proposal, or take the second and third back."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.deciding.chosen import Chosen, named
from skillopt_sleep.errors import ConfigError, UnsafeEdit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.adopt import adopt as put_live
from skillopt_sleep.proposals.divide import reword as restage
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan
from skillopt_sleep.proposals.undo import Undone
from skillopt_sleep.records import Proof, Proposal
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, WAITING, WITHDRAWN
from skillopt_sleep.stores.sqlite import SqliteStore

# The states in which a proposal can be decided on so, and what to do first in another one.
_STATES = {
    "adopted": (*OPEN, ADOPTED),
    "undone": (ADOPTED,),
    "rejected": (*OPEN, REJECTED, WITHDRAWN),
    "brought back": (REJECTED,),
    "put off": (WAITING,),
}
_REMEDIES = {
    REJECTED: "take the rejection back: skillopt-sleep reject --undo {}",
    UNDONE: "adopt it again: skillopt-sleep undo --redo {}",
    ADOPTED: "first run: skillopt-sleep undo {}",
}
LATER = "1d"  # so long a person who says "later" isn't asked


class Adopted(NamedTuple):
    """A proposal is live in its files; `already` says that an earlier decision had written them."""

    proposal: Proposal
    already: bool


class CanComeBack(NamedTuple):
    """A proposal that was taken back is known, so that it can be adopted again."""

    name: str


# What a decision did. `on_event` is called as soon as the files are written, as the store may be full.
Event = Adopted | Undone | CanComeBack
OnEvent = Callable[[Event], None]


def adopt(store: SqliteStore, journal: Journal, one: Chosen, *, agreed: Plan | None, on_event: OnEvent) -> None:
    """Put a proposal live; `agreed` is the merge with their own edits that the person saw.

    Raises ConfigError if it can't be adopted any more, and what `proposals.adopt` raises.
    """
    refuse_unless(one, "adopted")
    is_new = put_live(one.folder, journal=journal, at=utc_now(), agreed=agreed)
    on_event(Adopted(one.decided.proposal, already=not is_new))
    if is_new or one.decided.state != ADOPTED:
        _decide(store, one.name, ADOPTED, leaving=_STATES["adopted"])


def refuse_unless(one: Chosen, can_be: str) -> None:
    """Raise ConfigError, with what to do, unless the proposal is in a state in which it can be decided on so."""
    state = one.decided.state
    if state in _STATES[can_be]:
        return
    because = f" ({one.decided.reason})" if state == WITHDRAWN else ""
    cant = " already" if state == can_be else f"{because}, so it can't be {can_be}"
    remedy = _REMEDIES.get(state, "see: skillopt-sleep review --show {}").format(one.name)
    raise ConfigError(f"{one.name} is {state}{cant}", remedy=remedy)


def reject(store: SqliteStore, one: Chosen, *, reason: str = "") -> bool:
    """Turn a proposal down, so that it isn't tried again; return False if it was withdrawn already."""
    refuse_unless(one, "rejected")
    if one.decided.state == WITHDRAWN:
        return False
    _decide(store, one.name, REJECTED, reason=reason or one.decided.reason, leaving=(*OPEN, REJECTED))
    return True


def wait_again(store: SqliteStore, journal: Journal, one: Chosen) -> str:
    """Let a rejected proposal wait for a decision again, or be undone as before; return which of the two states."""
    refuse_unless(one, "brought back")
    entry = journal.get(one.name)
    is_undone = entry is not None and entry.is_of(one.decided.proposal)
    state = UNDONE if is_undone else WAITING
    _decide(store, one.name, state, leaving=(REJECTED,))
    return state


def postpone(store: SqliteStore, one: Chosen, until: datetime | None) -> None:
    """Leave a proposal out of what waits until this time, or show it again if there is none."""
    refuse_unless(one, "put off")
    store.bank.postpone(one.name, until)


def _decide(store: SqliteStore, name: str, state: str, *, leaving: Collection[str], reason: str = "") -> None:
    if not store.bank.decide(name, state, at=utc_now(), reason=reason, leaving=leaving):
        raise ConfigError(
            f"another program decided on {name} in the meantime", remedy=f"see: skillopt-sleep review --show {name}"
        )


def reword(store: SqliteStore, name: str, words: str, *, settings: Settings) -> Proposal:
    """Return the proposal with these words, which waits untested in place of the one of this name."""
    if not words.strip():
        raise UnsafeEdit("there are no words left", remedy="to turn a rule down, say no")
    (one,) = named(store, name)
    own = restage(one.decided.proposal, one.folder, words, allowed=settings.guard.allow)
    store.bank.divide(one.name, (own,), at=utc_now(), because="you changed its words")
    return own


def test_again(store: SqliteStore, name: str) -> None:
    """Let the next night test the person's own words; ConfigError if they aren't waiting."""
    (one, *_) = named(store, name)
    if one.decided.state != WAITING or one.decided.proposal.proof is not Proof.EDITED:
        raise ConfigError(f"{name} has no words of yours that wait", remedy="see: skillopt-sleep review --show")
    store.bank.test_again([one.name], wanted=True)
