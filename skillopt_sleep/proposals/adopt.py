"""Puts a staged proposal live: only over exactly the file it was made for, in one step, and undoable."""

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
    """What was written, and the command that takes it back; `already`: an earlier call had done it."""

    proposal: str
    path: str
    created: bool
    undo: str
    already: bool = False


def adopt(proposal_folder: Path, *, journal: Journal, at: datetime) -> Adoption:
    """Make the proposal's bytes the live file's; StaleProposal, UnsafePath or UnsafeEdit leave it untouched."""
    with journal.held():
        journal.recover()
        proposal = read_proposal(proposal_folder)
        result = _result(proposal_folder, proposal)
        path = Path(proposal.path)
        target = paths.writable(path, root=Path(proposal.root))
        base = paths.read_live(target)
        done = journal.get(proposal.id)
        if done and done.path == proposal.path and paths.digest(base) == done.after == proposal.result:
            journal.mark(done, AdoptionState.DONE)
            return _adoption(done, already=True)
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
            raise failed(entry, error, journal) from error
        return _adoption(entry, already=False)


def failed(entry: Entry, error: OSError, journal: Journal) -> ProposalError:
    """What to tell where the disk refused: the journal is settled, and the file is looked at, not assumed."""
    with suppress(OSError):
        journal.recover()
    now = paths.digest(paths.read_live(Path(entry.target)))
    state = {entry.before: "is as it was before the adoption", entry.after: "has the adopted text"}
    return ProposalError(
        f"writing failed ({error.strerror}); {entry.path} {state.get(now, 'was changed by another program')}",
        remedy="make room or mend the folder, then try again",
    )


def _result(folder: Path, proposal: Proposal) -> bytes:
    try:
        result = (folder / RESULT).read_bytes()
    except OSError as error:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} is gone: {error}",
            remedy="run a night again: skillopt-sleep run --now",
        ) from error
    if paths.digest(result) != proposal.result:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} isn't what was staged",
            remedy=f"reject it: skillopt-sleep reject {proposal.id}",
        )
    return result


def _put(entry: Entry, result: bytes, attributes: Attributes | None, missing: tuple[Path, ...]) -> bool:
    """Write the file; False, and nothing written, where somebody changed it since it was compared."""
    target = Path(entry.target)
    for folder in missing:
        folder.mkdir()  # one that is there by now may be a link to anywhere
    if paths.digest(paths.read_live(target)) != entry.before:
        return False
    write_as(target, result, attributes)
    if paths.digest(paths.read_live(target)) != entry.after:
        raise AdoptInterrupted(
            f"{entry.path} was changed while it was adopted", remedy="look at it; nothing more is written to it"
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
        f"{proposal.path} was changed since proposal {proposal.id} was made for it",
        remedy=f"see what it wanted with: skillopt-sleep show {proposal.id}; tonight's run starts from the new text",
    )
