"""Bring the bank in line with the journal of adoptions, which knows what is really live."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from skillopt_sleep.errors import ProposalError, SleepError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal, moved
from skillopt_sleep.proposals.plan import is_held
from skillopt_sleep.proposals.stage import RECORD
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

    `damaged` is told of each entry that can't be read, which doesn't stop the others, and of projects that moved.
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
        with suppress(FileNotFoundError):  # a folder that is gone
            for root, folder in follow(store, journal, Path.cwd()).items():
                moved_there = f"{root} is gone and {folder} holds its rules, so it is taken as moved there"
                damaged(ProposalError(moved_there, remedy="from now on undo and redo change the files there"))
        yield journal
        keep(journal)


def follow(store: SqliteStore, journal: Journal, place: Path) -> dict[str, Path]:
    """Move what is known of a project whose folder is gone to this folder, or one above it, if it holds its rules.

    Returns the new folder of each that moved.
    """
    entries = [entry for entry in journal.entries() if _is_gone(Path(entry.root))]
    folders = (*reversed(place.parents), place)
    found = {entry.root: folder for folder in folders for entry in entries if _holds(journal, entry, folder)}
    for root, folder in found.items():
        for entry in entries:
            if entry.root == root:
                journal.move(entry, folder)
        for decided in store.bank.proposals():
            if decided.proposal.root == root:
                proposal = moved(decided.proposal, root, folder)
                record = store.folder(proposal.night) / "proposals" / proposal.id / RECORD
                if record.exists():
                    write_atomic(record, to_json(proposal, pretty=True))
                store.bank.move(proposal)
    return found


def _is_gone(root: Path) -> bool:
    """Return whether the folder was renamed or moved; of a drive that is away the folder above is gone or empty."""
    with suppress(OSError):
        names = {path.name for path in root.parent.iterdir()}
        return bool(names) and root.name not in {"", *names}
    return False


def _holds(journal: Journal, entry: Entry, folder: Path) -> bool:
    """Return whether a file of this folder has lines of the adoption between our markers."""
    with suppress(ProposalError):
        return is_held(moved(entry, entry.root, folder), journal=journal, by_words=False)
    return False


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
