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
from skillopt_sleep.learning.rule import Rule, TriedRule, is_cut_short, usual_rounds
from skillopt_sleep.learning.step import finish, settle
from skillopt_sleep.night.judged import NightJudge
from skillopt_sleep.night.layout import Layout, lay_out, most_calls, staging_calls
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Note,
    Past,
    Rollout,
    Rubric,
    Split,
    StepOutcome,
    Task,
    lessons_of,
)

End = BudgetExhausted | BackendUnavailable


def learn(
    routing: Routing, *, crew: Crew, plan: Plan, page: Page, judge: NightJudge, ended: Collection[str] = ()
) -> Iterator[StepOutcome]:
    """Yield what each document ends as; raise what cut the night short once the rest is decided."""
    crew = replace_in(crew, judge=judge.judge)
    return _Learning(routing, crew, plan, page, judge, ended).outcomes()


@dataclass
class _Learning:
    """A night's work on its documents: what they begin with, the layout, the rules that were tried, the rows.

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
        """Return the steps with the rules that were drafted for what is taken on."""

        def drafted(one: Begun) -> Begun:
            taken = layout.of(one.document.id)
            rules = tuple(rule for rule in one.rules if rule.key in taken)
            left = tuple(rule.wait for rule in one.rules if rule.wait is not None and rule.key not in taken)
            one = one._replace(rules=rules, rest=(*one.rest, *left))
            lessons = [lesson for lesson in one.lessons if lesson in taken]
            if not lessons:
                return one
            return draft_rules(one, lessons, crew=self.crew, plan=self.plan, log=self._log(one.document))

        done: list[Begun] = []
        try:
            done += self.crew.pool.together(drafted, begun)
        except (BudgetExhausted, BackendUnavailable) as error:
            self.end = error
        return done

    def _shared(self, drafted: Sequence[Begun], layout: Layout) -> tuple[float, list[Begun]]:
        """Return each new rule's share of the error rate, fixed before val is asked, and the steps.

        A lesson that yields no edit counts, and so does guidance that is due; what one session alone tests doesn't,
        as it can't be accepted. What a resumed night drafted only after the shares were fixed waits for another.
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

        None is begun that the night's calls don't usually take to a verdict, with what has won so far guarded. The
        last may have fewer rounds, and goes on another night.
        """
        tried: dict[str, list[TriedRule]] = {step.document.id: [] for step in steps}
        waiting = _in_order(steps, layout)
        while waiting and self.end is None:
            wave, rounds = self.page.keep(
                f"wave {len(waiting)}", tuple[int, int], partial(self._wave, waiting, tried, steps)
            )
            if not wave:
                break
            self._try(waiting[:wave], tried, rounds)
            waiting = waiting[wave:]
        for step, rule in waiting:
            tried[step.document.id].append(TriedRule(rule, rule.untried(share=step.share), begun=False))
        return tried

    def _try(self, wave: Sequence[tuple[Step, Rule]], tried: dict[str, list[TriedRule]], rounds: int) -> None:
        """Try these rules side by side in at most so many rounds, and read the undecided again.

        With r of k rules of tonight proven, each of the others needs (k - r)/alpha (Holm).
        """
        proven = {name: [one.tested for one in done if _is_proven(one)] for name, done in tried.items()}

        def attempt(pair: tuple[Step, Rule]) -> tuple[Step, TriedRule]:
            step, rule = pair
            plan = replace_in(step.plan, gate=replace(step.plan.gate, rounds=rounds))
            now = step._replace(share=self._holm(step.share, tried), plan=plan)
            return step, now.attempt(rule, proven[step.document.id])

        try:
            for step, one in self.crew.pool.together(attempt, wave):
                tried[step.document.id].append(one)
        except (BudgetExhausted, BackendUnavailable) as error:
            self.end = error
        self._read_again(wave[0][0].share, tried)

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
    ) -> tuple[int, int]:
        """Return how many of the next rules are begun together, and in how many rounds at most."""
        won = {name: [one.rule for one in done if one.won] for name, done in tried.items()}
        begun: list[Rule] = []
        most = self.plan.gate.rounds

        def left() -> int:
            return self.crew.meter.left() - sum(staging_calls(step.begun, won[step.document.id]) for step in steps)

        for step, rule in waiting:
            won[step.document.id].append(rule)
            usual = usual_rounds(rule.sessions, share=self._holm(step.share, tried))
            # Where each look waits for somebody, all that usually fit move together.
            least = min(usual, most) if self.crew.by_hand or not begun else most
            is_busy = 2 * sum(len(one.val) for one in begun) >= self.crew.pool.width and not self.crew.by_hand
            if self._most_calls([*begun, rule], least) > left() or (begun and is_busy):
                won[step.document.id].remove(rule)
                break
            begun.append(rule)
        rounds = most
        while rounds > 1 and self._most_calls(begun, rounds) > left():
            rounds -= 1
        return len(begun), rounds

    def _most_calls(self, rules: Sequence[Rule], rounds: int) -> int:
        """Return how many calls the trials of these rules take at most in so many rounds."""
        asking = [rule for rule in rules if not rule.has_won]
        return sum(most_calls(rule.val, rounds=rounds, turns=self.plan.turns) for rule in asking)

    def _settled(
        self, steps: Sequence[Step], tried: Mapping[str, Sequence[TriedRule]], layout: Layout
    ) -> Iterator[StepOutcome]:
        """Yield what each document ends as."""

        def settled(step: Step) -> StepOutcome:
            name = step.document.id
            scores = self._scores(step.document)
            step = step._replace(failing=self._failing(step, scores))
            done = settle(step, step.begun.outcome, tried[name]) if self.end else finish(step, tried[name])
            outcome = _with_left(done, step.begun, tried[name], layout.left_of(name), rounds=self.plan.gate.rounds)
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

        It is those of which half of the attempts failed, and, where none was made, what the person had to correct.
        """
        lessons: dict[str, list[float]] = {}
        earlier = self.page.history.scores([task.id for task in step.begun.known])
        for task in step.begun.known:
            score = scores.get(task.id, earlier.get(task.id))
            own = lessons.setdefault(task.lesson, [])
            if score is not None:
                own.append(score)
        corrected = {task.lesson for task in step.begun.known if task.rejected} - step.begun.held
        failing: list[str] = []
        for lesson, grades in lessons.items():
            if (grades and 2 * math.fsum(grades) <= len(grades)) or (not grades and lesson in corrected):
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
    outcome: StepOutcome, begun: Begun, tried: Sequence[TriedRule], left: Sequence[str], *, rounds: int
) -> StepOutcome:
    """Return the outcome with what wasn't reached tonight, by name; its sessions stay unread."""
    lessons = {lesson for lesson in left if lesson in begun.lessons}
    for one in tried:
        if not one.begun or is_cut_short(one.tested, rounds):
            lessons.update(one.rule.lessons)
    if not lessons:
        return outcome
    tasks = [task for task in begun.train if task.lesson in lessons]
    names = dict.fromkeys(task.wording or task.prompt for task in tasks)
    which = "1 lesson waits" if len(lessons) == 1 else f"{len(lessons)} lessons wait"
    shown = "; ".join(f"«{' '.join(name.split())[:80]}»" for name in names)
    summary = (
        f"{outcome.document.id}: {which} for another night, as this one's calls go to better-founded ones: {shown}"
    )
    note = Note(stage="layout", summary=summary, remedy="raise budget.calls", expected=True)
    sessions = replace(outcome.sessions, left=tuple(dict.fromkeys(task.session for task in tasks)))
    because = "left for another night: the calls of this one go to better-founded lessons (budget.calls)"
    return replace(outcome, sessions=sessions, because=outcome.because or because).noted(note)
