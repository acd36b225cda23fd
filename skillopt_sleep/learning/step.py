"""One night's optimization step on one document: resume, learn, search, look back, remove."""

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import CallPending
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.early import search_by_lesson
from skillopt_sleep.learning.ending import beginning, by_split, decided, end_as, on_test, why_none
from skillopt_sleep.learning.evidence import STANDALONE, early_ones, with_evidence
from skillopt_sleep.learning.exercise import by_use, exercise, in_reach, other_sessions, with_lessons
from skillopt_sleep.learning.harm import learned
from skillopt_sleep.learning.look_back import is_due, learning_rule, look_back
from skillopt_sleep.learning.offers import current, resting, still_open
from skillopt_sleep.learning.propose import not_scored, propose
from skillopt_sleep.learning.removal import remove
from skillopt_sleep.learning.resume import Resumed, resume, together, twin_of
from skillopt_sleep.learning.search import Search, shorten, waiting
from skillopt_sleep.learning.tried_before import still_rejected
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    AppliedEdit,
    CandidateKind,
    Decision,
    Document,
    EditEffect,
    Fate,
    Judged,
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
MAY_LOOK_BACK = frozenset({Outcome.NO_CHANGE, Outcome.UNDECIDED})


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
    """Resume the trials of waiting candidates; if none is proven, learn from train and try the result on val.

    A lesson without an unseen task of another session can't be proved: it waits, and nothing is spent on it. Nor is
    anything spent on a lesson whose proposal waits for the person, or on a task that needs the repository while
    attempts are made in words. `log` saves each stage's rows; `known` tasks of earlier nights show what a standing
    rule is for.
    """
    outcome = _step(document, tasks, crew=crew, plan=plan, log=log, past=past, night=night, known=known)
    early = early_ones(outcome, _with_tonight(known, tasks))
    return replace(outcome, tried=replace(outcome.tried, early=early))


def _step(
    document: Document,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: Plan,
    log: Log,
    past: Past,
    night: str,
    known: Sequence[Task],
) -> StepOutcome:
    past = current(past, document)
    known, _ = in_reach(_with_tonight(known, tasks), crew.executor)
    reached, waiting = in_reach(tasks, crew.executor)
    train, val, test = by_split(reached)
    outcome = beginning(document, reached, waiting=waiting)
    rest = resting(past.waiting, past.offered, document)
    waits = [wait for wait in past.waiting if wait not in rest]
    others = (*learned(document, past.adopted, known), *val)
    earlier = resume(
        document, waits, val, crew=crew, rule=plan.gate, refused=past.refused, known=known, others=others
    )
    earlier = earlier._replace(rest=(*rest, *earlier.rest))
    if earlier.tried:
        log("rollouts", earlier.rollouts)
        log("trials", [wait.tested for wait in earlier.tried])
    outcome = _with_resumed(outcome, earlier)
    if earlier.proven:
        tasks = [*train, *val]
        return _resumed(outcome, earlier, tasks, test, crew=crew, plan=plan, log=log, known=known, others=others)
    past = replace(past, waiting=outcome.tried.undecided)
    optimizer = Optimizer(
        backend=crew.optimizer, pool=crew.pool, document=document, past=past, preferences=plan.preferences
    )
    outcome = _learn(
        outcome,
        train,
        val,
        test,
        waiting=waiting,
        others=others,
        crew=crew,
        optimizer=optimizer,
        plan=plan,
        log=log,
        night=night,
    )
    if is_due(plan, past) and outcome.outcome in MAY_LOOK_BACK:
        back = look_back(
            outcome,
            train,
            val,
            others=others,
            crew=crew,
            optimizer=optimizer,
            plan=plan,
            past=past,
            night=night,
            log=log,
        )
        outcome = back.outcome.noted(*not_scored(back.rollouts))
        if back.decides is not None:
            outcome = decided(outcome, back.decides, test, val=val, crew=crew, plan=plan)
    outcome = _with_undecided(outcome, earlier)
    slow = is_due(plan, past)
    shorter = remove(outcome, known, others=others, crew=crew, plan=plan, past=past, night=night, slow=slow, log=log)
    outcome = shorter.outcome.noted(*not_scored(shorter.rollouts))
    if shorter.decides is not None:
        outcome = decided(outcome, shorter.decides, test, val=known, crew=crew, plan=plan)
    return outcome


def _with_tonight(known: Sequence[Task], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks of earlier nights that aren't tonight's too, then tonight's."""
    tonight = {task.id for task in tasks}
    earlier = [task for task in known if task.id not in tonight]
    return (*earlier, *tasks)


def _with_resumed(outcome: StepOutcome, earlier: Resumed) -> StepOutcome:
    """Return the outcome with the trials of waiting candidates that were resumed."""
    tested: list[Judged] = []
    effects: list[EditEffect] = []
    for wait in earlier.tried:
        tested.append(wait.tested)
        effects += credit(wait.tested, (wait.tested,))
    undecided = (*earlier.rest, *earlier.undecided)
    tried = replace(outcome.tried, tested=tuple(tested), effects=tuple(effects), undecided=undecided)
    return replace(outcome, tried=tried).noted(*earlier.notes, *not_scored(earlier.rollouts))


def _learn(
    outcome: StepOutcome,
    train: Sequence[Task],
    val: Sequence[Task],
    test: Sequence[Task],
    *,
    waiting: Sequence[Task],
    others: Sequence[Task],
    crew: Crew,
    optimizer: Optimizer,
    plan: Plan,
    log: Log,
    night: str,
) -> StepOutcome:
    """Draft a candidate from train, then search on val; the optimizer sees train tasks only."""
    document, past = outcome.document, optimizer.past
    undecided = still_open(train, past, document)
    outcome = replace(outcome, tried=replace(outcome.tried, offered=undecided.offered)).noted(*undecided.notes)
    if train and not undecided.tasks:
        return end_as(outcome, Outcome.NO_CHANGE, undecided.why_nothing)
    train, alike, untestable = by_use(undecided.tasks, val)
    untestable -= {task.lesson for task in waiting}
    outcome = replace(outcome, tasks=replace(outcome.tasks, train=len(train), untestable=len(untestable)))
    if not train:
        return end_as(outcome, Outcome.UNVERIFIED, why_none(len(untestable), val, waiting))
    attempts = CrewAttempts(crew)
    rejected = still_rejected(past, val)
    proposed = propose(
        [*train, *alike], optimizer=optimizer, attempts=attempts, plan=plan, log=log, rejected=rejected
    )
    fates = _with_lessons(proposed.edits, [*train, *alike])
    outcome = replace(
        outcome,
        tried=replace(outcome.tried, edits=fates),
        tasks=replace(outcome.tasks, text_only=proposed.text_only),
        sessions=replace(outcome.sessions, unfinished=proposed.unfinished),
        notes=outcome.notes + proposed.notes,
    )
    if proposed.nothing is not None:
        return end_as(outcome, *proposed.nothing)
    applied = tuple(fate.edit for fate in fates if fate.fate is Fate.APPLIED)
    twin = twin_of(document, applied, past.waiting)
    if twin is not None:
        because = f"the same change waits for more proof since the night of {twin.night}"
        return end_as(outcome, Outcome.NO_CHANGE, because)
    rule = learning_rule(plan, past)
    try:
        found = search_by_lesson(
            document, applied, val, crew=crew, rule=rule, train=train, others=others, most=plan.step.max_chars
        )
    except CallPending:
        # Someone has to sit down for every round: what an accepted candidate needs is asked along with its trial.
        on_test(outcome, applied, test, crew=crew, plan=plan)
        raise
    log("rollouts", found.rollouts)
    log("trials", (*found.tested, *found.apart))
    outcome = with_evidence(outcome, found.headline.edits, train)
    outcome = _searched(outcome, found, crew=crew, night=night)
    return decided(outcome, found.headline, test, val=val, crew=crew, plan=plan)


def _with_lessons(fates: Sequence[AppliedEdit], tasks: Sequence[Task]) -> tuple[AppliedEdit, ...]:
    """Return what became of the edits, each edit with its lessons."""
    edits = with_lessons([fate.edit for fate in fates], tasks)
    return tuple(replace(fate, edit=edit) for fate, edit in zip(fates, edits, strict=True))


def _searched(outcome: StepOutcome, found: Search, *, crew: Crew, night: str) -> StepOutcome:
    """Add what the search tried; undecided candidates wait, and if too many do, the oldest are let go."""
    document, decision = outcome.document, found.headline.verdict.decision
    waits = [*outcome.tried.undecided]
    standing = found.apart
    if decision is not Decision.ACCEPT:
        standing = found.tested + found.apart
    for tested in standing:
        if tested.verdict.decision is Decision.UNDECIDED and tested.kind in STANDALONE:
            wait = waiting(document, tested, night=night, crew=crew)
            waits.append(wait)
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


def _resumed(
    outcome: StepOutcome,
    earlier: Resumed,
    tasks: Sequence[Task],
    test: Sequence[Task],
    *,
    crew: Crew,
    plan: Plan,
    log: Log,
    known: Sequence[Task],
    others: Sequence[Task],
) -> StepOutcome:
    """Return the outcome of what waited and is proven: all of it as one change if that is proven too, else one."""
    val = [task for task in tasks if task.split is Split.VAL]
    joined, made, notes = together(
        outcome.document, earlier.proven, val, crew=crew, rule=plan.gate, known=known, others=others
    )
    log("rollouts", made)
    outcome = outcome.noted(*notes, *not_scored(made))
    tried = outcome.tried
    first, *later = earlier.proven
    if joined is None:
        outcome = replace(outcome, tried=replace(tried, undecided=(*tried.undecided, *later)))
        return _proven(outcome, first, tasks, test, crew=crew, plan=plan, log=log, others=others)
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
    crew: Crew,
    plan: Plan,
    log: Log,
    others: Sequence[Task],
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
