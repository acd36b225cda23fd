"""Put a staged proposal live: all its files or none, only over exactly those it was made for, and with a way back."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import AdoptInterrupted, ProposalError, StaleProposal, UnsafePath
from skillopt_sleep.kit.attributes import Attributes, attributes_of
from skillopt_sleep.kit.files import write_as
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.journal import AdoptionState, Entry, Journal
from skillopt_sleep.proposals.stage import RESULT, read_proposal
from skillopt_sleep.proposals.written import Written, put_back
from skillopt_sleep.records import Copy, Proposal, Record


class Adoption(Record, frozen=True, kw_only=True):
    """The written file, and the command that undoes it; `already` says that an earlier call had written it.

    `also` are further files that were written with it.
    """

    proposal: str
    path: str
    created: bool
    undo: str
    already: bool = False
    also: tuple[str, ...] = ()


class _Part(NamedTuple):
    """One file of a proposal: the real file behind its path, its bytes now, and those to adopt."""

    file: Copy
    target: Path
    base: bytes | None
    result: bytes

    def written(self) -> Written:
        """Return how the journal describes the file."""
        attributes: Attributes | None = None
        if self.base is not None:
            attributes = attributes_of(self.target)
        return Written(
            path=self.file.path,
            target=str(self.target),
            existed=self.base is not None,
            attributes=attributes,
            before=self.file.base,
            after=self.file.result,
        )


def adopt(proposal_folder: Path, *, journal: Journal, at: datetime) -> Adoption:
    """Write the proposal's bytes to its live files.

    Raises StaleProposal, UnsafePath or UnsafeEdit without touching a file.
    """
    with journal.held():
        journal.recover()
        proposal = read_proposal(proposal_folder)
        parts = [_part(proposal_folder, proposal, index) for index in range(len(proposal.files))]
        earlier = journal.get(proposal.id)
        if earlier and _is_live(earlier, parts):
            journal.mark(earlier, AdoptionState.DONE)
            return _adoption(earlier, already=True)
        for part in parts:
            if paths.digest(part.base) != part.file.base:
                raise _stale(proposal, part.file.path)
            live.refuse_strange(Path(part.file.path), part.base, part.result)
        missing: dict[Path, None] = {}
        left: dict[str, None] = {}
        for part in parts:
            missing |= dict.fromkeys(paths.missing_folders(part.target))
            left |= dict.fromkeys(journal.left_folders(part.target))
        entry = _entry(proposal, parts, folders=(*left, *map(str, missing)), at=at)
        try:
            journal.prepare(entry, *((part.base, part.result) for part in parts))
            changed = _put(entry, parts, list(missing))
            if changed is not None:
                journal.give_up(entry)
                raise _stale(proposal, changed.path)
            journal.mark(entry, AdoptionState.DONE)
        except UnsafePath:
            journal.recover()
            raise
        except OSError as error:
            raise write_failed(entry, error, journal) from error
        return _adoption(entry, already=False)


def write_failed(entry: Entry, error: OSError, journal: Journal) -> ProposalError:
    """Recover the journal after a failed write, and return the error, which says what each file holds now."""
    with suppress(OSError):
        journal.recover()
    states: list[str] = []
    for file in entry.files:
        now = file.now
        state = "was changed by another program"
        if now == file.after:
            state = "has the adopted text"
        elif now == file.before:
            state = "is as it was before the adoption"
        states.append(f"{file.path} {state}")
    return ProposalError(
        f"writing failed ({error.strerror}); {', '.join(states)}",
        remedy="free some space or repair the folder, then try again",
    )


def _part(folder: Path, proposal: Proposal, index: int) -> _Part:
    file = proposal.files[index]
    result = _result(folder, proposal, index)
    target = paths.writable(Path(file.path), root=Path(proposal.root))
    return _Part(file, target, paths.read_live(target), result)


def _result(folder: Path, proposal: Proposal, index: int) -> bytes:
    try:
        result = (folder / paths.numbered(RESULT, index)).read_bytes()
    except OSError as error:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} is missing: {error}",
            remedy="run a night again: skillopt-sleep run",
        ) from error
    if paths.digest(result) != proposal.files[index].result:
        raise StaleProposal(
            f"the new text of proposal {proposal.id} was changed since it was staged",
            remedy=f"reject it: skillopt-sleep reject {proposal.id}",
        )
    return result


def _is_live(earlier: Entry, parts: Sequence[_Part]) -> bool:
    """Return whether this earlier adoption wrote exactly what is to be written, and it still stands."""
    written = [(file.path, file.after, file.after) for file in earlier.files]
    return written == [(part.file.path, part.file.result, paths.digest(part.base)) for part in parts]


def _entry(proposal: Proposal, parts: Sequence[_Part], *, folders: tuple[str, ...], at: datetime) -> Entry:
    first, *also = [part.written() for part in parts]
    return Entry(
        proposal=proposal.id,
        path=first.path,
        target=first.target,
        root=proposal.root,
        existed=first.existed,
        attributes=first.attributes,
        before=first.before,
        after=first.after,
        folders=folders,
        state=AdoptionState.PREPARED,
        adopted=at,
        also=tuple(also),
    )


def _put(entry: Entry, parts: Sequence[_Part], missing: Sequence[Path]) -> Written | None:
    """Write the files; return the first that was changed since it was compared, and then leave none written."""
    for folder in missing:
        folder.mkdir()  # fails if it exists by now: it could be a link to anywhere
    for index, (file, part) in enumerate(zip(entry.files, parts, strict=True)):
        if file.now != file.before:
            for written, old in zip(entry.files[:index], parts, strict=False):
                put_back(written, old.base)
            return file
        attributes = file.attributes if isinstance(file.attributes, Attributes) else None
        write_as(part.target, part.result, attributes)
        if file.now != file.after:
            raise AdoptInterrupted(
                f"{file.path} was changed while it was adopted",
                remedy="check the file; nothing more is written to it",
            )
    return None


def _adoption(entry: Entry, *, already: bool) -> Adoption:
    return Adoption(
        proposal=entry.proposal,
        path=entry.path,
        created=not entry.existed,
        undo=f"skillopt-sleep undo {entry.proposal}",
        already=already,
        also=tuple(file.path for file in entry.also),
    )


def _stale(proposal: Proposal, path: str) -> StaleProposal:
    return StaleProposal(
        f"{path} was changed after proposal {proposal.id} was made for it",
        remedy=f"see the proposal: skillopt-sleep show {proposal.id}; the next night starts from the changed file",
    )
