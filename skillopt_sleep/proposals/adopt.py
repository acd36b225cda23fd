"""Put a staged proposal live: all its files or none, whatever else changed in them, and with a way back."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafeEdit, UnsafePath
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import Plan, agree, plan_adoption, plan_undo
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.written import Move, put


def adopt(proposal_folder: Path, *, journal: Journal, at: datetime, agreed: Plan | None = None) -> bool:
    """Make the proposal's change in its live files; return False if it was made already.

    Raises MergeNeeded if a person edited our part of a file and didn't agree to this plan; StaleProposal, UnsafePath
    or UnsafeEdit if it can't be made. Then no file is touched.
    """
    with journal.held():
        journal.recover()
        proposal = read_proposal(proposal_folder)
        earlier = journal.get(proposal.id)
        if earlier is not None and not earlier.is_of(proposal):
            earlier = None
        is_done = earlier is not None and earlier.state is AdoptionState.DONE
        in_effect = earlier is not None and _is_in_effect(earlier, journal)
        if is_done and in_effect:
            return False
        plan = plan_adoption(proposal_folder, proposal, journal=journal)
        agree(plan, agreed, proposal.id, command="adopt")
        if in_effect or not plan.changing:
            raise UnsafeEdit(
                f"what {proposal.id} proposes stands already in {' and '.join(proposal.paths)}; nothing was written",
                remedy=f"nothing to do: your agent reads it; to take it out: skillopt-sleep undo {proposal.id}",
            )
        if earlier is not None and is_done:
            journal.take_back(earlier, at=at)
        folders: dict[str, None] = {}
        for move in plan.moves:
            folders |= dict.fromkeys(journal.own_folders(move.target))
        missing = [Path(folder) for folder in folders if not Path(folder).exists()]
        entry = Entry(
            proposal=proposal.id,
            root=proposal.root,
            files=tuple(move.record for move in plan.moves),
            made=proposal.files[0].result,
            folders=tuple(folders),
            state=AdoptionState.PREPARED,
            adopted=at,
        )
        with recovering(journal, plan.moves):
            journal.prepare(entry, *((move.old, move.new) for move in plan.moves))
            for folder in missing:
                folder.mkdir()  # fails if it exists by now: it could be a link to anywhere
            changed = put(plan.changing)
            if changed:
                journal.give_up(entry)
                raise changed_meanwhile(changed)
            journal.mark(entry, AdoptionState.DONE)
        return True


def changed_meanwhile(path: str) -> StaleProposal:
    """Return the error for a file that another program wrote at the same moment."""
    return StaleProposal(f"{path} was changed at this moment, so nothing was written", remedy="run the command again")


@contextmanager
def recovering(journal: Journal, moves: Sequence[Move]) -> Generator[None]:
    """Recover the journal after a failed write, and say what each file holds then."""
    try:
        yield
    except UnsafePath:
        journal.recover()
        raise
    except OSError as error:
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
        raise ProposalError(
            f"writing failed ({error.strerror}); {', '.join(states)}",
            remedy="free some space or repair the folder, then try again",
        ) from error


def _is_in_effect(entry: Entry, journal: Journal) -> bool:
    """Return whether something of an adoption is there: taken out by hand it isn't, brought back by git it is."""
    try:
        return plan_undo(entry, journal=journal).held
    except ProposalError as error:
        return isinstance(error, StaleProposal)
