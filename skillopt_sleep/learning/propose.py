"""Propose the edits of a night: attempt the train tasks, and draft a candidate from what failed."""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace
from rapidfuzz import fuzz

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts, Making, not_scored
from skillopt_sleep.learning.augment import augment
from skillopt_sleep.learning.begin import Begun
from skillopt_sleep.learning.learn import EditLimit, Log, Teaching, draft
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.rule import CandidateRule, about
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.mining.in_force import says_already, stands_already
from skillopt_sleep.proposals.guard import problems
from skillopt_sleep.proposals.missing import missing
from skillopt_sleep.proposals.rules import repeats
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.records import (
    AppliedEdit,
    CandidateKind,
    Document,
    Edit,
    EditFate,
    EditOp,
    EditStatus,
    Note,
    Outcome,
    Past,
    Rollout,
    Score,
    Task,
    TaskOrigin,
    Trajectory,
)
from skillopt_sleep.replay.rollout import Job

LEAST_OF_LESSON = 2  # attempts
SAME_WORDS = 90.0  # of 100: a rule that waits is not tried anew in nearly the same words


class Proposed(msgspec.Struct, frozen=True, kw_only=True):
    """The edits with their fates, or `nothing`: how a step without a candidate ends, and why."""

    edits: tuple[AppliedEdit, ...] = ()
    nothing: tuple[Outcome, str] | None = None
    notes: tuple[Note, ...] = ()
    unfinished: bool = False


def propose(
    train: Sequence[Task],
    *,
    optimizer: Optimizer,
    attempts: Making,
    plan: NightPlan,
    log: Log,
    held: Collection[str] = (),
    tonight: Sequence[Task] = (),
    most: int = sys.maxsize,
) -> Proposed:
    """Turn what the person rejected, and failed attempts at the train tasks, into edits that could be applied.

    At most `most` edits are tried, and as many as the edit budget. A rule stands for the lessons `held`: as long as
    most of their attempts do what was asked, the failures of the others ask for no second rule. Of all the tasks of
    `tonight` only the sessions are counted.
    """
    document, rules = optimizer.document, plan.step
    more = augment(train, each=rules.augment, optimizer=optimizer)
    if more.tasks:
        log("augmented", more.tasks)
    train = (*train, *more.tasks)
    recorded = _recorded(train, document, held)
    made = _attempt(train, document, attempts, samples=rules.samples, recorded=recorded)
    log("rollouts", made)
    notes = (*more.notes, *not_scored(made))
    tried = (*recorded.values(), *made)
    scores = [attempt.score for attempt in tried if attempt.score is not None]
    if not scores:
        because = f"none of {len(tried)} attempts at the known requests could be scored"
        return Proposed(
            nothing=(Outcome.UNVERIFIED, because),
            notes=notes,
            unfinished=any(attempt.failed for attempt in tried),
        )
    if all(score.hard >= 1 for score in scores):
        those = "the only attempt already does" if len(scores) == 1 else f"all {len(scores)} attempts already do"
        because = f"{those} what was asked"
        return Proposed(nothing=(Outcome.NO_HEADROOM, because), notes=notes)
    worth_learning = _not_held(tried, train, held)
    if not any(attempt.score is not None and attempt.score.hard < 1 for attempt in worth_learning):
        because = f"most of {len(scores)} attempts already do what was asked, and the rules for the others stand"
        return Proposed(nothing=(Outcome.NO_HEADROOM, because), notes=notes)
    known = "\n".join((document.text, *(quote for task in train for quote in task.quotes)))
    budget = min(rules.edit_budget, most)
    drafted = draft(
        Teaching([worth_learning], {task.id: task for task in train}, partial(measure, rule=plan.gate)),
        optimizer=optimizer,
        rules=rules,
        limit=EditLimit(budget, budget),
        refuse=_refusal(document, train, plan, optimizer.past, tonight=tonight),
        sourced=more.of_real,
        lacks=lambda rule: missing(rule, Path(document.project), held=known),
        log=log,
    )
    notes += drafted.notes
    if not drafted.patches:
        why = drafted.notes[0].summary.removeprefix(f"{document.id}: ") if drafted.notes else "no answer came"
        because = f"no lesson could be drawn: {why}"
        return Proposed(nothing=(Outcome.UNVERIFIED, because), notes=notes, unfinished=True)
    nothing = None
    if drafted.candidate.text == document.text:
        nothing = (Outcome.NO_CHANGE, _why_unchanged(drafted.fates))
    return Proposed(edits=drafted.fates, nothing=nothing, notes=notes)


def _attempt(
    train: Sequence[Task], document: Document, attempts: Making, *, samples: int, recorded: Collection[str]
) -> tuple[Rollout, ...]:
    """Attempt each task `samples` times, and twice if it alone shows its lesson: one attempt may do it by luck.

    Those whose failure is `recorded` need one attempt less.
    """
    alone = Counter(task.lesson for task in train)
    jobs: list[Job] = []
    for task in train:
        times = max(samples, LEAST_OF_LESSON) if task.lesson and alone[task.lesson] == 1 else samples
        if task.id in recorded:
            times = samples - 1
        jobs += [(task, document, sample) for sample in range(times)]
    return attempts.make(jobs, label=f"rollout {document.id}") if jobs else ()


def _recorded(train: Sequence[Task], document: Document, held: Collection[str]) -> dict[str, Rollout]:
    """Return the answers that the person rejected in the tasks' own sessions, as failed attempts by task.

    Where a rule stands for a lesson, or the document says it now, that answer may be from before.
    """
    failed = Score(hard=0.0, soft=0.0)
    recorded: dict[str, Rollout] = {}
    for task in train:
        if task.feedback.rejected and task.lesson not in held and not says_already(document, task):
            answer = Trajectory(response=task.feedback.rejected)
            recorded[task.id] = Rollout(task=task.id, document_sha="", sample=0, trajectory=answer, score=failed)
    return recorded


def _not_held(tried: Sequence[Rollout], train: Sequence[Task], held: Collection[str]) -> tuple[Rollout, ...]:
    """Return the attempts without those at lessons that are `held` and failed less often than not."""
    lessons = {task.id: task.lesson for task in train}
    failures = Counter[str]()
    passes = Counter[str]()
    for attempt in tried:
        if attempt.score is not None:
            counted = passes if attempt.score.hard >= 1 else failures
            counted[lessons[attempt.task]] += 1
    rest = {lesson for lesson in held if passes[lesson] > failures[lesson]}
    return tuple(attempt for attempt in tried if lessons[attempt.task] not in rest)


def _refusal(
    document: Document,
    train: Sequence[Task],
    plan: NightPlan,
    past: Past,
    *,
    tonight: Sequence[Task],
) -> Callable[[Edit], str]:
    """Return a function that says why an edit may not be tried.

    It was refused or taken back, waits for proof in much the same words, stands already, or is unsafe.
    """
    quotes = [quote for task in train for quote in task.quotes]
    lessons = {task.id: task.lesson for task in train}
    refused = {edit.key: past.why_refused(edit) for edit in past.turned_down}
    waits = [wait for wait in past.waiting if len(wait.tested.edits) == 1]

    def refuse(edit: Edit) -> str:
        if why := refused.get(edit.key):
            return why
        own = {lessons[task] for task in edit.tasks if task in lessons}
        if why := _taken_back(edit, past, [task for task in tonight if task.lesson in own]):
            return why
        for wait in waits:
            if _is_alike(edit, wait.tested.edits[0]):
                return f"it waits for more proof since the night of {wait.night}"
        if edit.op is EditOp.DELETE:
            return ""
        if repeats(edit, document.text):
            return "it stands there already"
        if why := stands_already(document, [task for task in tonight if task.lesson in own], rule=edit.content):
            return why
        return "; ".join(problems(edit.content, evidence=quotes, held=document.text, allowed=plan.allowed))

    return refuse


def _is_alike(edit: Edit, known: Edit) -> bool:
    """Tell whether two edits do the same in nearly the same words."""
    if (edit.op is EditOp.DELETE) is not (known.op is EditOp.DELETE):
        return False
    (_, words), (_, others) = edit.key, known.key
    return fuzz.token_sort_ratio(words, others) >= SAME_WORDS


def _taken_back(edit: Edit, past: Past, tasks: Sequence[Task]) -> str:
    """Say that the person took this edit back, unless one of these tasks of its lessons is of a later day."""
    for old in past.proposed:
        is_it = old.status is EditStatus.UNDONE and old.edit.key == edit.key
        if is_it and all(f"{task.at:%Y-%m-%d}" <= old.since for task in tasks):
            return f"you adopted {old.proposal} and took it back on {old.since}, and haven't said it again since"
    return ""


def _why_unchanged(fates: Sequence[AppliedEdit]) -> str:
    if not fates:
        return "no edit was proposed"
    if all(fate.turned_down for fate in fates):
        return f"no edit was tried: {'; '.join(dict.fromkeys(fate.because for fate in fates))}"
    reasons = [f"{fate.fate}: {fate.because}" for fate in fates if fate.fate is not EditFate.APPLIED]
    what = "the proposed edit couldn't" if len(fates) == 1 else f"none of {len(fates)} proposed edits could"
    return f"{what} be applied ({'; '.join(reasons)})"


def draft_rules(begun: Begun, lessons: Collection[str], *, crew: Crew, plan: NightPlan, log: Log) -> Begun:
    """Return the step with the rules that were drafted for these lessons; the optimizer sees train tasks only.

    `log` saves each stage's rows.
    """
    own = [task for task in begun.learn if task.lesson in lessons or task.origin is TaskOrigin.RECALLED]
    outcome = replace(begun.outcome, tasks=replace(begun.outcome.tasks, train=len(own)))
    optimizer = Optimizer(
        backend=crew.optimizer,
        pool=crew.pool,
        document=begun.document,
        past=begun.past,
        preferences=plan.preferences,
    )
    proposed = propose(
        own,
        optimizer=optimizer,
        attempts=CrewAttempts(crew),
        plan=plan,
        log=log,
        held=begun.held,
        tonight=(*begun.train, *begun.val, *begun.test),
        most=len(lessons),
    )
    fates = _with_lessons(proposed.edits, own)
    outcome = replace(
        outcome,
        tried=replace(outcome.tried, edits=fates),
        sessions=replace(outcome.sessions, unfinished=proposed.unfinished),
    ).noted(*proposed.notes)
    begun = begun._replace(outcome=outcome)
    if proposed.nothing is not None:
        return begun.ended(*proposed.nothing)
    edits = [fate.edit for fate in fates if fate.fate is EditFate.APPLIED]
    rules, notes = _rules(begun, edits, plan)
    return begun._replace(outcome=outcome.noted(*notes), rules=(*begun.rules, *rules))


def _rules(begun: Begun, edits: Sequence[Edit], plan: NightPlan) -> tuple[list[CandidateRule], list[Note]]:
    """Return each edit as a rule, and a note on each that can't be tried.

    All are one if the gate's rule has no error rate to share, or if they need one another.
    """
    alone = [candidate(begun.document, (edit,), most=plan.step.max_chars) for edit in edits]
    if plan.gate.name != "sequential" or not all(alone):
        return [CandidateRule(CandidateKind.PATCH, tuple(edits), about(edits, begun.val))], []
    rules = [CandidateRule(CandidateKind.RULE, (edit,), about((edit,), begun.val)) for edit in edits]
    notes: list[Note] = []
    for rule in rules:
        if not rule.val:
            text = one_line(rule.edits[0].content or rule.edits[0].target)
            summary = f"{begun.document.id}: «{text}» wasn't tried: its lesson has no unseen task"
            notes.append(Note(stage="trial", summary=summary, expected=True))
    return [rule for rule in rules if rule.val], notes


def _with_lessons(fates: Sequence[AppliedEdit], tasks: Sequence[Task]) -> tuple[AppliedEdit, ...]:
    """Return the fates, each edit with the lessons of those tasks that it was learned from."""
    lessons = {task.id: task.lesson for task in tasks if task.lesson}
    named: list[AppliedEdit] = []
    for fate in fates:
        own = dict.fromkeys(lessons[task] for task in fate.edit.tasks if task in lessons)
        named.append(replace(fate, edit=replace(fate.edit, lessons=tuple(own) or fate.edit.lessons)))
    return tuple(named)
