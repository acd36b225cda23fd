"""Bring the bank in line with the journal of adoptions, which knows what is really live."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.versions import keep
from skillopt_sleep.settings import find_paths
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, SqliteBank
from skillopt_sleep.stores.sqlite import SqliteStore

# For a finished adoption: the proposal's state in the bank, and the outdated states it may still have there.
_OUTDATED = {
    AdoptionState.DONE: (ADOPTED, (WAITING, UNDONE, REJECTED)),
    AdoptionState.UNDONE: (UNDONE, (WAITING, ADOPTED)),
}


@contextmanager
def settled(store: SqliteStore, *, damaged: Callable[[SleepError], None]) -> Generator[Journal]:
    """Lock the journal, finish what a crash left half done, update the bank, and yield the journal.

    `damaged` is told of each entry that can't be read; it doesn't stop the others.
    """
    adoptions = find_paths().adoptions
    journal = Journal(adoptions)
    if not adoptions.exists() and not store.bank.proposals():
        yield journal  # nothing was ever staged, so there is nothing to settle, and nothing to create
        return
    with journal.held():
        journal.recover()
        keep(journal)
        for error in journal.damaged():
            damaged(error)
        _update_bank(store.bank, journal)
        yield journal
        keep(journal)


def _update_bank(bank: SqliteBank, journal: Journal) -> None:
    """Record decisions that a killed command or a full disk kept out of the bank."""
    entries = {entry.proposal: entry for entry in journal.entries()}
    for banked in bank.proposals():
        proposal = banked.proposal
        entry = entries.get(proposal.id)
        if entry is None or entry.state not in _OUTDATED:
            continue
        if not entry.is_for(proposal.id, proposal.path, proposal.result):
            continue
        state, leaving = _OUTDATED[entry.state]
        bank.decide(proposal.id, state, at=entry.undone or entry.adopted, leaving=leaving)
