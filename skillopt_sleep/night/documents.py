"""Draft rules over all documents of a night, try them one by one, and settle what each document ends as."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace as replace_in
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.learning.begin import Begun, Step, begin, is_due
from skillopt_sleep.learning.gate import gate, has_won
from skillopt_sleep.learning.learn import Log
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.propose import draft_rules
from skillopt_sleep.learning.rule import Rule, TriedRule, is_cut_short, waiting_rule
from skillopt_sleep.learning.step import finish, settle
from skillopt_sleep.night.judged import NightJudge
from skillopt_sleep.night.layout import Layout, lay_out, rounds_within, staging_calls, usual_calls
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
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

End = BudgetExhausted | BackendUnavailable
NO_ROOM = "raise budget.calls, or let the next night continue; paid results are kept"


def learn(
    routing: Routing, *, crew: Crew, plan: Plan, page: Page, judge: NightJudge, ended: Collection[str] = ()
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
    plan: Plan
    page: Page
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
            tried = self._tried(steps, layout)
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
        held = learned(document, past.adopted, lasting)
        known: list[Task] = []
        for task in lasting:
            guards = task.split is Split.VAL and task.lesson in held
            if guards or self.page.started - task.at <= self.plan.recall.retire:
                known.append(task)
        return known

    def _log(self, document: Document) -> Log:
        def log(stage: str, written: Sequence[object]) -> None:
            self.rows[document.id].append((stage, written))

        return log

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
                taken = [lesson for lesson in lessons if len(_testing(one, lesson)) > 1]
                new = [rule for rule in one.rules if rule.wait is None and rule.sessions > 1]
                counts[one.document.id] = max(len(taken), len(new)) + is_due(self.plan, one.past)
            return counts

        counts = self.page.keep("shares", dict[str, int], counted)
        kept = [one if one.document.id in counts else _too_late(one) for one in drafted]
        return self.plan.gate.alpha / max(1, sum(counts.values())), kept

    def _step(self, begun: Begun, share: float) -> Step:
        removal = replace(self.plan.removal, alpha=self.plan.removal.alpha / max(1, len(self.routing.documents)))
        return Step(
            begun=begun,
            crew=self.crew,
            plan=replace_in(self.plan, removal=removal),
            log=self._log(begun.document),
            night=self.page.night,
            share=share,
        )

    def _tried(self, steps: Sequence[Step], layout: Layout) -> dict[str, list[TriedRule]]:
        """Try the rules in the order of the layout, as many at once as keep all workers busy.

        None is begun without the calls that its trial usually takes, with what has won so far guarded.
        """
        tried: dict[str, list[TriedRule]] = {step.document.id: [] for step in steps}
        waiting = _in_order(steps, layout)
        is_over = False
        while waiting and not is_over:
            wave = partial(self._wave, waiting, tried, steps)
            rounds = self.page.keep(f"wave {len(waiting)}", tuple[int, ...], wave)
            if not rounds:
                break
            is_over = self._try(waiting[: len(rounds)], rounds, tried)
            waiting = waiting[len(rounds) :]
        if waiting and self.end is None and not any(tried.values()):
            self.end = BudgetExhausted("too few calls are left to try a rule", remedy=NO_ROOM)
        for step, rule in waiting:
            tried[step.document.id].append(step.untried(rule))
        return tried

    def _try(
        self, wave: Sequence[tuple[Step, Rule]], rounds: Sequence[int], tried: dict[str, list[TriedRule]]
    ) -> bool:
        """Try these rules side by side, each in so many rounds at most, and read the undecided again.

        Returns whether the night ended meanwhile. With r of k rules of tonight proven, each of the others needs
        (k - r)/alpha (Holm). One whose trial the end cut short begins anew another night.
        """
        proven = {name: [one.tested for one in done if _is_proven(one)] for name, done in tried.items()}
        born = wave[0][0].share
        share = self._holm(born, tried)

        def attempt(trial: tuple[Step, Rule, int]) -> tuple[Step, Rule, TriedRule]:
            step, rule, most = trial
            now = step._replace(share=share)
            return step, rule, now.attempt(rule, proven[step.document.id], rounds=most)

        trials = [(step, rule, most) for (step, rule), most in zip(wave, rounds, strict=True)]
        cut = list(wave)
        is_over = False
        try:
            for step, rule, one in self.crew.pool.together(attempt, trials):
                cut.remove((step, rule))
                tried[step.document.id].append(one)
        except (BudgetExhausted, BackendUnavailable) as error:
            self.end, is_over = error, True
            for step, rule in cut:
                tried[step.document.id].append(step.untried(rule))
        self._read_again(born, tried)
        return is_over

    def _holm(self, share: float, tried: Mapping[str, Sequence[TriedRule]]) -> float:
        """Return the share of a rule of tonight now: alpha/(k - r)."""
        alpha = self.plan.gate.alpha
        k = round(alpha / share)
        r = len([one for done in tried.values() for one in done if one.rule.wait is None and _is_proven(one)])
        return alpha / max(1, k - r)

    def _read_again(self, share: float, tried: dict[str, list[TriedRule]]) -> None:
        """Accept the undecided rules of tonight that the proofs of the others let through."""
        again = True
        while again:
            again = False
            for done in tried.values():
                for place, one in enumerate(done):
                    trial = replace(one.tested.trial, alpha=self._holm(share, tried))
                    is_open = one.rule.wait is None and one.tested.verdict.decision is Decision.UNDECIDED
                    if not is_open or one.rule.kind is not CandidateKind.RULE or not has_won(trial, self.plan.gate):
                        continue
                    verdict = gate(trial, self.plan.gate, last=True)
                    if verdict is not None and verdict.decision is Decision.ACCEPT:
                        done[place] = one._replace(tested=replace(one.tested, trial=trial, verdict=verdict))
                        again = True

    def _wave(
        self, waiting: Sequence[tuple[Step, Rule]], tried: Mapping[str, Sequence[TriedRule]], steps: Sequence[Step]
    ) -> tuple[int, ...]:
        """Return in how many rounds at most each of the next rules is tried, which are begun together.

        The last may have fewer rounds than a night's, and goes on another night.
        """
        won = {name: [one.rule for one in done if one.won] for name, done in tried.items()}
        most = self.plan.gate.rounds
        begun: list[tuple[Rule, int]] = []
        jobs = taken = 0

        def left() -> float:
            return self.crew.meter.left() - sum(staging_calls(step.begun, won[step.document.id]) for step in steps)

        for step, rule in waiting:
            if begun and jobs >= self.crew.pool.width and not self.crew.by_hand:
                break
            won[step.document.id].append(rule)
            usual = 0 if rule.has_won else usual_calls(rule.val, share=self._holm(step.share, tried), most=most)
            if taken + usual > left():
                won[step.document.id].remove(rule)
                break
            taken += usual
            jobs += 2 * len(rule.val)
            begun.append((rule, usual))
        # What is left over goes to those that need more than usual.
        more = (left() - taken) / max(1, len(begun))
        return tuple(rounds_within(rule.val, calls=usual + more, most=most) for rule, usual in begun)

    def _settled(
        self, steps: Sequence[Step], tried: Mapping[str, Sequence[TriedRule]], layout: Layout
    ) -> Iterator[StepOutcome]:
        """Yield what each document ends as."""

        def settled(step: Step) -> StepOutcome:
            name = step.document.id
            scores = self._scores(step.document)
            step = step._replace(failing=self._failing(step, scores))
            done = settle(step, step.begun.outcome, tried[name]) if self.end else finish(step, tried[name])
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

    def _failing(self, step: Step, scores: Mapping[str, float]) -> tuple[str, ...]:
        """Return the lessons that aren't answered well without a change, so that nothing can make them worse.

        It is those of which most attempts failed, and, of those never attempted, what the person had to correct. What
        a lesson that a standing rule is for scored on earlier nights may be from before that rule.
        """
        lessons: dict[str, list[float]] = {}
        not_held = [task.id for task in step.begun.known if task.lesson not in step.begun.held]
        earlier = self.page.history.scores(not_held)
        for task in step.begun.known:
            score = scores.get(task.id, earlier.get(task.id))
            own = lessons.setdefault(task.lesson, [])
            if score is not None:
                own.append(score)
        corrected = {task.lesson for task in step.begun.known if task.rejected} - step.begun.held
        failing: list[str] = []
        for lesson, grades in lessons.items():
            if 2 * math.fsum(grades) < len(grades) or (not grades and lesson in corrected):
                failing.append(lesson)
        return tuple(failing)


def _in_order(steps: Sequence[Step], layout: Layout) -> list[tuple[Step, Rule]]:
    """Return the rules of all documents in the order of the layout: a drafted one where its first lesson stands."""
    places = {pair: place for place, pair in enumerate(layout.taken)}

    def place(pair: tuple[Step, Rule]) -> int:
        step, rule = pair
        name = step.document.id
        known = [places[name, what] for what in (rule.key, *rule.lessons) if (name, what) in places]
        return min(known, default=len(places))

    rules = [(step, rule) for step in steps for rule in step.begun.rules]
    return sorted(rules, key=place)


def _testing(begun: Begun, lesson: str) -> set[str]:
    """Return the sessions that test a lesson."""
    return {task.session for task in begun.val if task.lesson == lesson}


def _is_proven(tried: TriedRule) -> bool:
    return tried.tested.verdict.decision is Decision.ACCEPT


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
    outcome: StepOutcome, step: Step, tried: Sequence[TriedRule], left: Sequence[str], end: End | None
) -> StepOutcome:
    """Return the outcome with what wasn't reached tonight, by name; the sessions of all its tasks stay unread."""
    begun = step.begun
    lessons = {lesson for lesson in left if lesson in begun.lessons}
    rules = [one.rule for one in tried if not one.begun or is_cut_short(one.tested, step.plan.gate.rounds)]
    rules += [rule for rule in map(waiting_rule, begun.rest) if rule.key in left]
    for rule in rules:
        if rule.kind is not CandidateKind.REMOVAL:
            lessons.update(rule.lessons)
    tasks = [task for task in (*begun.train, *begun.val, *begun.test) if task.lesson in lessons]
    if not tasks:
        return outcome
    names = {task.lesson: task.wording or task.prompt for task in reversed(tasks)}
    which = "1 lesson waits" if len(lessons) == 1 else f"{len(lessons)} lessons wait"
    shown = "; ".join(f"«{' '.join(names[lesson].split())[:80]}»" for lesson in reversed(names))
    why, remedy = "this one has no room for more", "raise budget.calls or step.edit_budget"
    if end is not None:
        why, remedy = "this one ended first", end.remedy
    summary = f"{outcome.document.id}: {which} for another night, as {why}: {shown}"
    note = Note(stage="layout", summary=summary, remedy=remedy, expected=True)
    sessions = replace(outcome.sessions, left=tuple(dict.fromkeys(task.session for task in tasks)))
    because = outcome.because or f"left for another night: {why}"
    return replace(outcome, sessions=sessions, because=because).noted(note)
