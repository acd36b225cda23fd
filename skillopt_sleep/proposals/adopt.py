"""Put a staged proposal live: all its files or none, whatever else changed in them, and with a way back."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafeEdit, UnsafePath
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, adds_the_same, agree, is_held, plan_adoption, plan_undo
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.written import Move, Written, put
from skillopt_sleep.records import Proposal, Record


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


def adopt(proposal_folder: Path, *, journal: Journal, at: datetime, agreed: Plan | None = None) -> Adoption:
    """Make the proposal's change in its live files.

    Raises MergeNeeded if a person edited our part of a file and didn't agree to this plan; StaleProposal, UnsafePath
    or UnsafeEdit if it can't be made. Then no file is touched.
    """
    with journal.held():
        journal.recover()
        proposal = read_proposal(proposal_folder)
        earlier = journal.get(proposal.id)
        is_done = earlier is not None and earlier.state is AdoptionState.DONE and _is_of(earlier, proposal)
        if earlier is not None and is_done and _stands(earlier, journal):
            return _adoption(earlier, already=True)
        plan = plan_adoption(proposal_folder, proposal, journal=journal)
        agree(plan, agreed, proposal.id, command="adopt")
        stood = came_back(earlier, journal) if earlier and _is_of(earlier, proposal) else {}
        if not plan.changing and not stood:
            raise UnsafeEdit(
                f"what {proposal.id} proposes stands already in {' and '.join(proposal.paths)}; nothing was written",
                remedy=f"nothing to do; not to be asked again: skillopt-sleep reject {proposal.id}",
            )
        if earlier is not None and is_done:
            journal.take_back(earlier, at=at)
        moves = tuple(_since(move, stood) for move in plan.moves)
        missing: dict[Path, None] = {}
        made: dict[str, None] = {}
        for move in plan.moves:
            missing |= dict.fromkeys(paths.missing_folders(move.target))
            made |= dict.fromkeys(journal.made_folders(move.target))
        entry = _entry(proposal, moves, folders=tuple(dict.fromkeys((*made, *map(str, missing)))), at=at)
        try:
            journal.prepare(entry, *((move.old, move.new) for move in moves))
            for folder in missing:
                folder.mkdir()  # fails if it exists by now: it could be a link to anywhere
            changed = put(plan.changing)
            if changed:
                journal.give_up(entry)
                raise changed_meanwhile(changed)
            journal.mark(entry, AdoptionState.DONE)
        except UnsafePath:
            journal.recover()
            raise
        except OSError as error:
            raise write_failed(plan.moves, error, journal) from error
        return _adoption(entry, already=False)


def changed_meanwhile(path: str) -> StaleProposal:
    """Return the error for a file that another program wrote at the same moment."""
    return StaleProposal(f"{path} was changed at this moment, so nothing was written", remedy="run the command again")


def write_failed(moves: Sequence[Move], error: OSError, journal: Journal) -> ProposalError:
    """Recover the journal after a failed write, and return the error, which says what each file holds now."""
    with suppress(OSError):
        journal.recover()
    states: list[str] = []
    for move in moves:
        state = "was changed by another program"
        if move.now == move.old:
            state = "is as it was before"
        elif move.now == move.new:
            state = "has its new text"
        states.append(f"{move.path} {state}")
    return ProposalError(
        f"writing failed ({error.strerror}); {', '.join(states)}",
        remedy="free some space or repair the folder, then try again",
    )


def _stands(entry: Entry, journal: Journal) -> bool:
    """Return whether something of an adoption is still there: all of it may have been taken out by hand."""
    try:
        return bool(plan_undo(entry, journal=journal).changing) and is_held(entry, journal=journal)
    except StaleProposal:
        return True


def came_back(entry: Entry, journal: Journal) -> dict[str, bytes | None]:
    """Return the files in which what an undo took out stands again, as from git, each without it.

    None if another adoption that is live put the same lines there: they are that one's.
    """
    try:
        if any(adds_the_same(entry, other, journal) for other in journal.entries()):
            return {}
        return {move.path: move.new for move in plan_undo(entry, journal=journal).changing}
    except ProposalError:
        return {}


def _since(move: Move, stood: Mapping[str, bytes | None]) -> Move:
    """Return the move as the journal keeps it: an undo takes out what came back as well."""
    if move.new == move.old and move.path in stood:
        return move._replace(old=stood[move.path])
    return move


def _is_of(entry: Entry, proposal: Proposal) -> bool:
    return entry.is_for(proposal.id, proposal.path, proposal.result)


def _entry(proposal: Proposal, moves: Sequence[Move], *, folders: tuple[str, ...], at: datetime) -> Entry:
    first, *also = [_written(move) for move in moves]
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
        made=proposal.result,
    )


def _written(move: Move) -> Written:
    """Return how the journal describes a file."""
    return Written(
        path=move.path,
        target=str(move.target),
        existed=move.old is not None,
        attributes=move.attributes,
        before=paths.digest(move.old),
        after=paths.digest(move.new),
    )


def _adoption(entry: Entry, *, already: bool) -> Adoption:
    return Adoption(
        proposal=entry.proposal,
        path=entry.path,
        created=not entry.existed,
        undo=f"skillopt-sleep undo {entry.proposal}",
        already=already,
        also=tuple(file.path for file in entry.also),
    )
