"""Adopt, reject or snooze a proposal, or take the last two back."""

from collections.abc import Collection
from datetime import datetime

from skillopt_sleep.deciding.chosen import Chosen
from skillopt_sleep.deciding.happened import Adopted, Told
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.adopt import adopt as put_live
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, WAITING, WITHDRAWN
from skillopt_sleep.stores.sqlite import SqliteStore

LATER = "1d"  # so long a person who says "later" isn't asked


def adopt(store: SqliteStore, journal: Journal, one: Chosen, *, agreed: Plan | None, told: Told) -> None:
    """Put a proposal live; `agreed` is the merge with their own edits that the person saw.

    Raises ConfigError if it can't be adopted any more, and what `proposals.adopt` raises.
    """
    refuse_closed(one)
    done = put_live(one.folder, journal=journal, at=utc_now(), agreed=agreed)
    told(Adopted(one.decided.proposal, (done.path, *done.also), done.already))
    if not done.already or one.decided.state != ADOPTED:
        _decide(store, one.name, ADOPTED, leaving=(*OPEN, ADOPTED))


def refuse_closed(one: Chosen) -> None:
    """Raise ConfigError for a proposal that can't be adopted any more."""
    if one.decided.state == REJECTED:
        raise ConfigError(
            f"{one.name} was rejected", remedy=f"take that back: skillopt-sleep reject --undo {one.name}"
        )
    if one.decided.state == WITHDRAWN:
        raise ConfigError(
            f"{one.name} was withdrawn: {one.decided.reason}", remedy="only what waits or was undone can be adopted"
        )


def refuse_adopted(one: Chosen) -> None:
    """Raise ConfigError for a proposal that can't be rejected, since it is live."""
    if one.decided.state == ADOPTED:
        raise ConfigError(
            f"{one.name} is adopted, so nothing was rejected", remedy=f"first run: skillopt-sleep undo {one.name}"
        )


def refuse_not_rejected(one: Chosen) -> None:
    """Raise ConfigError for a proposal whose rejection can't be taken back, since there is none."""
    if one.decided.state != REJECTED:
        raise ConfigError(f"{one.name} is {one.decided.state}, not rejected", remedy="see: skillopt-sleep show")


def reject(store: SqliteStore, one: Chosen, *, reason: str = "") -> bool:
    """Turn a proposal down, so that it isn't tried again; return False if it was withdrawn already."""
    refuse_adopted(one)
    if one.decided.state == WITHDRAWN:
        return False
    _decide(store, one.name, REJECTED, reason=reason or one.decided.reason, leaving=(*OPEN, REJECTED))
    return True


def wait_again(store: SqliteStore, journal: Journal, one: Chosen) -> str:
    """Let a rejected proposal wait for a decision again, or be undone as before; return which of the two states."""
    refuse_not_rejected(one)
    proposal = one.decided.proposal
    entry = journal.get(one.name)
    is_undone = entry is not None and entry.is_for(proposal.id, proposal.path, proposal.result)
    state = UNDONE if is_undone else WAITING
    _decide(store, one.name, state, leaving=(REJECTED,))
    return state


def snooze(store: SqliteStore, one: Chosen, until: datetime | None) -> None:
    """Leave a proposal out of what waits until this time, or show it again if there is none."""
    if one.decided.state != WAITING:
        raise ConfigError(f"{one.name} is {one.decided.state}, not waiting", remedy="see: skillopt-sleep show")
    store.bank.snooze(one.name, until)


def _decide(store: SqliteStore, name: str, state: str, *, leaving: Collection[str], reason: str = "") -> None:
    if not store.bank.decide(name, state, at=utc_now(), reason=reason, leaving=leaving):
        raise ConfigError(
            f"another program decided on {name} in the meantime", remedy=f"see: skillopt-sleep show {name}"
        )
