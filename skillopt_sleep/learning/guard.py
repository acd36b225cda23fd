"""Guard the other lessons: ask whether all rules that won tonight, together, made one of them worse.

Asked are the newest val task of each other lesson that can get worse, as it is answered well without the change, and,
if rules of several lessons won, one of each: its own rules against all of them. None is in the bet, which it could
only dilute. All are asked in 4 rounds, and those that lost more often than they gained in 8 more; the others too, in
half as many, if all of them together look hurt. One lesson alone blocks, or all together: the winner that loses most
by itself on what was hurt is left out, and the rest is guarded again.

The levels are a choice: docs/gate.md says what each lets pass and blocks.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.stats import mean, sign_test
from skillopt_sleep.learning.attempts import Making, block, in_pairs
from skillopt_sleep.learning.pairs import failed_by_itself, pair_up
from skillopt_sleep.learning.spare import End, SpareAttempts
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    Document,
    Edit,
    GateRule,
    Guard,
    Harm,
    Judged,
    Pair,
    Rollout,
    Split,
    Task,
    Trial,
    lessons_of,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

FIRST_ROUNDS = 4
AGAIN = 8  # rounds more of what looks hurt
LEVEL = 0.05  # so unlikely must the losses of an unharmed lesson be, before it blocks
POOLED_LEVEL = 0.05
POOLED_LOOKS = 0.3  # from here on all other lessons are asked again
SURE = 0.01  # nothing more is asked then
ALONE = 8  # attempts at a hurt lesson under each winner by itself
ALONE_OF_ALL = 4  # at each lesson, if only all together are hurt
SHOWN_CHARS = 80


class Asked(NamedTuple):
    """A task that the guard asks under all winners, against the `base` without those that aren't its own."""

    task: Task
    base: Document


class Guarded(NamedTuple):
    """The winners that did no harm, those that were left out with what they hurt, and the attempts.

    What an outage left open is in `left_open`; `end` is what ended the guard early: then nothing is concluded.
    """

    kept: tuple[Judged, ...]
    guard: Guard = Guard()
    harmful: tuple[tuple[Judged, tuple[Harm, ...]], ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    left_open: tuple[str, ...] = ()
    end: End | None = None


def bystanders(lessons: Sequence[str], tasks: Sequence[Task], *, failing: Sequence[str] = ()) -> tuple[Task, ...]:
    """Return the newest val task of each lesson but these and the `failing` ones, which can't get worse."""
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
    attempts: SpareAttempts,
    rule: GateRule,
    failing: Sequence[str] = (),
) -> Guarded:
    """Return which of the winners can be staged: together they make no lesson of these val `tasks` worse."""
    found = Guarded(tuple(winners))
    while found.kept and rule.non_regression:
        asked = _asked(document, found.kept, tasks, failing)
        changed = candidate(document, _edits(found.kept))
        if not asked or changed is None:
            return found._replace(guard=Guard())
        watched, made = _Watching(document, changed, asked, attempts, rule).watch()
        found = found._replace(guard=watched, rollouts=found.rollouts + made)
        if attempts.end is None and not watched.harmed:
            return found._replace(left_open=_left_open(watched, asked, made))
        worst, made = _worst(document, found.kept, watched.harmed, asked, attempts=attempts, rule=rule)
        found = found._replace(rollouts=found.rollouts + made)
        if attempts.end is not None:
            return found._replace(guard=Guard(cut_short=True), end=attempts.end)
        found = found._replace(
            kept=tuple(one for one in found.kept if one is not worst),
            harmful=(*found.harmful, (worst, watched.harmed)),
        )
    return found


def _asked(
    document: Document, winners: Sequence[Judged], tasks: Sequence[Task], failing: Sequence[str]
) -> list[Asked]:
    """Return the tasks of other lessons, and of several winners' lessons one each, with what they are compared to."""
    lessons = [lesson for one in winners for lesson in lessons_of(one.edits)]
    asked = [Asked(task, document) for task in bystanders(lessons, tasks, failing=failing)]
    if len(winners) == 1:
        return asked
    for one in winners:
        own = [task for task in tasks if task.lesson in lessons_of(one.edits)]
        alone = candidate(document, one.edits)
        if alone is not None:
            asked += [Asked(task, alone) for task in bystanders((), own)[-1:]]
    return asked


class _Watching(NamedTuple):
    """Attempts tasks under two versions until it is clear whether one of their lessons was made worse."""

    document: Document
    changed: Document
    asked: Sequence[Asked]
    attempts: Making
    rule: GateRule

    def watch(self) -> tuple[Guard, tuple[Rollout, ...]]:
        """Return what was seen, with the lessons that got worse, and the attempts."""
        first = block("guard", self.document.text, self.changed.text)
        guard, rollouts = Guard(), tuple[Rollout, ...]()
        asked = list(self.asked) * FIRST_ROUNDS
        for again in (AGAIN, 0):
            drawn = Counter[str]()
            jobs: list[Job] = []
            for task, base in asked:
                sample = first + guard.drawn + drawn[task.id]
                drawn[task.id] += 1
                jobs += [(task, base, sample), (task, self.changed, CANDIDATE_SAMPLES + sample)]
            made = in_pairs(self.attempts, jobs, label=f"guard {self.document.id}")
            rollouts += made
            # Harm counts however often the same answer shows it, so each round is paired as if it were the first.
            paired = pair_up(Trial(), [one.task for one in asked], made, self.rule)
            pairs = (*guard.pairs, *paired.pairs, *paired.lost_attempts)
            guard = Guard(pairs=pairs, drawn=guard.drawn + max(drawn.values()))
            asked = self._to_ask_again(guard, again)
            if not asked or _is_sure(guard):
                break
        return replace(guard, harmed=self._harmed(guard)), rollouts

    def _to_ask_again(self, guard: Guard, times: int) -> list[Asked]:
        """Return what is asked next: what looks hurt so many times, the others half as often if all together do."""
        by_lesson, pooled = _by_lesson(guard), _tally(guard.pairs)
        all_again = len(by_lesson) > 1 and pooled.looks_hurt and pooled.chance <= POOLED_LOOKS
        asked: list[Asked] = []
        for one in self.asked:
            tally = by_lesson.get(one.task.lesson)
            if tally is not None and tally.looks_hurt:
                asked += [one] * times
            elif all_again:
                asked += [one] * (times // 2)
        return asked

    def _harmed(self, guard: Guard) -> tuple[Harm, ...]:
        """Return the lessons that got worse; if only all together did, those that lost more than they gained."""
        least, by_lesson, pooled = self.rule.min_effect, _by_lesson(guard), _tally(guard.pairs)
        hurt = [lesson for lesson, tally in by_lesson.items() if tally.lost > least and tally.chance <= LEVEL]
        together = False
        if not hurt and len(by_lesson) > 1 and pooled.lost > least and pooled.chance <= POOLED_LEVEL:
            hurt = [lesson for lesson, tally in by_lesson.items() if tally.looks_hurt]
            together = True
        shown = {one.task.lesson: _shown(one.task) for one in self.asked}
        harms: list[Harm] = []
        for lesson in hurt:
            pairs = guard.of(lesson)
            before, after = mean([pair.before for pair in pairs]), mean([pair.after for pair in pairs])
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


def _worst(
    document: Document,
    winners: Sequence[Judged],
    harmed: Sequence[Harm],
    asked: Sequence[Asked],
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


def _left_open(guard: Guard, asked: Sequence[Asked], made: Sequence[Rollout]) -> tuple[str, ...]:
    """Return the lessons of which no pair could be scored because of an outage."""
    out = {attempt.task for attempt in made if attempt.failed and not failed_by_itself(attempt.trajectory)}
    return tuple(one.task.lesson for one in asked if one.task.id in out and one.task.lesson not in guard.lessons)


class _Tally(NamedTuple):
    """Counts of attempts that did worse and better under the new version, and their mean loss."""

    losses: int
    gains: int
    lost: float

    @property
    def chance(self) -> float:
        """Return the probability of at least so many losses if the new version does no harm."""
        return sign_test(self.losses, self.gains)

    @property
    def looks_hurt(self) -> bool:
        """Tell whether there were more losses than gains."""
        return self.losses > self.gains


def _tally(pairs: Sequence[Pair]) -> _Tally:
    gains = [pair.gain for pair in pairs]
    losses = len([gain for gain in gains if gain < 0])
    better = len([gain for gain in gains if gain > 0])
    return _Tally(losses, better, -math.fsum(gains) / max(1, len(gains)))


def _by_lesson(guard: Guard) -> dict[str, _Tally]:
    return {lesson: _tally(guard.of(lesson)) for lesson in guard.lessons}


def _is_sure(guard: Guard) -> bool:
    return any(tally.looks_hurt and tally.chance <= SURE for tally in _by_lesson(guard).values())


def _edits(winners: Sequence[Judged]) -> list[Edit]:
    return [edit for one in winners for edit in one.edits]


def _shown(task: Task) -> str:
    """Return the lesson in words that tell a person which one it is."""
    words = task.wording or " ".join(task.quotes[-1:]) or task.prompt
    flat = " ".join(words.split())
    if len(flat) <= SHOWN_CHARS:
        return flat
    return f"{flat[: SHOWN_CHARS - 1]}…"
