"""Guard the other lessons: ask whether all rules that won tonight, together, made one of them worse.

Asked are the newest val task of each other lesson that can get worse, as it is answered well without the change, and,
if rules of several lessons won, one of each: its own rules against all of them. The text without the winners is asked
only where so many answers fell short that it could be harm. The winner that loses most by itself on what was hurt is
left out, and the rest is guarded again.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.learning.attempts import End, Making, OptionalAttempts, block, in_pairs
from skillopt_sleep.learning.pairs import failed_by_itself, measure, pair_up
from skillopt_sleep.learning.statistics import sign_test
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    Document,
    GateRule,
    GuardResult,
    Harm,
    Judged,
    Pair,
    Rollout,
    Split,
    Task,
    Trial,
    lessons_of,
    mean_of,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES

FIRST_ROUNDS = 4
AGAIN = 8  # rounds more of what wasn't answered right each time
LEVEL = 0.05  # one lesson blocks, or all together, if the losses have at most this p-value (sign test)
ALONE = 8  # attempts at a hurt lesson under each winner by itself
ALONE_OF_ALL = 4  # at each lesson, if only all together are hurt
SHOWN_CHARS = 80


class GuardTask(NamedTuple):
    """A task that the guard asks under all winners, against the `base` without those that aren't its own."""

    task: Task
    base: Document


class Guarded(NamedTuple):
    """The winners that did no harm, those that were left out with what they hurt, and the attempts.

    What an outage left open is in `left_open`; `end` is what ended the guard early: then nothing is concluded.
    """

    kept: tuple[Judged, ...]
    guard: GuardResult = GuardResult()
    harmful: tuple[tuple[Judged, tuple[Harm, ...]], ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    left_open: tuple[str, ...] = ()
    end: End | None = None


def tasks_of_other_lessons(
    lessons: Sequence[str], tasks: Sequence[Task], *, failing: Sequence[str] = ()
) -> tuple[Task, ...]:
    """Return the newest val task of each other lesson; `failing` lessons can't get worse and are left out."""
    newest: dict[str, Task] = {}
    for task in sorted(tasks, key=lambda task: (task.at, task.id)):
        if task.split is Split.VAL and task.lesson not in lessons and task.lesson not in failing:
            newest[task.lesson] = task
    return tuple(newest.values())


def guard(
    document: Document,
    winners: Sequence[Judged],
    tasks: Sequence[Task],
    *,
    attempts: OptionalAttempts,
    rule: GateRule,
    failing: Sequence[str] = (),
) -> Guarded:
    """Return which of the winners can be staged: together they make no lesson of these val `tasks` worse."""
    found = Guarded(tuple(winners))
    while found.kept and rule.non_regression:
        asked = _asked(document, found.kept, tasks, failing)
        changed = candidate(document, [edit for one in found.kept for edit in one.edits])
        if not asked or changed is None:
            return found._replace(guard=GuardResult())
        watched, made = _Watching(document, changed, asked, attempts, rule).watch()
        found = found._replace(guard=watched, rollouts=found.rollouts + made)
        if attempts.end is None and not watched.harmed:
            out = {one.task for one in made if one.failed and not failed_by_itself(one.trajectory)}
            unasked = [one.task for one in asked if one.task.lesson not in watched.lessons]
            return found._replace(left_open=tuple(task.lesson for task in unasked if task.id in out))
        worst, made = _worst(document, found.kept, watched.harmed, asked, attempts=attempts, rule=rule)
        found = found._replace(rollouts=found.rollouts + made)
        if attempts.end is not None:
            return found._replace(guard=GuardResult(cut_short=True), end=attempts.end)
        found = found._replace(
            kept=tuple(one for one in found.kept if one is not worst),
            harmful=(*found.harmful, (worst, watched.harmed)),
        )
    return found


def _asked(
    document: Document, winners: Sequence[Judged], tasks: Sequence[Task], failing: Sequence[str]
) -> list[GuardTask]:
    """Return the tasks of other lessons, and of several winners' lessons one each, with what they are compared to."""
    lessons = [lesson for one in winners for lesson in lessons_of(one.edits)]
    asked = [GuardTask(task, document) for task in tasks_of_other_lessons(lessons, tasks, failing=failing)]
    if len(winners) == 1:
        return asked
    for one in winners:
        own = [task for task in tasks if task.lesson in lessons_of(one.edits)]
        alone = candidate(document, one.edits)
        if alone is not None:
            asked += [GuardTask(task, alone) for task in tasks_of_other_lessons((), own)[-1:]]
    return asked


class _Watching(NamedTuple):
    """Attempts tasks under all winners, and without them where so much fell short that it could be their harm."""

    document: Document
    changed: Document
    asked: Sequence[GuardTask]
    attempts: Making
    rule: GateRule

    def watch(self) -> tuple[GuardResult, tuple[Rollout, ...]]:
        """Return what was seen, with the lessons that got worse, and the attempts."""
        first = block("guard", self.document.text, self.changed.text)
        samples = range(first, first + FIRST_ROUNDS + AGAIN)
        made = self._under_all(self.asked, samples[:FIRST_ROUNDS])
        doubted = [one for one in self.asked if _count(made[one.task.id], self._falls_short)]
        for task, more in self._under_all(doubted, samples[FIRST_ROUNDS:]).items():
            made[task] += more
        compared = self._to_compare(doubted, made)
        pairs, without = self._compare(compared, samples, made)
        again = [pair for pair in pairs if pair.sample in samples[FIRST_ROUNDS:]]
        unhurt = [
            one.task.lesson for one in self.asked if one not in compared and _count(made[one.task.id], _has_ended)
        ]
        guard = GuardResult(pairs=pairs, unhurt=tuple(unhurt))
        rollouts = [attempt for attempts in made.values() for attempt in attempts]
        return replace(guard, harmed=self._harmed(guard, again)), (*rollouts, *without)

    def _under_all(self, asked: Sequence[GuardTask], samples: Sequence[int]) -> dict[str, tuple[Rollout, ...]]:
        """Return so many attempts at each task under all winners."""
        tasks = {one.task.id: one.task for one in asked}
        jobs = [(task, self.changed, CANDIDATE_SAMPLES + sample) for task in tasks.values() for sample in samples]
        made = self.attempts.make(jobs, label=f"guard {self.document.id}") if jobs else ()
        each = len(samples)
        return {task: made[place * each : (place + 1) * each] for place, task in enumerate(tasks)}

    def _falls_short(self, attempt: Rollout) -> bool:
        """Tell whether an answer is so far from the best that the loss would count."""
        if attempt.score is None:
            return failed_by_itself(attempt.trajectory)
        return measure(attempt.score, self.rule) < 1 - self.rule.min_effect

    def _to_compare(self, doubted: Sequence[GuardTask], made: Mapping[str, Sequence[Rollout]]) -> list[GuardTask]:
        """Return the tasks that would be hurt, or all together, had the text without the winners lost nothing."""
        again = sum(_count(made[one.task.id][FIRST_ROUNDS:], self._falls_short) for one in doubted)
        if len(doubted) > 1 and sign_test(again, 0) <= LEVEL:
            return list(doubted)
        return [one for one in doubted if sign_test(_count(made[one.task.id], self._falls_short), 0) <= LEVEL]

    def _compare(
        self, asked: Sequence[GuardTask], samples: Sequence[int], made: Mapping[str, Sequence[Rollout]]
    ) -> tuple[tuple[Pair, ...], tuple[Rollout, ...]]:
        """Return the pairs of the attempts under all winners and as many without them, and these."""
        jobs = [(one.task, one.base, sample) for one in asked for sample in samples]
        without = self.attempts.make(jobs, label=f"guard {self.document.id}") if jobs else ()
        under_all = [attempt for one in asked for attempt in made[one.task.id]]
        both = [attempt for pair in zip(without, under_all, strict=True) for attempt in pair]
        # Harm counts however often the same answer shows it, so each round is paired as if it were the first.
        paired = pair_up(Trial(), [task for task, _, _ in jobs], both, self.rule)
        return (*paired.pairs, *paired.lost_attempts), without

    def _harmed(self, guard: GuardResult, again: Sequence[Pair]) -> tuple[Harm, ...]:
        """Return the lessons that got worse; if only all together did, those that lost more than they gained.

        All together are judged by the rounds that were asked `again`: bad luck in the first ones chose them.
        """
        least, pooled = self.rule.min_effect, _tally(again)
        by_lesson = {lesson: _tally(guard.of(lesson)) for lesson in guard.lessons}
        hurt = [lesson for lesson, tally in by_lesson.items() if tally.lost > least and tally.chance <= LEVEL]
        together = False
        if not hurt and len(by_lesson) > 1 and pooled.lost > least and pooled.chance <= LEVEL:
            hurt = [lesson for lesson, tally in by_lesson.items() if tally.losses > tally.gains]
            together = True
        shown = {
            task.lesson: one_line(task.wanted.wording or " ".join(task.quotes[-1:]) or task.prompt, limit=SHOWN_CHARS)
            for task, _ in self.asked
        }
        harms: list[Harm] = []
        for lesson in hurt:
            pairs = guard.of(lesson)
            before, after = mean_of([pair.before for pair in pairs]), mean_of([pair.after for pair in pairs])
            harms.append(
                Harm(
                    lesson=lesson,
                    wording=shown.get(lesson, ""),
                    before=before or 0.0,
                    after=after or 0.0,
                    n=len(pairs),
                    together=together,
                )
            )
        return tuple(harms)


def _count(attempts: Iterable[Rollout], is_so: Callable[[Rollout], bool]) -> int:
    return sum(1 for attempt in attempts if is_so(attempt))


def _has_ended(attempt: Rollout) -> bool:
    """Tell whether an attempt has a grade, or failed by itself."""
    return attempt.score is not None or failed_by_itself(attempt.trajectory)


def _worst(
    document: Document,
    winners: Sequence[Judged],
    harmed: Sequence[Harm],
    asked: Sequence[GuardTask],
    *,
    attempts: Making,
    rule: GateRule,
) -> tuple[Judged, tuple[Rollout, ...]]:
    """Return the winner that loses most by itself on the lessons that were hurt, and the attempts that showed it."""
    if len(winners) == 1:
        return winners[0], ()
    hurt = [one for one in asked if one.task.lesson in {harm.lesson for harm in harmed}]
    times = ALONE_OF_ALL if any(harm.together for harm in harmed) else ALONE
    gains: list[float] = []
    rollouts: tuple[Rollout, ...] = ()
    for one in winners:
        jobs: list[Job] = []
        tasks: list[Task] = []
        for task, base in hurt:
            alone = candidate(base, one.edits)
            if alone is None or alone == base:
                continue  # it is this lesson's own rule
            first = block("alone", base.text, alone.text)
            for sample in range(first, first + times):
                tasks.append(task)
                jobs += [(task, base, sample), (task, alone, CANDIDATE_SAMPLES + sample)]
        made = in_pairs(attempts, jobs, label=f"guard {document.id}") if jobs else ()
        rollouts += made
        paired = pair_up(Trial(), tasks, made, rule)
        gains.append(math.fsum(pair.gain for pair in (*paired.pairs, *paired.lost_attempts)))
    return winners[gains.index(min(gains))], rollouts


class _Tally(NamedTuple):
    """Counts of attempts that did worse and better under the new version, and their mean loss."""

    losses: int
    gains: int
    lost: float

    @property
    def chance(self) -> float:
        """Return the probability of at least so many losses if the new version does no harm."""
        return sign_test(self.losses, self.gains)


def _tally(pairs: Sequence[Pair]) -> _Tally:
    gains = [pair.gain for pair in pairs]
    losses = len([gain for gain in gains if gain < 0])
    better = len([gain for gain in gains if gain > 0])
    return _Tally(losses, better, -math.fsum(gains) / max(1, len(gains)))
