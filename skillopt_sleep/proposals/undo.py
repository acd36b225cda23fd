"""Undo an adoption: take out exactly what it put into each file, and leave what came after."""

from datetime import datetime
from enum import StrEnum

from skillopt_sleep.errors import ProposalError
from skillopt_sleep.proposals.adopt import changed_meanwhile, recovering
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import Plan, agree, plan_undo
from skillopt_sleep.proposals.written import Move, put
from skillopt_sleep.records import Record


class Left(StrEnum):
    """The state in which an undo left a file."""

    BEFORE = "is as it was before"
    REMOVED = "is gone, as before"
    KEPT = "no longer has it; all else in the file stays"
    NOTHING = "had nothing of it any more"


class Undone(Record, frozen=True, kw_only=True):
    """The result of an undo: what it left of each file; `already` says that nothing was there to take out.

    `folders_left` are empty folders that could not be removed; the next recovery of the journal tries again.
    """

    proposal: str
    files: dict[str, Left]
    already: bool
    folders_left: tuple[str, ...]


def undo(proposal_id: str, *, journal: Journal, at: datetime, agreed: Plan | None = None) -> Undone:
    """Take what the adoption put into its files out of them.

    Raises MergeNeeded if a person edited our part of a file and didn't agree to this plan; StaleProposal, UnsafePath
    or UnsafeEdit if it can't be done. Then no file is touched.
    """
    with journal.held():
        journal.recover()
        entry = adopted(proposal_id, journal)
        plan = plan_undo(entry, journal=journal)
        moves = plan.changing
        if moves:
            agree(plan, agreed, entry.proposal, command="undo")
            with recovering(journal, moves):
                entry = journal.begin_undo(entry, moves, at=at)
                changed = put(moves)
                if changed:
                    journal.mark(entry, AdoptionState.DONE)
                    raise changed_meanwhile(changed)
                entry = journal.take_back(entry, at=at)
        elif entry.state is not AdoptionState.UNDONE:
            # It was taken out by hand.
            entry = journal.take_back(entry, at=at)
    planned = {move.path: move for move in plan.moves}
    files: dict[str, Left] = {}
    for file in entry.files:
        files[file.path] = _left(planned.get(file.path), before=file.before)
    return Undone(
        proposal=entry.proposal,
        files=files,
        already=not moves,
        folders_left=entry.folders,
    )


def adopted(proposal_id: str, journal: Journal) -> Entry:
    """Return the adoption of a proposal; ProposalError if it was never adopted."""
    entry = journal.get(proposal_id)
    if entry is None:
        raise ProposalError(
            f"proposal {proposal_id} was never adopted", remedy="list the adopted ones: skillopt-sleep status"
        )
    return entry


def _left(move: Move | None, *, before: str) -> Left:
    if move is None or move.new == move.old:
        return Left.NOTHING
    if move.new is None:
        return Left.REMOVED
    if digest(move.new) == before:
        return Left.BEFORE
    return Left.KEPT
