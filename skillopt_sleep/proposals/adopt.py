"""Put a staged proposal live: in one step, only over exactly the file it was made for, and with a way back."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, StaleProposal, UnsafePath
from skillopt_sleep.kit.attributes import Attributes, attributes_of
from skillopt_sleep.kit.files import write_as
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.journal import AdoptionState, Entry, Journal
from skillopt_sleep.proposals.stage import RESULT, read_proposal
from skillopt_sleep.records import Proposal, Record


class Adoption(Record, frozen=True, kw_only=True):
    """The written file, and the command that undoes it; `already` says that an earlier call had written it."""

    proposal: str
    path: str
    created: bool
    undo: str
    already: bool = False


def adopt(proposal_folder: Path, *, journal: Journal, at: datetime) -> Adoption:
    """Write the proposal's bytes to the live file.

    Raises StaleProposal, UnsafePath or UnsafeEdit without touching the file.
    """
    with journal.held():
        journal.recover()
        proposal = read_proposal(proposal_folder)
        result = _result(proposal_folder, proposal)
        path = Path(proposal.path)
        target = paths.writable(path, root=Path(proposal.root))
        base = paths.read_live(target)
        earlier = journal.get(proposal.id)
        if earlier and earlier.path == proposal.path and paths.digest(base) == earlier.after == proposal.result:
            journal.mark(earlier, AdoptionState.DONE)
            return _adoption(earlier, already=True)
        if paths.digest(base) != proposal.base:
            raise _stale(proposal)
        live.refuse_strange(path, base, result)
        attributes = None if base is None else attributes_of(target)
        missing = paths.missing_folders(target)
        entry = Entry(
            proposal=proposal.id,
            path=proposal.path,
            target=str(target),
            root=proposal.root,
            existed=base is not None,
            attributes=attributes,
            before=proposal.base,
            after=proposal.result,
            folders=(*journal.left_folders(target), *map(str, missing)),
            state=AdoptionState.PREPARED,
            adopted=at,
        )
        try:
            journal.prepare(entry, before=base, after=result)
            if not _put(entry, result, attributes, missing):
                journal.give_up(entry)
                raise _stale(proposal)
            journal.mark(entry, AdoptionState.DONE)
        except UnsafePath:
            journal.recover()
            raise
        except OSError as error:
            raise write_failed(entry, error, journal) from error
        return _adoption(entry, already=False)


def write_failed(entry: Entry, error: OSError, journal: Journal) -> ProposalError:
    """Recover the journal after a failed write, and return the error, which says what the file holds now."""
    with suppress(OSError):
        journal.recover()
    now = paths.digest(paths.read_live(Path(entry.target)))
    if now == entry.after:
        state = "has the adopted text"
    elif now == entry.before:
        state = "is as it was before the adoption"
    else:
        state = "was changed by another program"
    return ProposalError(
        f"writing failed ({error.strerror}); {entry.path} {state}",
        remedy="free some space or repair the folder, then try again",
    )


def _result(folder: Path, proposal: Proposal) -> bytes:
    try:
        result = (folder / RESULT).read_bytes()
    except OSError as error:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} is missing: {error}",
            remedy="run a night again: skillopt-sleep run --now",
        ) from error
    if paths.digest(result) != proposal.result:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} was changed since it was staged",
            remedy=f"reject it: skillopt-sleep reject {proposal.id}",
        )
    return result


def _put(entry: Entry, result: bytes, attributes: Attributes | None, missing: tuple[Path, ...]) -> bool:
    """Write the file and return True; return False without writing if it was changed since it was compared."""
    target = Path(entry.target)
    for folder in missing:
        folder.mkdir()  # fails if it exists by now: it could be a link to anywhere
    if paths.digest(paths.read_live(target)) != entry.before:
        return False
    write_as(target, result, attributes)
    if paths.digest(paths.read_live(target)) != entry.after:
        raise AdoptInterrupted(
            f"{entry.path} was changed while it was adopted", remedy="check the file; nothing more is written to it"
        )
    return True


def _adoption(entry: Entry, *, already: bool) -> Adoption:
    return Adoption(
        proposal=entry.proposal,
        path=entry.path,
        created=not entry.existed,
        undo=f"skillopt-sleep undo {entry.proposal}",
        already=already,
    )


def _stale(proposal: Proposal) -> StaleProposal:
    return StaleProposal(
        f"{proposal.path} was changed after proposal {proposal.id} was made for it",
        remedy=f"see the proposal: skillopt-sleep show {proposal.id}; the next night starts from the changed file",
    )
