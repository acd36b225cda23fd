"""What a night ended as, in a sentence with its evidence and a remedy."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, Exit, NightInterrupted, SleepError
from skillopt_sleep.protocols import Page, Plan
from skillopt_sleep.records import (
    Decision,
    LeftOut,
    NightReport,
    Note,
    Outcome,
    Proposal,
    SessionCounts,
    Spend,
    Split,
    StepOutcome,
    Task,
)

BEST_FIRST = (
    Outcome.IMPROVED,
    Outcome.UNDECIDED,
    Outcome.UNVERIFIED,
    Outcome.NO_CHANGE,
    Outcome.NO_HEADROOM,
)


def conclude(
    page: Page,
    plan: Plan,
    sessions: SessionCounts,
    tasks: Sequence[Task],
    outcomes: Sequence[StepOutcome],
    *,
    proposals: tuple[Proposal, ...],
    notes: tuple[Note, ...],
    spend: Spend,
    ended: datetime,
    stopped: SleepError | None,
) -> NightReport:
    """The night as one record."""
    staged = {proposal.path for proposal in proposals}
    outcomes = [_as_staged(outcome, staged) for outcome in outcomes]
    verdict, because, remedy = _outcome(sessions, tasks, outcomes, notes, stopped)
    sides = Counter(task.split for task in tasks)
    return NightReport(
        night=page.night,
        started=page.started,
        ended=ended,
        verdict=verdict,
        because=because,
        remedy=remedy,
        folder=str(page.folder),
        model=plan.model,
        sessions=sessions,
        tasks={side.value: sides[side] for side in Split},
        documents=tuple(outcomes),
        proposals=proposals,
        spend=spend,
        limits=plan.limits,
        resumed=page.resumed,
        login_needed=stopped is not None and stopped.exit_code is Exit.LOGIN,
        errors=(*notes, *(note for outcome in outcomes for note in outcome.notes)),
    )


def _as_staged(outcome: StepOutcome, staged: set[str]) -> StepOutcome:
    """An accepted change that could not be staged improves nothing yet: its sessions stay unread for a next try."""
    accepted = outcome.outcome is Outcome.IMPROVED or outcome.verdict.decision is Decision.ACCEPT
    if not accepted or outcome.document.path in staged:
        return outcome
    because = f"{outcome.because}; but the change could not be staged, see the errors"
    sessions = replace(outcome.sessions, unfinished=True)
    return replace(outcome, outcome=Outcome.UNVERIFIED, because=because, sessions=sessions)


def _outcome(
    sessions: SessionCounts,
    tasks: Sequence[Task],
    outcomes: Sequence[StepOutcome],
    notes: Sequence[Note],
    stopped: SleepError | None,
) -> tuple[Outcome, str, str]:
    """What it ended as, because, and the remedy: what cut it short, else the best of its documents."""
    if stopped is not None:
        return _cut_short(stopped)
    best = next((o for wanted in BEST_FIRST for o in outcomes if o.outcome is wanted), None)
    if best is None:
        return _nothing(sessions, tasks, notes)
    same = [outcome for outcome in outcomes if outcome.outcome is best.outcome]
    because = "; ".join(f"{outcome.document.id}: {outcome.because}" for outcome in same)
    own = dict.fromkeys(remedy for outcome in same if (remedy := _own_remedy(outcome)))
    return best.outcome, because, "; ".join(own) or REMEDIES[best.outcome]


def _own_remedy(outcome: StepOutcome) -> str:
    """What to do about an unverified outcome that isn't for want of another session; else ""."""
    if outcome.outcome is not Outcome.UNVERIFIED:
        return ""
    accepted = outcome.verdict.decision is Decision.ACCEPT
    if outcome.sessions.unfinished:
        # A step that the calls didn't reach leaves its sessions, and no call of it failed.
        return "raise budget.calls" if outcome.sessions.left and not accepted else FAILED
    if accepted:
        return REMEDIES[Outcome.IMPROVED]
    return FAILED if outcome.tasks.train else ""


FAILED = "mend what the errors below name, or take another model"
REMEDIES = {
    Outcome.IMPROVED: "look at the proposals, then adopt or reject them",
    Outcome.UNDECIDED: "nothing; later nights add unseen tasks to the trial",
    Outcome.UNVERIFIED: "nothing; when the same wish comes up in another session it becomes the test",
    Outcome.NO_CHANGE: "nothing; what was tried did not help and was dropped",
    Outcome.NO_HEADROOM: "nothing; the agent already does what you asked for in these sessions",
}


def _cut_short(stopped: SleepError) -> tuple[Outcome, str, str]:
    if isinstance(stopped, BudgetExhausted):
        return Outcome.OVER_BUDGET, stopped.message, stopped.remedy
    if isinstance(stopped, NightInterrupted):
        return Outcome.INTERRUPTED, stopped.message, stopped.remedy
    return Outcome.BACKEND_FAILED, stopped.message, stopped.remedy


def _nothing(sessions: SessionCounts, tasks: Sequence[Task], notes: Sequence[Note]) -> tuple[Outcome, str, str]:
    if tasks:
        return (
            Outcome.NOTHING_NEW,
            f"{_counted(len(tasks), 'task')}, none of them with a document to teach",
            "see the errors below",
        )
    unread = next((note for note in notes if note.stage == "harvest" and not note.expected), None)
    if not sessions.seen and unread:
        return Outcome.NOTHING_NEW, f"no new session could be read: {unread.summary}", unread.remedy
    if not sessions.seen:
        return Outcome.NOTHING_NEW, "no session since the last night", "nothing"
    if not sessions.used:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sessions.skipped.items())
        older = "raise harvest.lookback to read older sessions; " if LeftOut.OLDER in sessions.skipped else ""
        return Outcome.NOTHING_NEW, f"no session could be used: {reasons}", f"{older}see: skillopt-sleep harvest"
    read = _counted(sessions.used, "session")
    return Outcome.NOTHING_NEW, f"{read} read, in none of them a request was corrected", "nothing"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
