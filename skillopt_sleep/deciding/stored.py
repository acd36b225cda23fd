"""Open the user's store, and bring it in line with the journal of adoptions, which knows what is really live."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.settings import Settings, find_paths, load
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, SqliteBank
from skillopt_sleep.stores.hooks import keep_waiting
from skillopt_sleep.stores.schema import UnusableStore
from skillopt_sleep.stores.sqlite import SqliteStore, empty_store, open_store, read_store

# For a finished adoption: the proposal's state in the bank, and the outdated states it may still have there.
_OUTDATED = {
    AdoptionState.DONE: (ADOPTED, (WAITING, UNDONE, REJECTED)),
    AdoptionState.UNDONE: (UNDONE, (WAITING, ADOPTED)),
}


@contextmanager
def opened(settings: Settings | None = None) -> Generator[SqliteStore]:
    """Open the store, and record the number of waiting proposals at the end."""
    paths = find_paths()
    store = open_store(settings or load(paths), paths)
    try:
        yield store
        keep_waiting(paths, store, at=utc_now())
    finally:
        store.close()


@contextmanager
def opened_to_read(settings: Settings | None = None) -> Generator[SqliteStore]:
    """Open the store for a command that only reads: where there is none, none is created."""
    paths = find_paths()
    if paths.database.exists():
        with opened(settings) as store:
            yield store
        return
    with read_store(settings or load(paths), paths) as store:
        yield store


@contextmanager
def opened_to_undo() -> Generator[SqliteStore]:
    """Open the store for an undo, which needs the journal only: an empty store stands in for an unusable one."""
    paths = find_paths()
    with ExitStack() as held:
        try:
            store = held.enter_context(opened_to_read())
        except UnusableStore:
            store = held.enter_context(empty_store(load(paths), paths))
        yield store


@contextmanager
def consistent_journal(store: SqliteStore, *, damaged: Callable[[SleepError], None]) -> Generator[Journal]:
    """Lock the journal, finish what a crash left half done, update the bank, and yield the journal.

    `damaged` is called for each entry that can't be read, which doesn't stop the others.
    """
    adoptions = find_paths().adoptions
    journal = Journal(adoptions)
    if not adoptions.exists() and not store.bank.proposals():
        yield journal  # nothing was ever staged, so there is nothing to settle, and nothing to create
        return
    with journal.held():
        journal.recover()
        for error in journal.damaged():
            damaged(error)
        _update_bank(store.bank, journal)
        yield journal


def _update_bank(bank: SqliteBank, journal: Journal) -> None:
    """Record decisions that a killed command or a full disk kept out of the bank."""
    entries = {entry.proposal: entry for entry in journal.entries()}
    for banked in bank.proposals():
        proposal = banked.proposal
        entry = entries.get(proposal.id)
        if entry is None or entry.state not in _OUTDATED or not entry.is_of(proposal):
            continue
        state, leaving = _OUTDATED[entry.state]
        bank.decide(proposal.id, state, at=entry.changed_at, leaving=leaving)
