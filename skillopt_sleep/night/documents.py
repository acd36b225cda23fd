"""Draft rules over all documents of a night, try them one by one, and settle what each document ends as."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace as replace_in

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.begin import Begun, DocumentStep, begin, is_due
from skillopt_sleep.learning.learn import Log
from skillopt_sleep.learning.look_back import look_back
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.propose import draft_rules
from skillopt_sleep.learning.removal import remove
from skillopt_sleep.learning.rule import TriedRule, is_cut_short, waiting_rule
from skillopt_sleep.learning.step import settle
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.night.layout import Layout, lay_out
from skillopt_sleep.night.waves import End, try_rules
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Note,
    Outcome,
    Past,
    Rollout,
    Rubric,
    Split,
    StepOutcome,
    Task,
    lessons_of,
)


def learn(
    routing: Routing, *, crew: Crew, plan: NightPlan, page: OpenNight, judge: NightJudge, ended: Collection[str] = ()
) -> Iterator[StepOutcome]:
    """Yield what each document ends as; raise what cut the night short once the rest is decided."""
    crew = replace_in(crew, judge=judge.judge)
    return _Learning(routing, crew, plan, page, judge, ended).outcomes()


@dataclass
class _Learning:
    """A night's work on its documents: its rows, the lessons that it ended too early to learn, and its end.

    The lessons that have `ended` keep no rule waiting, and their tasks defend none any more, nor do those that only a
    `judge` that failed could grade.
    """

    routing: Routing
    crew: Crew
    plan: NightPlan
    page: OpenNight
    judge: NightJudge
    ended: Collection[str] = ()
    rows: dict[str, list[tuple[str, Sequence[object]]]] = field(default_factory=dict)
    unlearned: dict[str, list[str]] = field(default_factory=dict)
    end: End | None = None

    def outcomes(self) -> Iterator[StepOutcome]:
        """Yield what each document ends as."""
        try:
            begun = [self._begun(document) for document in self.routing.documents]
            layout = self.page.keep(
                "layout", Layout, lambda: lay_out(begun, calls=self.crew.meter.left(), plan=self.plan)
            )
            drafted = self._drafted(begun, layout)
            if self.judge.pending is not None:
                raise self.judge.pending
            share, drafted = self._shared(drafted, layout)
            steps = [self._step(one, share) for one in drafted]
            tried, end = try_rules(steps, layout, crew=self.crew, plan=self.plan, page=self.page, end=self.end)
            self.end = end
            for outcome in self._settled(steps, tried, layout):
                self.crew.decided(outcome)
                yield outcome
            if self.end is not None:
                raise self.end
        finally:
            for written in self.rows.values():
                for stage, rows in written:
                    self.page.write(stage, rows)

    def _begun(self, document: Document) -> Begun:
        """Return what a step on this document could take on."""
        tasks = [task for task in self.routing.tasks if task.document == document.id]
        past, notes = _without(self.page.history.past(document.path), self.ended, document)
        known = self._known(tasks, document, past)
        begun = begin(document, tasks, crew=self.crew, plan=self.plan, past=past, known=known)
        self.rows[document.id] = []
        return begun._replace(outcome=begun.outcome.noted(*notes))

    def _known(self, tasks: Sequence[Task], document: Document, past: Past) -> list[Task]:
        """Return the banked tasks that show what the document's adopted rules are for.

        A rule that still stands is guarded by its unseen tasks however old they are.
        """
        if not past.adopted:
            return []
        banked = self.page.bank.tasks({task.project for task in tasks})
        lasting = [task for task in banked if task.lesson not in self.ended]
        if self.judge.failed:
            lasting = [task for task in lasting if not isinstance(task.reference, Rubric)]
        held = learned(document, past.adopted)
        known: list[Task] = []
        for task in lasting:
            guards = task.split is Split.VAL and task.lesson in held
            if guards or self.page.started - task.at <= self.plan.recall.retire:
                known.append(task)
        return known

    def _log(self, document: Document) -> Log:
        return lambda stage, written: self.rows[document.id].append((stage, written))

    def _drafted(self, begun: Sequence[Begun], layout: Layout) -> list[Begun]:
        """Return the steps with the rules that were drafted for what is taken on.

        Where the night ends as a document is learned from, the others' rules are tried as far as that is possible.
        """

        def drafted(one: Begun) -> Begun:
            taken = layout.of(one.document.id)
            rules = tuple(rule for rule in one.rules if rule.key in taken)
            left = tuple(rule.wait for rule in one.rules if rule.wait is not None and rule.key not in taken)
            one = one._replace(rules=rules).resting(left)
            lessons = [lesson for lesson in one.lessons if lesson in taken]
            if not lessons:
                return one
            try:
                return draft_rules(one, lessons, crew=self.crew, plan=self.plan, log=self._log(one.document))
            except (BudgetExhausted, BackendUnavailable) as error:
                self.end = error
                self.unlearned[one.document.id] = lessons
                return one.ended(Outcome.UNVERIFIED, f"not learned from: {error.message}")

        return list(self.crew.pool.together(drafted, begun))

    def _shared(self, drafted: Sequence[Begun], layout: Layout) -> tuple[float, list[Begun]]:
        """Return each new rule's share of the error rate, fixed before val is asked, and the steps.

        A lesson that yields no edit counts, and so does guidance that is due; what one session alone tests doesn't,
        as it can't be accepted. What a resumed night drafted only after the shares were fixed is left for another
        night.
        """

        def counted() -> dict[str, int]:
            counts: dict[str, int] = {}
            for one in drafted:
                lessons = [what for what in layout.of(one.document.id) if what in one.lessons]
                taken = [
                    lesson
                    for lesson in lessons
                    if len({task.session for task in one.val if task.lesson == lesson}) > 1
                ]
                new = [rule for rule in one.rules if rule.wait is None and rule.sessions > 1]
                counts[one.document.id] = max(len(taken), len(new)) + is_due(self.plan, one.past)
            return counts

        counts = self.page.keep("shares", dict[str, int], counted)
        kept = [one if one.document.id in counts else _too_late(one) for one in drafted]
        return self.plan.gate.alpha / max(1, sum(counts.values())), kept

    def _step(self, begun: Begun, share: float) -> DocumentStep:
        removal = replace(self.plan.removal, alpha=self.plan.removal.alpha / max(1, len(self.routing.documents)))
        return DocumentStep(
            begun=begun,
            crew=self.crew,
            plan=replace_in(self.plan, removal=removal),
            log=self._log(begun.document),
            night=self.page.night,
            share=share,
        )

    def _settled(
        self, steps: Sequence[DocumentStep], tried: Mapping[str, Sequence[TriedRule]], layout: Layout
    ) -> Iterator[StepOutcome]:
        """Yield what each document ends as."""

        def settled(step: DocumentStep) -> StepOutcome:
            name = step.document.id
            scores = self._scores(step.document)
            step = step._replace(failing=self._failing(step, scores))
            done = settle(step, step.begun.outcome, tried[name])
            if self.end is None:
                done = _looked_back(step, done)
            left = (*layout.left_of(name), *self.unlearned.get(name, ()))
            outcome = _with_left(done, step, tried[name], left, self.end)
            return replace(outcome, later=replace(outcome.later, scores=self._scores(step.document)))

        yield from self.crew.pool.together(settled, steps)

    def _scores(self, document: Document) -> dict[str, float]:
        """Return the document's mean on each task, without a change."""
        seen = defaultdict[str, list[float]](list)
        for _, written in self.rows[document.id]:
            for attempt in written:
                if (
                    isinstance(attempt, Rollout)
                    and attempt.score is not None
                    and attempt.document_sha == document.sha
                ):
                    seen[attempt.task].append(measure(attempt.score, self.plan.gate))
        return {task: math.fsum(grades) / len(grades) for task, grades in seen.items()}

    def _failing(self, step: DocumentStep, scores: Mapping[str, float]) -> tuple[str, ...]:
        """Return the lessons that aren't answered well without a change, so that nothing can make them worse.

        It is those of which most attempts failed, and, of those never attempted, what the person had to
        correct. What a lesson that a standing rule is for scored on earlier nights may be from before that rule.
        """
        lessons: dict[str, list[float]] = {}
        not_held = [task.id for task in step.begun.known if task.lesson not in step.begun.held]
        earlier = self.page.history.scores(not_held)
        for task in step.begun.known:
            score = scores.get(task.id, earlier.get(task.id))
            own = lessons.setdefault(task.lesson, [])
            if score is not None:
                own.append(score)
        corrected = {task.lesson for task in step.begun.known if task.feedback.rejected} - step.begun.held
        failing: list[str] = []
        for lesson, grades in lessons.items():
            if 2 * math.fsum(grades) < len(grades) or (not grades and lesson in corrected):
                failing.append(lesson)
        return tuple(failing)


def _looked_back(step: DocumentStep, outcome: StepOutcome) -> StepOutcome:
    """Look back if nothing is proven, and try to remove a rule; return the outcome with both."""
    outcome, more = look_back(step, outcome)
    outcome = settle(step, outcome, more) if more else outcome
    outcome, more = remove(step, outcome)
    if not more:
        return outcome
    outcome = settle(step, outcome, more)
    if outcome.candidate is None or outcome.verdict.decision is not Decision.ACCEPT:
        return outcome
    shorter = len(outcome.document.body) - len(outcome.candidate.body)
    return replace(outcome, because=f"{outcome.because}; {shorter} characters less")


def _without(past: Past, ended: Collection[str], document: Document) -> tuple[Past, list[Note]]:
    """Return what is known without the rules that wait for lessons that were taken back, and a note on each."""
    waiting = [wait for wait in past.waiting if set(lessons_of(wait.tested.edits)).isdisjoint(ended)]
    notes: list[Note] = []
    for wait in past.waiting:
        if wait not in waiting:
            summary = f"{document.id}: the change of {wait.night} was dropped: you took its lesson back"
            notes.append(Note(stage="trial", summary=summary, expected=True))
    return replace(past, waiting=tuple(waiting)), notes


def _too_late(begun: Begun) -> Begun:
    """Return the step of a document that a resumed night drafted for only after the shares were fixed."""
    because = "learned only after the night's error rate was shared: its edits are left for another night"
    outcome = begun.outcome
    outcome = replace(outcome, because=because, sessions=replace(outcome.sessions, unfinished=True))
    return begun._replace(outcome=outcome, rules=())


def _with_left(
    outcome: StepOutcome, step: DocumentStep, tried: Sequence[TriedRule], left: Sequence[str], end: End | None
) -> StepOutcome:
    """Return the outcome with what wasn't reached tonight, by name; the sessions of all its tasks stay unread."""
    begun = step.begun
    lessons = {lesson for lesson in left if lesson in begun.lessons}
    rules = [one.rule for one in tried if not one.begun or is_cut_short(one.tested, step.plan.gate.rounds)]
    rules += [rule for rule in map(waiting_rule, begun.outcome.tried.undecided) if rule.key in left]
    rules += [rule for rule in map(waiting_rule, outcome.tried.undecided) if rule.has_won]
    for rule in rules:
        if rule.kind is not CandidateKind.REMOVAL:
            lessons.update(rule.lessons)
    tasks = [task for task in (*begun.train, *begun.val, *begun.test) if task.lesson in lessons]
    if not tasks:
        return outcome
    names = {task.lesson: task.wanted.wording or task.prompt for task in reversed(tasks)}
    which = counted(len(lessons), "lesson waits", "lessons wait")
    shown = "; ".join(f"«{' '.join(names[lesson].split())[:80]}»" for lesson in reversed(names))
    why, remedy = "it isn't decided yet", "nothing; another night goes on with it"
    if left or any(not one.begun for one in tried):
        why, remedy = "this one has no room for more", "raise budget.calls or step.edit_budget"
    if end is not None:
        why, remedy = "this one ended first", end.remedy
    summary = f"{outcome.document.id}: {which} for another night, as {why}: {shown}"
    note = Note(stage="layout", summary=summary, remedy=remedy, expected=True)
    sessions = replace(outcome.sessions, left=tuple(dict.fromkeys(task.session for task in tasks)))
    because = outcome.because or f"left for another night: {why}"
    return replace(outcome, sessions=sessions, because=because).noted(note)
