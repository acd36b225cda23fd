"""Begin a step: see what it could take on, and draft rules from train; no val task is asked for it."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.learn import Log
from skillopt_sleep.learning.rule import CandidateRule, TriedRule, about, going_on, try_rule
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.work import Executor
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Deed,
    Document,
    Evidence,
    Judged,
    Note,
    Offered,
    Outcome,
    Past,
    Split,
    StepOutcome,
    StepSessions,
    StepTasks,
    Task,
    TaskOrigin,
    TriedEdits,
    Verdict,
    WaitingCandidate,
    lessons_of,
)

NOTHING_PAST = Past()


class Begun(NamedTuple):
    """A step before val is asked about its `rules`; without any, `outcome` says how it ends.

    Tasks to `learn` from are those of lessons that have no rule yet, and recalled ones like them. `known` are the
    tasks of earlier nights and tonight that can be tried. The lessons of `others` must not be harmed. For the lessons
    `held` an adopted rule stands.
    """

    outcome: StepOutcome
    past: Past
    train: tuple[Task, ...] = ()
    val: tuple[Task, ...] = ()
    test: tuple[Task, ...] = ()
    known: tuple[Task, ...] = ()
    others: tuple[Task, ...] = ()
    held: frozenset[str] = frozenset()
    learn: tuple[Task, ...] = ()
    rules: tuple[CandidateRule, ...] = ()

    @property
    def document(self) -> Document:
        """The document that the step works on."""
        return self.outcome.document

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons that rules can be drafted for, in the order of their first task."""
        real = (task.lesson for task in self.learn if task.origin is not TaskOrigin.RECALLED)
        return tuple(dict.fromkeys(real))

    def sessions(self, lessons: Collection[str]) -> int:
        """Count the sessions in which one of these lessons came up."""
        tasks = {task.id: task for task in (*self.known, *self.train, *self.val, *self.test)}
        return len({task.session for task in tasks.values() if task.lesson in lessons})

    def resting(self, waits: Sequence[WaitingCandidate]) -> "Begun":
        """Return the step with these rules, which wait on as they are."""
        tried = self.outcome.tried
        tried = replace(tried, undecided=(*tried.undecided, *waits))
        return self._replace(outcome=replace(self.outcome, tried=tried))

    def ended(self, end: Outcome, because: str) -> "Begun":
        """Return the step with how it ends, and why."""
        return self._replace(outcome=replace(self.outcome, outcome=end, because=because))


def begin(
    document: Document,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: NightPlan,
    past: Past = NOTHING_PAST,
    known: Sequence[Task] = (),
) -> Begun:
    """Return what a step on this document could take on tonight; no model is asked.

    A lesson without an unseen task of another session can't be proved: it waits, and nothing is spent on it. Nor is
    anything spent on a lesson whose rule waits already, or on a task that needs the repository while attempts are
    made in words. `known` are the tasks of earlier nights, which guard the adopted rules.
    """
    wanted = [offer for offer in past.offered if offer.again]
    past = _still_offered(past, document)
    tonight = {task.id for task in tasks}
    known, _ = in_reach([*(task for task in known if task.id not in tonight), *tasks], crew.executor)
    reached, needing = in_reach(tasks, crew.executor)
    train, val, test = by_split(reached)
    held = learned(document, past.adopted)
    others = [task for task in known if task.split is Split.VAL and task.lesson in held]
    rules, rest, notes = going_on(
        document,
        [wait for wait in past.waiting if not _rests(wait, past.offered)],
        val,
        known=known,
        crew=crew,
        refused={edit.key for edit in past.refused},
        rounds=plan.gate.rounds,
    )
    rest += [wait for wait in past.waiting if _rests(wait, past.offered)]
    outcome = _outcome(document, reached, needing).noted(*notes)
    past = replace(past, waiting=(*(rule.wait for rule in rules if rule.wait), *rest))
    begun = Begun(
        outcome=outcome,
        past=past,
        train=tuple(train),
        val=tuple(val),
        test=tuple(test),
        known=tuple(known),
        others=tuple({task.id: task for task in (*others, *val)}.values()),
        held=held,
        rules=tuple(rules),
    ).resting(rest)
    return _with_own_words(_learnable(begun, needing), wanted, plan)


def _outcome(document: Document, tasks: Sequence[Task], needing: Sequence[Task]) -> StepOutcome:
    """Return the outcome of a step on these tasks that has done nothing yet; others are `needing` the repository."""
    train, val, test = by_split(tasks)
    evidence, deeds = evidence_of(train)
    outcome = StepOutcome(
        document=document,
        outcome=Outcome.UNVERIFIED,
        because="",
        verdict=Verdict(decision=Decision.ABSTAIN, reason="no trial"),
        tasks=StepTasks(train=len(train), val=len(val), test=len(test), needs_repository=len(needing)),
        sessions=StepSessions(ids=tuple(dict.fromkeys(task.session for task in (*train, *val, *test, *needing)))),
        tried=TriedEdits(evidence=evidence, deeds=deeds),
    )
    if not needing:
        return outcome
    return outcome.noted(Note(stage="step", summary=f"{document.id}: {_needs(needing)}", expected=True))


def in_reach(tasks: Sequence[Task], executor: Executor) -> tuple[list[Task], list[Task]]:
    """Return the tasks that this executor can try, and those that wait for one that has the repository."""
    reached = [task for task in tasks if executor.reaches(task)]
    return reached, [task for task in tasks if not executor.reaches(task)]


def by_split(tasks: Sequence[Task]) -> tuple[list[Task], list[Task], list[Task]]:
    """Return the tasks on train, on val and on test; those that wait for a side count as train."""
    sides: dict[Split, list[Task]] = {split: [] for split in Split}
    for task in tasks:
        sides[task.split or Split.TRAIN].append(task)
    return sides[Split.TRAIN], sides[Split.VAL], sides[Split.TEST]


def evidence_of(tasks: Sequence[Task]) -> tuple[tuple[Evidence, ...], tuple[Deed, ...]]:
    """Return what the person said and did in these tasks."""
    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    for task in tasks:
        evidence += task.feedback.evidence
        deeds += task.feedback.deeds
    return evidence, deeds


def _still_offered(past: Past, document: Document) -> Past:
    """Return what is known of the document, with the proposals that still hold.

    One holds while our part of its files is unchanged: to adopt it changes the rest of a file as it is then.
    """
    bodies = {document.path: document.body_sha} | {twin.path: twin.body for twin in document.twins}
    return replace(past, offered=tuple(one for one in past.offered if one.bodies.items() <= bodies.items()))


def _rests(wait: WaitingCandidate, offered: Sequence[Offered]) -> bool:
    """Tell whether a rule waits on because all of its lessons have a proposal that waits for the person."""
    own = {edit.key for offer in offered for edit in offer.wording}
    if all(edit.key in own for edit in wait.tested.edits):
        return False
    decided = {lesson for offer in offered for lesson in offer.lessons}
    lessons = lessons_of(wait.tested.edits)
    return bool(lessons) and decided.issuperset(lessons)


def _learnable(begun: Begun, needing: Sequence[Task]) -> Begun:
    """Return the step with the tasks to learn from; if there are none, and no rule goes on, it says why."""
    proposed = {lesson: offer.proposal for offer in begun.past.offered for lesson in offer.lessons}
    written = _written(begun.past)
    provable = {task.lesson for task in begun.val}
    learn: list[Task] = []
    untestable = {task.lesson for task in begun.train if task.origin is TaskOrigin.REAL}
    untestable -= provable | proposed.keys() | written | {task.lesson for task in needing}
    for task in begun.train:
        is_new = task.split is Split.TRAIN and task.lesson in provable and task.lesson not in written
        if task.lesson not in proposed and (is_new or task.origin is TaskOrigin.RECALLED):
            learn.append(task)
    again, notes = _asked_again(begun, proposed)
    outcome = begun.outcome
    outcome = replace(
        outcome,
        tried=replace(outcome.tried, offered=again),
        tasks=replace(outcome.tasks, train=len(learn), untestable=len(untestable)),
    ).noted(*notes)
    begun = begun._replace(outcome=outcome, learn=tuple(learn))
    if begun.lessons:
        return begun
    begun = begun._replace(learn=())
    if begun.train and not untestable and (again or written):
        which = f"was proposed already: {', '.join(again)}" if again else "has a rule that waits for more sessions"
        return begun.ended(Outcome.NO_CHANGE, f"all that was asked for {which}")
    return begun.ended(Outcome.UNVERIFIED, _why_none(len(untestable), begun.val, needing))


def _written(past: Past) -> set[str]:
    """Return the lessons whose rule waits; of one that was rejected another wording may do better."""
    lessons: set[str] = set()
    for wait in past.waiting:
        if wait.tested.verdict.decision is not Decision.REJECT and wait.tested.kind is not CandidateKind.REMOVAL:
            lessons.update(lessons_of(wait.tested.edits))
    return lessons


def _asked_again(begun: Begun, proposed: Mapping[str, str]) -> tuple[tuple[str, ...], list[Note]]:
    """Return the proposals whose lessons came up again on train, and a note on each."""
    again = dict.fromkeys(proposed[task.lesson] for task in begun.train if task.lesson in proposed)
    notes: list[Note] = []
    for proposal in again:
        tasks = (*begun.train, *begun.val, *begun.test)
        sessions = {task.session for task in tasks if proposed.get(task.lesson) == proposal}
        asked = counted(len(sessions), "session asks", "sessions ask")
        summary = f"{begun.document.id}: {asked} for what {proposal} proposes, so it wasn't learned again"
        notes.append(Note(stage="step", summary=summary, remedy=f"adopt or reject {proposal}", expected=True))
    return tuple(again), notes


def _needs(waiting: Sequence[Task]) -> str:
    count = counted(len(waiting), "task waits", "tasks wait")
    return f"needs the repository: {count} for a replay that can run them"


def _why_none(lessons: int, val: Sequence[Task], needing: Sequence[Task]) -> str:
    """Say why there is no task to learn from: how many lessons have no unseen task, which tasks can't be tried."""
    reasons: list[str] = []
    if lessons:
        which = counted(lessons, "lesson has", "lessons have")
        reasons.append(f"{which} requests of one session only, so there is no unseen one to test with")
    if needing:
        reasons.append(_needs(needing))
    if val and not lessons:
        reasons.append("every task that can be tried is there to test with, none to learn from")
    return "; ".join(reasons) or "there is no task to learn from"


def _with_own_words(begun: Begun, wanted: Sequence[Offered], plan: NightPlan) -> Begun:
    """Return the step with the wordings that the person wants tested, as rules; of each that can't be, a note."""
    rules: list[CandidateRule] = []
    notes: list[Note] = []
    lessons = {task.lesson for task in begun.val}
    for offer in wanted:
        because = ""
        if not all(lessons.intersection(edit.lessons) for edit in offer.wording):
            because = "no unseen task of its lesson can be tried tonight"
        elif candidate(begun.document, offer.wording, most=plan.step.max_chars) is None:
            because = f"it doesn't fit {begun.document.id}"
        if because:
            notes.append(postponed(offer.proposal, because))
        else:
            val = about(offer.wording, begun.val)
            rules.append(CandidateRule(CandidateKind.RULE, offer.wording, val, proposal=offer.proposal))
    keys = {rule.key for rule in rules}
    kept = [rule for rule in begun.rules if rule.key not in keys]
    offered = tuple(name for name in begun.outcome.tried.offered if name not in {rule.proposal for rule in rules})
    outcome = replace(begun.outcome, tried=replace(begun.outcome.tried, offered=offered))
    return begun._replace(outcome=outcome.noted(*notes), rules=(*rules, *kept))


def postponed(proposal: str, because: str) -> Note:
    """Note that the person's wording of a rule is tested on a later night, and why."""
    return Note(stage="retest", summary=f"your wording {proposal} waits to be tested again: {because}", expected=True)


def is_due(plan: NightPlan, past: Past) -> bool:
    """Return whether the document's last look back was as many nights ago as the plan says."""
    return past.snapshot is not None and 0 < plan.step.slow_every <= past.snapshot.nights


class DocumentStep(NamedTuple):
    """A step on one document, and what all of it needs.

    Each new rule of the night is tried with this `share` of its error rate. The lessons that are `failing` without a
    change can't get worse.
    """

    begun: Begun
    crew: Crew
    plan: NightPlan
    log: Log
    night: str
    share: float
    failing: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        """The document that the step works on."""
        return self.begun.document

    def untried(self, rule: CandidateRule) -> TriedRule:
        """Return a rule that waits for another night as it is."""
        return TriedRule(rule, rule.untried(share=self.share), begun=False)

    def attempt(
        self,
        rule: CandidateRule,
        proven: Sequence[Judged] = (),
        *,
        rounds: int | None = None,
        hurried: bool = False,
        so_far: TriedRule | None = None,
    ) -> TriedRule:
        """Try one rule by itself, on top of those of its lessons that were `proven` tonight, in so many rounds."""
        same = [one for one in proven if set(lessons_of(one.edits)) & set(rule.lessons)]
        edits = [edit for one in same for edit in one.edits]
        base = candidate(self.document, edits) or self.document
        gate = self.plan.removal if rule.kind is CandidateKind.REMOVAL else self.plan.gate
        gate = replace(gate, rounds=gate.rounds if rounds is None else rounds)
        share = gate.alpha if rule.kind is CandidateKind.REMOVAL else self.share
        most = self.plan.step.max_chars
        tried = try_rule(
            base, rule, crew=self.crew, gate=gate, share=share, most=most, hurried=hurried, so_far=so_far
        )
        made = tried.rollouts if so_far is None else tried.rollouts[len(so_far.rollouts) :]
        self.log("rollouts", made)
        return tried
