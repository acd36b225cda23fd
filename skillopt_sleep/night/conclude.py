"""Conclude a night: name its outcome, say why in one sentence, and what to do about it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, Exit, NightInterrupted, SleepError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.begin import postponed
from skillopt_sleep.night.error_rate import error_rate
from skillopt_sleep.protocols.crew import NightPlan
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    CUT_SHORT,
    NOTHING,
    OTHER_JUDGE,
    READ_AGAIN,
    REVIEW,
    SEAL_IT,
    Calibrations,
    Corrections,
    Decision,
    EditStatus,
    Findings,
    JudgeReading,
    Judging,
    LeftOut,
    Lesson,
    NightReport,
    NightRun,
    Note,
    Outcome,
    Proof,
    Proposal,
    Recurrence,
    SealedReplay,
    SessionCounts,
    Spend,
    Split,
    StepOutcome,
    Task,
    left_out,
)

NO_CORRECTIONS = Corrections()
NOTHING_CALIBRATED = Calibrations()
BEST_FIRST = (
    Outcome.IMPROVED,
    Outcome.UNDECIDED,
    Outcome.UNVERIFIED,
    Outcome.NO_CHANGE,
    Outcome.NO_HEADROOM,
)

THEN_SEALED = "then the requests that need the repository are tried in a sealed copy of it"
KEPT = "nothing; the tasks are kept for a replay that has the repository"
EARLY = "wait for one more session of the lesson, which would prove it, or adopt the early proposal as it is"
UNREAD = "the sessions stay unread, so it grades them the next night"
UNJUDGED = frozenset({Outcome.UNVERIFIED, Outcome.NO_CHANGE, Outcome.NO_HEADROOM, Outcome.NOTHING_NEW})
FIX_ERRORS = "fix what the errors below name, or use another model"
REMEDIES = {
    Outcome.IMPROVED: REVIEW,
    Outcome.UNDECIDED: f"nothing; later nights continue the trial; to go on with it now: {READ_AGAIN}",
    Outcome.UNVERIFIED: "nothing; the next session with a request for it becomes the test",
    Outcome.NO_CHANGE: "nothing; the edits that were tried were not proven to help and were dropped",
    Outcome.NO_HEADROOM: "nothing; the agent already does what you asked for in these sessions",
}
NOWHERE = "nothing; skillopt-sleep harvest shows where sessions are expected"
UNTRIED = "nothing; no edit was tried"
DECIDED_SINCE = {
    EditStatus.LIVE: "you adopted it",
    EditStatus.UNDONE: "you adopted it, and took it back",
    EditStatus.REFUSED: "you rejected it",
}
WAITS = f"nothing; later nights continue the trial of what waits; to go on with it now: {READ_AGAIN}"
TURNED_DOWN = "nothing, unless you changed your mind about what you rejected: skillopt-sleep reject --undo"


class Staged(NamedTuple):
    """What a night did, staged and ready to be reported; `stopped` is what ended it early."""

    sessions: SessionCounts
    tasks: Sequence[Task]
    outcomes: Sequence[StepOutcome]
    proposals: tuple[Proposal, ...]
    notes: tuple[Note, ...]
    spend: Spend
    ended: datetime
    stopped: SleepError | None = None
    lessons: Sequence[Lesson] = ()
    judge: JudgeReading | None = None
    corrections: Corrections = NO_CORRECTIONS
    calibrations: Calibrations = NOTHING_CALIBRATED
    sealed: SealedReplay | None = None
    recurrences: tuple[Recurrence, ...] = ()


def conclude(done: Staged, page: OpenNight, plan: NightPlan) -> NightReport:
    """Return the report of the night."""
    staged: set[str] = set()
    elsewhere: set[str] = set()
    for proposal in done.proposals:
        if proposal.proof is Proof.TRIAL:
            staged.update(proposal.paths)
        elif proposal.proof is Proof.ELSEWHERE:
            elsewhere.update(proposal.paths)
    outcomes = [_as_staged(outcome, staged, elsewhere) for outcome in done.outcomes]
    nothing = _nothing_new(page, done.sessions, done.tasks, done.corrections, done.notes)
    verdict, because, remedy = _outcome(outcomes, done.stopped, nothing)
    verdict, because, remedy = _judged((verdict, because, remedy), done.judge, unread=bool(done.sessions.used))
    if outcomes and verdict is Outcome.UNVERIFIED and done.corrections.lost.found > len(done.tasks):
        because = f"{because}; {done.corrections.lost.ends}"
        remedy = done.corrections.lost.next_step if remedy.startswith(NOTHING) else remedy
    if remedy == KEPT and done.sealed is None:
        remedy = SEAL_IT
    elif remedy == KEPT and done.sealed and done.sealed.why_not and done.sealed.remedy:
        remedy = f"{done.sealed.remedy}; {THEN_SEALED}"
    tasks_by_side = Counter(task.split for task in done.tasks)
    errors = [*done.notes, *_not_retested(page, outcomes, stopped=done.stopped is not None)]
    for outcome in outcomes:
        errors.extend(outcome.notes)
    own = {proposal.id for proposal in done.proposals}
    waiting = page.bank.still_waiting(() if done.stopped else done.lessons, at=done.ended)
    return NightReport(
        night=page.night,
        started=page.started,
        ended=done.ended,
        verdict=verdict,
        because=because,
        remedy=remedy.replace(READ_AGAIN, plan.read_again),
        run=NightRun(
            folder=str(page.folder),
            model=plan.model,
            limits=plan.limits,
            resumed=page.resumed,
            login_needed=done.stopped is not None and done.stopped.exit_code is Exit.LOGIN,
        ),
        found=Findings(
            sessions=done.sessions,
            tasks={side.value: tasks_by_side[side] for side in Split} | {"waiting": tasks_by_side[None]},
            corrections=done.corrections,
            trend=page.trend.until(done.ended, lessons=() if done.stopped else done.lessons, models=plan.model),
            recurrences=done.recurrences,
        ),
        judging=Judging(judge=done.judge, calibrations=done.calibrations, sealed=done.sealed),
        documents=tuple(map(_as_kept, outcomes)),
        proposals=done.proposals,
        others=tuple(name for name in waiting if name not in own),
        spend=done.spend,
        error_rate=error_rate(plan, outcomes),
        errors=tuple(errors),
    )


def _not_retested(page: OpenNight, outcomes: Sequence[StepOutcome], *, stopped: bool) -> Iterator[Note]:
    """Yield a note on each rule in the person's own words that was to be tested again, and came to no document.

    What they decided on meanwhile isn't tested any more.
    """
    for state, decided in DECIDED_SINCE.items():
        for proposal in page.bank.again(state):
            summary = f"your wording {proposal.id} isn't tested again, as you had asked: {decided}"
            yield Note(stage="retest", summary=summary, expected=True)
    because = "the night was cut short" if stopped else "no unseen task of its lesson was tried tonight"
    reached = {outcome.document.path for outcome in outcomes}
    for proposal in page.bank.again():
        if reached.isdisjoint(proposal.paths):
            yield postponed(proposal.id, because)


def _judged(end: tuple[Outcome, str, str], judge: JudgeReading | None, *, unread: bool) -> tuple[Outcome, str, str]:
    """Return the night's outcome, its reason and its remedy, as a judge that failed leaves them."""
    verdict, because, remedy = end
    if judge is None or not judge.untried or verdict in CUT_SHORT:
        return end
    if verdict not in UNJUDGED:
        return verdict, because, OTHER_JUDGE if remedy.startswith(NOTHING) else f"{remedy}; {OTHER_JUDGE}"
    because = f"the judge decides nothing tonight: {judge.because}; {because}"
    return Outcome.UNVERIFIED, because, f"{OTHER_JUDGE}; {UNREAD}" if unread else OTHER_JUDGE


def _as_kept(outcome: StepOutcome) -> StepOutcome:
    """Leave out the texts of the files beside the document, which are the person's and may be about anything."""
    document = replace(outcome.document, loaded=(), loaded_at=())
    changed = outcome.candidate and replace(outcome.candidate, loaded=(), loaded_at=())
    early = tuple(
        replace(one, candidate=replace(one.candidate, loaded=(), loaded_at=())) for one in outcome.tried.early
    )
    return replace(outcome, document=document, candidate=changed, tried=replace(outcome.tried, early=early))


def _as_staged(outcome: StepOutcome, staged: set[str], elsewhere: set[str]) -> StepOutcome:
    """Mark an accepted change that could not be staged as unfinished, so that another night reads its sessions.

    One that was tried with an agent that doesn't read the file is unverified.
    """
    accepted = outcome.outcome is Outcome.IMPROVED or outcome.verdict.decision is Decision.ACCEPT
    if not accepted or outcome.document.path in staged:
        return outcome
    if outcome.document.path in elsewhere:
        readers = " and ".join(outcome.document.read_by)
        because = f"{outcome.because}; but only {readers} reads this file, and another agent tried it"
        return replace(outcome, outcome=Outcome.UNVERIFIED, because=because)
    because = f"{outcome.because}; but the change could not be staged, see the errors"
    sessions = replace(outcome.sessions, unfinished=True)
    return replace(outcome, outcome=Outcome.UNVERIFIED, because=because, sessions=sessions)


def _outcome(
    outcomes: Sequence[StepOutcome], stopped: SleepError | None, nothing: tuple[str, str]
) -> tuple[Outcome, str, str]:
    """Return the night's outcome, its reason and its remedy: what cut it short, else the best of its documents.

    Without documents there was `nothing` to work on: why, and what to do about it.
    """
    if stopped is not None:
        return _cut_short(stopped), stopped.message, stopped.remedy
    for best in BEST_FIRST:
        equals = [outcome for outcome in outcomes if outcome.outcome is best]
        if equals:
            return _best(best, equals)
    return Outcome.NOTHING_NEW, *nothing


def _best(best: Outcome, outcomes: Sequence[StepOutcome]) -> tuple[Outcome, str, str]:
    """Return the outcome that these documents share, with their reasons and remedies, each remedy once."""
    documents: dict[str, list[str]] = {}
    remedies: dict[str, None] = {}
    for outcome in outcomes:
        documents.setdefault(outcome.because, []).append(outcome.document.id)
        remedies[_special_remedy(outcome) or REMEDIES[best]] = None
    reasons: list[str] = []
    for because, ids in documents.items():
        each = f"in each of {', '.join(ids)}" if len(ids) > 1 else ids[0]
        reasons.append(f"{each}: {because}")
    steps = [remedy for remedy in remedies if not remedy.startswith(NOTHING)]
    return best, "; ".join(reasons), "; ".join(steps or remedies)


def _special_remedy(outcome: StepOutcome) -> str:
    """Return the remedy of an outcome with another cause than is usual for it; else ""."""
    if outcome.outcome is Outcome.NO_CHANGE:
        return _remedy_of_no_change(outcome)
    if outcome.outcome is Outcome.UNDECIDED and outcome.guard.cut_short:
        return "raise budget.calls"
    if outcome.outcome is Outcome.UNDECIDED and outcome.verdict.early:
        return EARLY
    if outcome.outcome is not Outcome.UNVERIFIED:
        return ""
    accepted = outcome.verdict.decision is Decision.ACCEPT
    if outcome.sessions.unfinished:
        if outcome.sessions.left and not accepted:
            # No call of this step failed: the night's calls were spent on other documents.
            return "raise budget.calls"
        return FIX_ERRORS
    if accepted:
        return REMEDIES[Outcome.IMPROVED]
    if outcome.tasks.train and any(not note.expected for note in outcome.notes):
        return FIX_ERRORS
    if outcome.tasks.needs_repository and not outcome.tasks.untestable:
        return KEPT
    return ""


def _remedy_of_no_change(outcome: StepOutcome) -> str:
    """Return the remedy of a step that proposes nothing, by whether anything was tried at all."""
    tried = outcome.tried
    if tried.offered:
        return REVIEW
    if tried.tested or outcome.trial.before is not None:
        return ""
    for applied in tried.edits:
        if applied.turned_down:
            return f"{TURNED_DOWN} {applied.turned_down}"
    return WAITS if tried.undecided else UNTRIED


def _cut_short(stopped: SleepError) -> Outcome:
    if isinstance(stopped, BudgetExhausted):
        return Outcome.OVER_BUDGET
    if isinstance(stopped, NightInterrupted):
        return Outcome.INTERRUPTED
    return Outcome.BACKEND_FAILED


def _nothing_new(
    page: OpenNight, sessions: SessionCounts, tasks: Sequence[Task], corrections: Corrections, notes: Sequence[Note]
) -> tuple[str, str]:
    """Return why a whole night had nothing to work on, and what to do about it."""
    if corrections.found:
        return corrections.in_words, corrections.next_step
    if tasks:
        return f"{counted(len(tasks), 'task')} found, but no document to teach", "see the errors below"
    if not sessions.seen:
        return _nothing_seen(page, notes)
    if not sessions.used:
        remedy = "nothing; skillopt-sleep harvest shows each"
        if LeftOut.OLDER in sessions.skipped:
            remedy = "raise harvest.lookback to read older sessions; skillopt-sleep harvest shows each"
        return f"no session could be used: {left_out(sessions.skipped)}", remedy
    for note in notes:
        if note.stage == "prove":
            return note.summary, note.remedy or "nothing; asked for again another day, it is tried anew"
    return f"no corrected request found in {counted(sessions.used, 'session')}", "nothing"


def _nothing_seen(page: OpenNight, notes: Sequence[Note]) -> tuple[str, str]:
    """Say whether there was no session, none that is new, or whether it could not be read."""
    for note in notes:
        if note.stage == "harvest" and not note.expected:
            return f"no new session could be read: {note.summary}", note.remedy
    earlier = len(page.index.lines(unread=False))
    if not earlier:
        return "there are no new sessions: none was found", NOWHERE
    were = "the only one was" if earlier == 1 else f"all {earlier} were"
    return f"there are no new sessions: {were} read by earlier nights", f"nothing; to read them again: {READ_AGAIN}"
