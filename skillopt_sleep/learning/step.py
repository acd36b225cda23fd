"""One night's optimization step on one document: resume, learn, search, look back, remove."""

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.exercise import about, exercise
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.look_back import is_due, learning_rule, look_back
from skillopt_sleep.learning.propose import not_scored, propose
from skillopt_sleep.learning.removal import remove
from skillopt_sleep.learning.resume import GoneOn, go_on
from skillopt_sleep.learning.search import Search, candidate, search, shorten, waiting
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    Fate,
    Judged,
    Note,
    Outcome,
    Past,
    Rollout,
    Split,
    StepOutcome,
    StepSessions,
    StepTasks,
    Task,
    TaskOrigin,
    TestMeans,
    Tried,
    Verdict,
    Waiting,
)

Log = Callable[[str, Sequence[object]], None]

NOTHING_PAST = Past()
MOST_WAITING = 5
STANDALONE = frozenset({CandidateKind.BUNDLE, CandidateKind.HALF})
MAY_LOOK_BACK = frozenset({Outcome.NO_CHANGE, Outcome.UNDECIDED})
ENDS = {
    Decision.ACCEPT: Outcome.IMPROVED,
    Decision.REJECT: Outcome.NO_CHANGE,
    Decision.UNDECIDED: Outcome.UNDECIDED,
    Decision.ABSTAIN: Outcome.UNVERIFIED,
}


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

    A lesson without an unseen task of another session can't be proved: it waits, and nothing is spent on it. `log`
    saves each stage's rows; `known` tasks of earlier nights show what a standing rule is for.
    """
    tonight = {task.id for task in tasks}
    known = (*(task for task in known if task.id not in tonight), *tasks)
    train, val, test = ([task for task in tasks if task.split is side] for side in Split)
    so_far = beginning(document, train=train, val=val, test=test)
    earlier = go_on(document, past.waiting, val, crew=crew, rule=plan.gate, refused=past.refused, known=known)
    if earlier.tried:
        log("rollouts", earlier.rollouts)
        log("trials", [wait.tested for wait in earlier.tried])
    tried = replace(
        so_far.tried,
        tested=tuple(wait.tested for wait in earlier.tried),
        effects=tuple(told for wait in earlier.tried for told in credit(wait.tested, (wait.tested,))),
        undecided=(*earlier.rest, *earlier.undecided),
    )
    so_far = replace(so_far, tried=tried, notes=(*earlier.notes, *not_scored(earlier.rollouts)))
    if earlier.accepted is not None:
        tasks, made = [*train, *val], earlier.rollouts
        return _proven(so_far, earlier.accepted, tasks, test, made, crew=crew, plan=plan, log=log)
    past = replace(past, waiting=so_far.tried.undecided)
    optimizer = Optimizer(
        backend=crew.optimizer, pool=crew.pool, document=document, past=past, preferences=plan.preferences
    )
    learned = _learn(so_far, train, val, test, crew=crew, optimizer=optimizer, plan=plan, log=log, night=night)
    if is_due(plan, past) and learned.outcome in MAY_LOOK_BACK:
        back = look_back(
            learned, train, val, crew=crew, optimizer=optimizer, plan=plan, past=past, night=night, log=log
        )
        learned = back.outcome.noted(*not_scored(back.rollouts))
        if back.decides is not None:
            learned = _decided(learned, back.decides, test, crew=crew, plan=plan)
    learned = _with_undecided(learned, earlier)
    shorter = remove(learned, known, crew=crew, plan=plan, past=past, night=night, slow=is_due(plan, past), log=log)
    learned = shorter.outcome.noted(*not_scored(shorter.rollouts))
    return _decided(learned, shorter.decides, test, crew=crew, plan=plan) if shorter.decides else learned


def _learn(
    so_far: StepOutcome,
    train: Sequence[Task],
    val: Sequence[Task],
    test: Sequence[Task],
    *,
    crew: Crew,
    optimizer: Optimizer,
    plan: Plan,
    log: Log,
    night: str,
) -> StepOutcome:
    """Draft a candidate from train, then search on val; the optimizer sees train tasks only."""
    document, past = so_far.document, optimizer.past
    provable = {task.cluster for task in val}
    untestable = {task.cluster for task in train if task.origin is TaskOrigin.REAL} - provable
    alike = [task for task in train if task.origin is TaskOrigin.RECALLED]
    train = [task for task in train if task.cluster in provable and task not in alike]
    so_far = replace(so_far, tasks=replace(so_far.tasks, train=len(train), untestable=len(untestable)))
    if not train:
        return _end(so_far, Outcome.UNVERIFIED, _why_waiting(len(untestable)))
    attempts = CrewAttempts(crew)
    proposed = propose([*train, *alike], optimizer=optimizer, attempts=attempts, plan=plan, log=log)
    so_far = replace(
        so_far,
        tried=replace(so_far.tried, edits=proposed.edits),
        tasks=replace(so_far.tasks, text_only=proposed.text_only),
        sessions=replace(so_far.sessions, unfinished=proposed.unfinished),
        notes=so_far.notes + proposed.notes,
    )
    if proposed.nothing is not None:
        return _end(so_far, *proposed.nothing)
    applied = tuple(fate.edit for fate in proposed.edits if fate.fate is Fate.APPLIED)
    if (twin := _twin(document, applied, past.waiting)) is not None:
        return _end(
            so_far, Outcome.NO_CHANGE, f"the same change waits for more proof since the night of {twin.night}"
        )
    so_far = _founded(so_far, applied, train)
    try:
        asked = exercise(applied, [*train, *alike], val)
        found = search(document, applied, asked, crew=crew, rule=learning_rule(plan, past), most=plan.step.max_chars)
    except CallPending:
        # Someone has to sit down for every round: what an accepted candidate needs is asked along with its trial.
        _on_test(so_far, applied, test, crew=crew, plan=plan)
        raise
    log("rollouts", found.rollouts)
    log("trials", found.tested)
    return _decided(_searched(so_far, found, crew=crew, night=night), found.best, test, crew=crew, plan=plan)


def _searched(so_far: StepOutcome, found: Search, *, crew: Crew, night: str) -> StepOutcome:
    """Add what the search tried; undecided candidates wait, and if too many do, the oldest are let go."""
    document, decision = so_far.document, found.best.verdict.decision
    fresh = tuple(
        waiting(document, tested, night=night, crew=crew)
        for tested in found.tested
        if tested.verdict.decision is Decision.UNDECIDED and tested.kind in STANDALONE
    )
    waits = so_far.tried.undecided + (() if decision is Decision.ACCEPT else fresh)
    # Each costs every night that brings it a task.
    let_go = tuple(
        Note(stage="trial", summary=f"{document.id}: the change of {wait.night} was dropped for newer ones")
        for wait in waits[:-MOST_WAITING]
    )
    failed = any(attempt.failed for attempt in found.rollouts)
    tried = replace(
        so_far.tried,
        tested=so_far.tried.tested + found.tested,
        effects=so_far.tried.effects + credit(found.best, found.tested),
        undecided=waits[-MOST_WAITING:],
    )
    so_far = replace(so_far, tried=tried).noted(*found.notes, *not_scored(found.rollouts), *let_go)
    if decision is Decision.ABSTAIN:
        so_far = replace(so_far, sessions=replace(so_far.sessions, unfinished=failed))
    return so_far


def _proven(
    so_far: StepOutcome,
    wait: Waiting,
    tasks: Sequence[Task],
    test: Sequence[Task],
    made: Sequence[Rollout],
    *,
    crew: Crew,
    plan: Plan,
    log: Log,
) -> StepOutcome:
    """Return the outcome of a candidate that waited until tonight, without the edits that contribute nothing."""
    val = [task for task in tasks if task.split is Split.VAL]
    asked = exercise(wait.tested.edits, tasks, val)
    found = shorten(so_far.document, wait.tested, asked, crew=crew, rule=plan.gate, made=made)
    log("rollouts", found.rollouts)
    log("trials", found.tested[1:])
    others = tuple(told for told in so_far.tried.effects if told.edit not in wait.tested.edits)
    lessons = {task.cluster for task in about(wait.tested.edits, tasks, val)}
    left = dict.fromkeys(task.session for task in tasks if task.split is Split.TRAIN and task.cluster not in lessons)
    so_far = _founded(so_far, found.best.edits, tasks)
    tried = replace(
        so_far.tried,
        tested=so_far.tried.tested + found.tested[1:],
        effects=others + credit(found.best, found.tested),
    )
    so_far = replace(so_far, tried=tried, sessions=replace(so_far.sessions, left=tuple(left)))
    so_far = so_far.noted(*found.notes, *not_scored(found.rollouts), *_left_note(so_far.document, left))
    return _decided(so_far, found.best, test, crew=crew, plan=plan, since=wait.night)


def _left_note(document: Document, left: Collection[str]) -> tuple[Note, ...]:
    if not left:
        return ()
    which = "1 session of another lesson is" if len(left) == 1 else f"{len(left)} sessions of other lessons are"
    said = f"{which} left for another night; a change that waited was proven first"
    return (Note(stage="step", summary=f"{document.id}: {said}"),)


def _twin(document: Document, edits: Sequence[Edit], waiting: Sequence[Waiting]) -> Waiting | None:
    """Return the waiting candidate that has the very text these edits make."""
    changed = candidate(document, edits)
    made = ((wait, candidate(document, wait.tested.edits)) for wait in waiting)
    return next((wait for wait, other in made if changed is not None and other == changed), None)


def _founded(so_far: StepOutcome, edits: Sequence[Edit], tasks: Sequence[Task]) -> StepOutcome:
    """Return the outcome with the person's words that these edits were learned from, if they are known."""
    names = {name for edit in edits for name in edit.tasks}
    said = tuple(evidence for task in tasks if task.id in names for evidence in task.evidence)
    return replace(so_far, tried=replace(so_far.tried, evidence=said)) if said else so_far


def _decided(
    so_far: StepOutcome, best: Judged, test: Sequence[Task], *, crew: Crew, plan: Plan, since: str = ""
) -> StepOutcome:
    """End with the candidate's verdict; an accepted candidate is attempted on test, once."""
    changed = candidate(so_far.document, best.edits)
    so_far = replace(so_far, candidate=changed, trial=best.trial, verdict=best.verdict)
    decision = best.verdict.decision
    if decision is Decision.ACCEPT:
        so_far = _on_test(so_far, best.edits, test, crew=crew, plan=plan)
    untested = decision is Decision.ACCEPT and not best.trial.pairs
    because = f"{best.verdict.reason}; tried since the night of {since}" if since else best.verdict.reason
    if best.kind is CandidateKind.REMOVAL and changed is not None:
        because = f"{because}; {len(so_far.document.body) - len(changed.body)} characters less"
    return _end(so_far, Outcome.UNVERIFIED if untested else ENDS[decision], because)


def _with_undecided(learned: StepOutcome, earlier: GoneOn) -> StepOutcome:
    """Return the outcome, or that of a candidate that may still be proven if the night found nothing better."""
    # A rule that may turn out not to be needed isn't news.
    waits = [wait for wait in earlier.undecided if wait.tested.kind is not CandidateKind.REMOVAL]
    if learned.outcome in {Outcome.IMPROVED, Outcome.UNDECIDED} or not waits:
        return learned
    wait = waits[0]
    because = f"{wait.tested.verdict.reason}; tried since the night of {wait.night}"
    return replace(
        learned,
        outcome=Outcome.UNDECIDED,
        because=f"{because}; new tonight: {learned.because}",
        candidate=candidate(learned.document, wait.tested.edits),
        trial=wait.tested.trial,
        verdict=wait.tested.verdict,
    )


def beginning(document: Document, *, train: Sequence[Task], val: Sequence[Task], test: Sequence[Task]) -> StepOutcome:
    """Return the outcome of a step on these tasks that has done nothing yet."""
    return StepOutcome(
        document=document,
        outcome=Outcome.UNVERIFIED,
        because="",
        verdict=Verdict(decision=Decision.ABSTAIN, reason="no trial"),
        tasks=StepTasks(train=len(train), val=len(val), test=len(test)),
        sessions=StepSessions(ids=tuple(dict.fromkeys(task.session for task in (*train, *val, *test)))),
        tried=Tried(evidence=tuple(evidence for task in train for evidence in task.evidence)),
    )


def _end(so_far: StepOutcome, outcome: Outcome, because: str) -> StepOutcome:
    return replace(so_far, outcome=outcome, because=because)


def _why_waiting(lessons: int) -> str:
    if not lessons:
        return "every task is there to test with, none to learn from"
    which = "1 lesson was" if lessons == 1 else f"{lessons} lessons were"
    return f"{which} seen in one session only, so there is no unseen task to test with"


def _on_test(
    so_far: StepOutcome, edits: Sequence[Edit], test: Sequence[Task], *, crew: Crew, plan: Plan
) -> StepOutcome:
    """Attempt the test tasks under both versions, once: the means are reported and never decide."""
    document, changed = so_far.document, candidate(so_far.document, edits)
    if not test or changed is None:
        return so_far
    jobs = [(task, arm, 0) for task in test for arm in (document, changed)]
    try:
        made = CrewAttempts(crew).make(jobs, label=f"rollout {document.id}")
    except BudgetExhausted as error:
        note = Note(stage="rollout", summary=f"{document.id}: not tried on the test tasks: {error.message}")
        return so_far.noted(note)
    arms = zip(made[::2], made[1::2], strict=True)
    scored = [(b.score, a.score) for b, a in arms if b.score is not None and a.score is not None]
    means = TestMeans(
        before=mean([measure(before, plan.gate) for before, _ in scored]),
        after=mean([measure(after, plan.gate) for _, after in scored]),
        n=len(scored),
    )
    return replace(so_far, test=means).noted(*not_scored(made))
