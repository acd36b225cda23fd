"""One night's optimization step on one document: resume, learn, search, look back, remove."""

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import CallPending
from skillopt_sleep.learning.begin import Begun, begin, may_look_back
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.drift import begun_anew
from skillopt_sleep.learning.early import search_by_lesson, tried_together
from skillopt_sleep.learning.ending import ask_ahead, decided
from skillopt_sleep.learning.evidence import STANDALONE, early_ones, with_evidence
from skillopt_sleep.learning.exercise import exercise, other_sessions
from skillopt_sleep.learning.look_back import is_due, learning_rule, look_back
from skillopt_sleep.learning.propose import not_scored
from skillopt_sleep.learning.removal import remove
from skillopt_sleep.learning.resume import Resumed, together
from skillopt_sleep.learning.retest import answered
from skillopt_sleep.learning.search import Search, shorten, waiting
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Note,
    Outcome,
    Past,
    Split,
    StepOutcome,
    Task,
    Waiting,
    said_of_changes,
)

Log = Callable[[str, Sequence[object]], None]

NOTHING_PAST = Past()
MOST_WAITING = 12


def step(
    document: Document,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: Plan,
    log: Log,
    past: Past = NOTHING_PAST,
    night: str = "",
    known: Sequence[Task] = (),
) -> StepOutcome:
    """Resume the trials of waiting candidates; if none is proven, learn from train and try the result on val."""
    begun = begin(document, tasks, crew=crew, plan=plan, log=log, past=past, known=known)
    return finish(begun, crew=crew, plan=plan, log=log, night=night)


def finish(begun: Begun, *, crew: Crew, plan: Plan, log: Log, night: str = "") -> StepOutcome:
    """Try on val what the step has drafted, with the plan's share of the error rate; look back, and try a removal."""
    if begun.earlier.proven:
        outcome = _resumed(begun, crew=crew, plan=plan, log=log)
    else:
        outcome = _finish(begun, crew=crew, plan=plan, log=log, night=night)
    early = early_ones(outcome, begun.known)
    return replace(outcome, tried=replace(outcome.tried, early=early))


def _finish(begun: Begun, *, crew: Crew, plan: Plan, log: Log, night: str) -> StepOutcome:
    past, train, val, test, others = begun.past, begun.train, begun.val, begun.test, begun.others
    outcome = _search(begun, crew=crew, plan=plan, log=log, night=night)
    if may_look_back(outcome, plan, past):
        back = look_back(
            outcome,
            train,
            val,
            others=others,
            crew=crew,
            optimizer=begun.optimizer,
            plan=plan,
            past=past,
            night=night,
            log=log,
        )
        outcome = back.outcome.noted(*not_scored(back.rollouts))
        if back.decides is not None:
            outcome = decided(outcome, back.decides, test, val=val, crew=crew, plan=plan)
    outcome = _with_undecided(outcome, begun.earlier)
    known, slow = begun.in_reach, is_due(plan, past)
    shorter = remove(outcome, known, others=others, crew=crew, plan=plan, past=past, night=night, slow=slow, log=log)
    outcome = shorter.outcome.noted(*not_scored(shorter.rollouts))
    if shorter.decides is not None:
        outcome = decided(outcome, shorter.decides, test, val=known, crew=crew, plan=plan)
    return outcome


def _search(begun: Begun, *, crew: Crew, plan: Plan, log: Log, night: str) -> StepOutcome:
    """Search on val among the edits that were drafted, if there are any."""
    outcome, edits, val, test = begun.outcome, begun.edits, begun.val, begun.test
    if not edits:
        return outcome
    rule = learning_rule(plan, begun.past)
    try:
        found = search_by_lesson(
            outcome.document,
            edits,
            val,
            crew=crew,
            rule=rule,
            train=begun.learned_from,
            others=begun.others,
            most=plan.step.max_chars,
        )
    except CallPending:
        wide = tried_together(outcome.document, edits, val, rule=rule, most=plan.step.max_chars)
        if wide:
            ask_ahead(outcome, wide, test, val=val, crew=crew, plan=plan)
        raise
    log("rollouts", found.rollouts)
    log("trials", (*found.tested, *found.apart))
    outcome = with_evidence(outcome, found.headline.edits, begun.learned_from)
    outcome = _searched(outcome, found, crew=crew, night=night)
    outcome = answered(outcome, begun.retested, left_out=found.left_out)
    return decided(outcome, found.headline, test, val=val, crew=crew, plan=plan)


def _searched(outcome: StepOutcome, found: Search, *, crew: Crew, night: str) -> StepOutcome:
    """Add what the search tried; undecided candidates wait, and if too many do, the oldest are let go."""
    document, decision = outcome.document, found.headline.verdict.decision
    waits = [*outcome.tried.undecided]
    standing = found.apart
    if decision is not Decision.ACCEPT:
        standing = found.tested + found.apart
    for tested in standing:
        if tested.kind not in STANDALONE:
            continue
        if tested.verdict.drifted:
            waits.append(waiting(document, begun_anew(tested), night=night, crew=crew))
        elif tested.verdict.decision is Decision.UNDECIDED:
            waits.append(waiting(document, tested, night=night, crew=crew))
    waits += _left_waiting(document, found, night=night, crew=crew)
    # Each costs every night that brings it a task.
    dropped: list[Note] = []
    for wait in waits[:-MOST_WAITING]:
        summary = f"{document.id}: the change of {wait.night} was dropped for newer ones"
        dropped.append(Note(stage="trial", summary=summary))
    failed = any(attempt.failed for attempt in found.rollouts)
    effects = credit(found.best, found.tested) if found.tested else ()
    for tested in found.apart:
        effects += credit(tested, (tested,))
    tried = replace(
        outcome.tried,
        tested=outcome.tried.tested + found.tested + found.apart,
        effects=outcome.tried.effects + effects,
        undecided=tuple(waits[-MOST_WAITING:]),
    )
    outcome = replace(outcome, tried=tried).noted(*found.notes, *not_scored(found.rollouts), *dropped)
    if decision is Decision.ABSTAIN:
        outcome = replace(outcome, sessions=replace(outcome.sessions, unfinished=failed))
    return outcome


def _left_waiting(document: Document, found: Search, *, night: str, crew: Crew) -> list[Waiting]:
    """Return the candidates that wait whatever the best one is; a part waits on top of the rules that are proven."""
    waits: list[Waiting] = []
    for tested in found.waits:
        base = None
        if tested.kind is CandidateKind.PART and found.best.verdict.decision is Decision.ACCEPT:
            base = candidate(document, found.best.edits)
        waits.append(waiting(base or document, tested, night=night, crew=crew))
    return waits


def _resumed(begun: Begun, *, crew: Crew, plan: Plan, log: Log) -> StepOutcome:
    """Return the outcome of what waited and is proven: all of it as one change if that is proven too, else one."""
    outcome, earlier, val, test = begun.outcome, begun.earlier, begun.val, begun.test
    tasks = [*begun.train, *val]
    known = begun.in_reach
    others = begun.others
    joined, made, notes = together(
        outcome.document, earlier.proven, val, crew=crew, rule=plan.gate, known=known, others=others
    )
    log("rollouts", made)
    outcome = outcome.noted(*notes, *not_scored(made))
    tried = outcome.tried
    first, *later = earlier.proven
    if joined is None:
        outcome = replace(outcome, tried=replace(tried, undecided=(*tried.undecided, *later)))
        return _proven(outcome, first, tasks, test, others=others, crew=crew, plan=plan, log=log)
    log("trials", (joined,))
    apart = [wait for wait in earlier.proven if not set(wait.tested.edits) <= set(joined.edits)]
    outcome = replace(outcome, tried=replace(tried, undecided=(*tried.undecided, *apart)))
    left = other_sessions(joined.edits, tasks, val)
    outcome = with_evidence(outcome, joined.edits, tasks)
    tried = replace(outcome.tried, tested=(*outcome.tried.tested, joined))
    outcome = replace(outcome, tried=tried, sessions=replace(outcome.sessions, left=left))
    outcome = outcome.noted(*_left_note(outcome.document, left))
    return decided(outcome, joined, test, val=val, crew=crew, plan=plan, since=first.night)


def _proven(
    outcome: StepOutcome,
    wait: Waiting,
    tasks: Sequence[Task],
    test: Sequence[Task],
    *,
    others: Sequence[Task],
    crew: Crew,
    plan: Plan,
    log: Log,
) -> StepOutcome:
    """Return the outcome of a candidate that waited until tonight, with those of its rules that are proven too."""
    document = outcome.document
    val = [task for task in tasks if task.split is Split.VAL]
    asked = exercise(wait.tested.edits, tasks, val)
    found = shorten(document, wait.tested, asked, crew=crew, rule=plan.gate, others=others)
    log("rollouts", found.rollouts)
    log("trials", found.tested[1:])
    effects = tuple(effect for effect in outcome.tried.effects if effect.edit not in wait.tested.edits)
    left = other_sessions(wait.tested.edits, tasks, val)
    outcome = with_evidence(outcome, found.best.edits, tasks)
    tried = replace(
        outcome.tried,
        tested=outcome.tried.tested + found.tested[1:],
        effects=effects + credit(found.best, found.tested),
        undecided=(*outcome.tried.undecided, *_left_waiting(document, found, night=wait.night, crew=crew)),
    )
    outcome = replace(outcome, tried=tried, sessions=replace(outcome.sessions, left=left))
    outcome = outcome.noted(*found.notes, *not_scored(found.rollouts), *_left_note(outcome.document, left))
    return decided(outcome, found.best, test, val=val, crew=crew, plan=plan, since=wait.night)


def _left_note(document: Document, left: Collection[str]) -> tuple[Note, ...]:
    if not left:
        return ()
    which = "1 session of another lesson is" if len(left) == 1 else f"{len(left)} sessions of other lessons are"
    said = f"{which} left for another night; a change that waited was proven first"
    return (Note(stage="step", summary=f"{document.id}: {said}"),)


def _with_undecided(learned: StepOutcome, earlier: Resumed) -> StepOutcome:
    """Return the outcome, or that of a candidate that may still be proven if the night found nothing better."""
    # A rule that may turn out not to be needed isn't news.
    waits = [wait for wait in earlier.undecided if wait.tested.kind is not CandidateKind.REMOVAL]
    if learned.outcome in {Outcome.IMPROVED, Outcome.UNDECIDED} or not waits:
        return learned
    wait = waits[0]
    because = f"{wait.tested.verdict.reason}; tried since the night of {wait.night}"
    if wait.tested.trial.text_changed:
        because = f"{because}; {said_of_changes(wait.tested.trial.text_changed)}"
    return replace(
        learned,
        outcome=Outcome.UNDECIDED,
        because=f"{because}; new tonight: {learned.because}",
        candidate=candidate(learned.document, wait.tested.edits),
        trial=wait.tested.trial,
        verdict=wait.tested.verdict,
    )
