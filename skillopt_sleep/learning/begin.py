"""Begin a step: resume what waits, and draft a candidate from train; no val task is asked for it yet.

A night fixes each document's share of the error rate between the two halves of its steps: by then it's known which
documents have a candidate, and none of their candidates has been tried.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.ending import beginning, by_split, end_as, why_none
from skillopt_sleep.learning.exercise import by_use, in_reach, with_lessons
from skillopt_sleep.learning.look_back import is_due
from skillopt_sleep.learning.offers import current, resting, still_open
from skillopt_sleep.learning.propose import not_scored, propose
from skillopt_sleep.learning.resume import Resumed, resume, twin_of
from skillopt_sleep.learning.retest import PROVEN_FIRST, learned_for, own_words, postponed
from skillopt_sleep.learning.tried_before import still_rejected
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    AppliedEdit,
    Document,
    Edit,
    EditEffect,
    Fate,
    Judged,
    Offered,
    Outcome,
    Past,
    Split,
    StepOutcome,
    Task,
)

Log = Callable[[str, Sequence[object]], None]

NOTHING_PAST = Past()
MAY_LOOK_BACK = frozenset({Outcome.NO_CHANGE, Outcome.UNDECIDED})


class Begun(NamedTuple):
    """A step before val is asked about its `edits`; without any, `outcome` says how it ends.

    Among the edits are those of the person's own wordings that are `retested`. `learned_from` are the train tasks
    that the edits were drafted from. `known` are the tasks of earlier nights and tonight, `in_reach` those that can
    be tried. The lessons of `others` must not be harmed. For the lessons `held` an adopted rule stands.
    """

    outcome: StepOutcome
    past: Past
    optimizer: Optimizer
    earlier: Resumed
    train: tuple[Task, ...]
    val: tuple[Task, ...]
    test: tuple[Task, ...]
    known: tuple[Task, ...]
    in_reach: tuple[Task, ...]
    others: tuple[Task, ...]
    held: frozenset[str]
    edits: tuple[Edit, ...] = ()
    learned_from: tuple[Task, ...] = ()
    retested: tuple[Offered, ...] = ()

    @property
    def document(self) -> Document:
        """The document that the step works on."""
        return self.outcome.document

    def ended(self, outcome: StepOutcome, end: Outcome, because: str) -> "Begun":
        """Return the step with how it ended, and why."""
        return self._replace(outcome=end_as(outcome, end, because))

    def needs_share(self, plan: Plan) -> bool:
        """Return whether the step will try something new on val: its edits, or guidance."""
        return bool(self.edits) or (not self.earlier.proven and may_look_back(self.outcome, plan, self.past))


def may_look_back(outcome: StepOutcome, plan: Plan, past: Past) -> bool:
    """Return whether a look back is due on a night that found nothing better."""
    return is_due(plan, past) and outcome.outcome in MAY_LOOK_BACK


def begin(
    document: Document,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: Plan,
    log: Log,
    past: Past = NOTHING_PAST,
    known: Sequence[Task] = (),
) -> Begun:
    """Resume the trials of waiting candidates; if none is proven, draft a candidate from train.

    A lesson without an unseen task of another session can't be proved: it waits, and nothing is spent on it. Nor is
    anything spent on a lesson whose proposal waits for the person, or on a task that needs the repository while
    attempts are made in words. `log` saves each stage's rows; `known` tasks of earlier nights show what a standing
    rule is for.
    """
    wanted = [offer for offer in past.offered if offer.again]
    past = current(past, document)
    known = _with_tonight(known, tasks)
    known_in_reach, _ = in_reach(known, crew.executor)
    reached, waiting = in_reach(tasks, crew.executor)
    train, val, test = by_split(reached)
    rest = resting(past.waiting, past.offered, document)
    waits = [wait for wait in past.waiting if wait not in rest]
    held = learned(document, past.adopted, known)
    others = [task for task in known_in_reach if task.split is Split.VAL and task.lesson in held]
    others += val
    earlier = resume(
        document, waits, val, crew=crew, rule=plan.gate, refused=past.refused, known=known_in_reach, others=others
    )
    earlier = earlier._replace(rest=(*rest, *earlier.rest))
    if earlier.tried:
        log("rollouts", earlier.rollouts)
        log("trials", [wait.tested for wait in earlier.tried])
    outcome = _with_resumed(beginning(document, reached, waiting=waiting), earlier)
    past = replace(past, waiting=outcome.tried.undecided)
    optimizer = Optimizer(
        backend=crew.optimizer, pool=crew.pool, document=document, past=past, preferences=plan.preferences
    )
    begun = Begun(
        outcome=outcome,
        past=past,
        optimizer=optimizer,
        earlier=earlier,
        train=tuple(train),
        val=tuple(val),
        test=tuple(test),
        known=known,
        in_reach=tuple(known_in_reach),
        others=tuple(others),
        held=held,
    )
    if earlier.proven:
        notes = [postponed(offer.proposal, PROVEN_FIRST) for offer in wanted]
        return begun._replace(outcome=outcome.noted(*notes))
    drafted = _draft(begun, waiting, crew=crew, plan=plan, log=log)
    return _with_own_words(drafted, wanted, plan)


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


def _draft(begun: Begun, waiting: Sequence[Task], *, crew: Crew, plan: Plan, log: Log) -> Begun:
    """Draft a candidate; the optimizer sees train tasks only. `waiting` tasks need the repository."""
    outcome, past, val = begun.outcome, begun.past, begun.val
    undecided = still_open(begun.train, past, outcome.document, tonight=[*begun.train, *val, *begun.test])
    outcome = replace(outcome, tried=replace(outcome.tried, offered=undecided.offered)).noted(*undecided.notes)
    if begun.train and not undecided.tasks:
        return begun.ended(outcome, Outcome.NO_CHANGE, undecided.why_nothing)
    train, alike, untestable = by_use(undecided.tasks, val)
    untestable -= {task.lesson for task in waiting}
    outcome = replace(outcome, tasks=replace(outcome.tasks, train=len(train), untestable=len(untestable)))
    if not train:
        return begun.ended(outcome, Outcome.UNVERIFIED, why_none(len(untestable), val, waiting))
    attempts = CrewAttempts(crew)
    rejected = still_rejected(past, val)
    proposed = propose(
        [*train, *alike],
        optimizer=begun.optimizer,
        attempts=attempts,
        plan=plan,
        log=log,
        rejected=rejected,
        held=begun.held,
        tonight=(*begun.train, *val, *begun.test),
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
        return begun.ended(outcome, *proposed.nothing)
    applied = tuple(fate.edit for fate in fates if fate.fate is Fate.APPLIED)
    twin = twin_of(outcome.document, applied, past.waiting)
    if twin is not None:
        because = f"the same change waits for more proof since the night of {twin.night}"
        return begun.ended(outcome, Outcome.NO_CHANGE, because)
    return begun._replace(outcome=outcome, edits=applied, learned_from=tuple(train))


def _with_own_words(drafted: Begun, wanted: Sequence[Offered], plan: Plan) -> Begun:
    """Let the wordings that the person wants tested again join the draft as edits of tonight."""
    outcome = drafted.outcome
    own = own_words(drafted.document, drafted.edits, wanted, drafted.val, most=plan.step.max_chars)
    fates = [AppliedEdit(edit=edit, fate=Fate.APPLIED) for edit in own.edits]
    retested = {offer.proposal for offer in own.offers}
    offered = tuple(name for name in outcome.tried.offered if name not in retested)
    tried = replace(outcome.tried, edits=(*outcome.tried.edits, *fates), offered=offered)
    more = [task for task in learned_for(own.edits, drafted.train) if task not in drafted.learned_from]
    return drafted._replace(
        outcome=replace(outcome, tried=tried).noted(*own.notes),
        edits=(*drafted.edits, *own.edits),
        learned_from=(*drafted.learned_from, *more),
        retested=own.offers,
    )


def _with_lessons(fates: Sequence[AppliedEdit], tasks: Sequence[Task]) -> tuple[AppliedEdit, ...]:
    """Return what became of the edits, each edit with its lessons."""
    edits = with_lessons([fate.edit for fate in fates], tasks)
    return tuple(replace(fate, edit=edit) for fate, edit in zip(fates, edits, strict=True))
