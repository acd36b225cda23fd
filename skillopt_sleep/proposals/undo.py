"""Undo an adoption: restore the file's exact bytes and attributes, or remove the file and folders it created."""

from datetime import datetime
from pathlib import Path

import msgspec

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, StaleProposal, UnsafePath
from skillopt_sleep.kit.attributes import Attributes, attributes_of
from skillopt_sleep.kit.files import write_as
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.adopt import write_failed
from skillopt_sleep.proposals.journal import AdoptionState, Entry, Journal
from skillopt_sleep.records import Record


class Undone(Record, frozen=True, kw_only=True):
    """The result of an undo; `removed` says that the file is gone, `already` that an earlier call had undone it.

    `folders_left` are empty folders that could not be removed; the next recovery of the journal tries again.
    """

    proposal: str
    path: str
    removed: bool
    already: bool = False
    folders_left: tuple[str, ...] = ()


def undo(proposal_id: str, *, journal: Journal, at: datetime) -> Undone:
    """Restore what the adoption replaced; raise StaleProposal unless the live file is exactly what was adopted."""
    with journal.held():
        journal.recover()
        entry = journal.get(proposal_id)
        if entry is None:
            raise ProposalError(
                f"proposal {proposal_id} was never adopted", remedy="list the adopted ones: skillopt-sleep status"
            )
        target = paths.writable(Path(entry.path), root=Path(entry.root))
        now = paths.digest(paths.read_live(target))
        if now == entry.before and (entry.state is AdoptionState.UNDONE or str(target) == entry.target):
            # Undone before, or restored by hand.
            if entry.state is not AdoptionState.UNDONE:
                entry = journal.take_back(entry, at=at)
            return _undone(entry, already=True)
        if str(target) != entry.target or now != entry.after:
            raise _stale(entry, now, journal)
        before = _saved(entry, journal)
        try:
            journal.mark(entry, AdoptionState.UNDOING, undone=at)
            _restore(entry, before)
            entry = journal.take_back(entry, at=at)
        except UnsafePath:
            journal.recover()
            raise
        except OSError as error:
            raise write_failed(entry, error, journal) from error
        return _undone(entry, already=False)


def _saved(entry: Entry, journal: Journal) -> bytes | None:
    """Return the bytes from before the adoption, or None if there was no file; raise AdoptInterrupted if damaged."""
    copy = journal.before(entry)
    before = copy.read_bytes() if copy.exists() else None
    if paths.digest(before) != entry.before:
        raise AdoptInterrupted(
            f"the saved copy of {entry.path} is damaged: {copy}", remedy="restore the file from a backup or from git"
        )
    return before


def _restore(entry: Entry, before: bytes | None) -> None:
    target = Path(entry.target)
    if before is None:
        target.unlink()
    else:
        write_as(target, before, _attributes(entry, target))
    if paths.digest(paths.read_live(target)) != entry.before:
        raise AdoptInterrupted(
            f"{entry.path} was changed while it was undone", remedy="check the file; nothing more is written to it"
        )


def _attributes(entry: Entry, target: Path) -> Attributes:
    """Return the attributes from before the adoption; an entry of an earlier version knows only the mode."""
    if isinstance(entry.attributes, Attributes):
        return entry.attributes
    now = attributes_of(target)
    if entry.attributes is None:
        return now
    return msgspec.structs.replace(now, mode=entry.attributes)


def _undone(entry: Entry, *, already: bool) -> Undone:
    return Undone(
        proposal=entry.proposal,
        path=entry.path,
        removed=not entry.existed,
        already=already,
        folders_left=entry.folders,
    )


def _stale(entry: Entry, now: str, journal: Journal) -> StaleProposal:
    latest = entry.proposal
    for other in journal.entries():
        if other.state is AdoptionState.DONE and other.target == entry.target and other.after == now:
            latest = other.proposal
    if latest != entry.proposal:
        return StaleProposal(
            f"{entry.path} was changed again by proposal {latest}",
            remedy=f"first run: skillopt-sleep undo {latest}",
        )
    remedy = f"see the difference: diff {journal.after(entry)} {entry.path}"
    if entry.existed:
        remedy += f"; the text from before the adoption is in {journal.before(entry)}"
    return StaleProposal(f"{entry.path} was changed after proposal {entry.proposal} was adopted", remedy=remedy)
