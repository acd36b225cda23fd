"""The bank brought to where the journal of adoptions is: of the two, the journal knows what is live."""

from collections.abc import Generator
from contextlib import contextmanager

from skillopt_sleep.cli.console import warn
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.proposals.journal import AdoptionState, Journal
from skillopt_sleep.settings import find_paths
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, SqliteBank
from skillopt_sleep.stores.sqlite import SqliteStore

# What an ended adoption makes of a proposal in the bank, and in which states the bank is behind.
_BEHIND = {
    AdoptionState.DONE: (ADOPTED, (WAITING, UNDONE, REJECTED)),
    AdoptionState.UNDONE: (UNDONE, (WAITING, ADOPTED)),
}


@contextmanager
def settled(store: SqliteStore) -> Generator[Journal]:
    """The journal, held by this process alone, what a crash left half-way settled, and the bank at one with it.

    An adoption that can't be read is told of, and the others go on.
    """
    journal = Journal(find_paths().adoptions)
    with journal.held():
        journal.recover()
        for error in journal.damaged():
            warn(visible(f"skillopt-sleep: {error.message} → {error.remedy}"))
        _follow(store.bank, journal)
        yield journal


def _follow(bank: SqliteBank, journal: Journal) -> None:
    """Write down what a command that was killed, or that the disk refused, couldn't."""
    entries = {(entry.proposal, entry.path, entry.after): entry for entry in journal.entries()}
    for one in (found.proposal for found in bank.proposals()):
        entry = entries.get((one.id, one.path, one.result))
        if entry and entry.state in _BEHIND:
            state, leaving = _BEHIND[entry.state]
            bank.decide(one.id, state, at=entry.undone or entry.adopted, leaving=leaving)
