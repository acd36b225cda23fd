"""Undo an adoption: restore each file's exact bytes and attributes, or remove the files and folders it created."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafePath
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.adopt import write_failed
from skillopt_sleep.proposals.journal import AdoptionState, Entry, Journal
from skillopt_sleep.proposals.written import Written, put_back
from skillopt_sleep.records import Record


class Undone(Record, frozen=True, kw_only=True):
    """The result of an undo; `removed` says that the file is gone, `already` that an earlier call had undone it.

    `also` are further files that were adopted with it. `folders_left` are empty folders that could not be removed;
    the next recovery of the journal tries again.
    """

    proposal: str
    path: str
    removed: bool
    already: bool = False
    folders_left: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def undo(proposal_id: str, *, journal: Journal, at: datetime) -> Undone:
    """Restore what the adoption replaced; raise StaleProposal unless each live file is exactly what was adopted."""
    with journal.held():
        journal.recover()
        entry = journal.get(proposal_id)
        if entry is None:
            raise ProposalError(
                f"proposal {proposal_id} was never adopted", remedy="list the adopted ones: skillopt-sleep status"
            )
        adopted = _adopted(entry, journal)
        if not adopted:
            # Undone before, or restored by hand.
            if entry.state is not AdoptionState.UNDONE:
                entry = journal.take_back(entry, at=at)
            return _undone(entry, already=True)
        before = [journal.saved(entry, index) for index in adopted]
        try:
            journal.mark(entry, AdoptionState.UNDOING, undone=at)
            for index, text in zip(adopted, before, strict=True):
                put_back(entry.files[index], text)
            entry = journal.take_back(entry, at=at)
        except UnsafePath:
            journal.recover()
            raise
        except OSError as error:
            raise write_failed(entry, error, journal) from error
        return _undone(entry, already=False)


def _adopted(entry: Entry, journal: Journal) -> Sequence[int]:
    """Return which of the files have the adopted text; the others are as before, else StaleProposal is raised."""
    adopted: list[int] = []
    for index, file in enumerate(entry.files):
        target = paths.writable(Path(file.path), root=Path(entry.root))
        now = paths.digest(paths.read_live(target))
        if now == file.before and (entry.state is AdoptionState.UNDONE or str(target) == file.target):
            continue
        if str(target) != file.target or now != file.after:
            raise _stale(entry, index, now, journal)
        adopted.append(index)
    return adopted


def _undone(entry: Entry, *, already: bool) -> Undone:
    return Undone(
        proposal=entry.proposal,
        path=entry.path,
        removed=not entry.existed,
        already=already,
        folders_left=entry.folders,
        also=tuple(file.path for file in entry.also),
    )


def _stale(entry: Entry, index: int, now: str, journal: Journal) -> StaleProposal:
    file = entry.files[index]
    latest = entry.proposal
    for other in journal.entries():
        if other.state is AdoptionState.DONE and _wrote(other, file, now):
            latest = other.proposal
    if latest != entry.proposal:
        return StaleProposal(
            f"{file.path} was changed again by proposal {latest}",
            remedy=f"first run: skillopt-sleep undo {latest}",
        )
    remedy = f"see the difference: diff {journal.after(entry, index)} {file.path}"
    if file.existed:
        remedy += f"; the text from before the adoption is in {journal.before(entry, index)}"
    return StaleProposal(f"{file.path} was changed after proposal {entry.proposal} was adopted", remedy=remedy)


def _wrote(other: Entry, file: Written, now: str) -> bool:
    """Return whether the other adoption wrote what the file holds now."""
    return any(its.target == file.target and its.after == now for its in other.files)
