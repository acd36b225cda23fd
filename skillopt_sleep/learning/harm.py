"""Guard the other lessons: ask whether a candidate that has won its bet made one of them worse.

The bystanders are the newest val tasks of the document's learned lessons and of tonight's others. They are outside of
the bet, in which they could only dilute the evidence, and they are asked for a winner only: all of them in 4 rounds,
then in up to 6 more rounds those that lost more often than they gained, twice a round, and the others too if all of
them together look hurt. Harm is counted by lesson. One lesson alone blocks, or all together.

The level is a choice. A low one lets harm pass, a high one blocks what is useful. Simulated with binary grades, in
percent of 3,000 candidates; level is that of the sign test for one lesson alone, .05 for all together:

| level | one of 4 lessons .9 -> .3 | one of one | all of 2, .9 -> .3 | all of 4, .9 -> .6 | no harm, 2 at .9 / .5 | 4 at .9 / .5 |
|-------|---------------------------|------------|--------------------|--------------------|-----------------------|--------------|
| .025  | 90.6 blocked              | 88.2       | 99.6               | 94.2               | 1.0 / 3.0 blocked     | 1.6 / 6.1    |
| .035  | 91.8                      | 89.6       | 99.6               | 94.8               | 1.1 / 3.3             | 2.5 / 7.1    |
| .05   | 92.9                      | 91.2       | 99.7               | 95.0               | 1.1 / 4.0             | 2.5 / 8.1    |
| .07   | 94.5                      | 93.4       | 99.7               | 96.2               | 2.7 / 5.7             | 6.0 / 12.1   |
| .1    | 95.0                      | 94.4       | 99.7               | 96.4               | 2.7 / 7.6             | 6.0 / 15.3   |

With ten rounds of one attempt each no level does both: at .1 it blocks 85 % of the harm and 14 % of what is useful
beside 4 lessons at .5. Each level costs 53 calls beside 4 lessons at .9, 61 at .5.
"""  # noqa: E501 - a table

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.stats import mean, sign_test
from skillopt_sleep.learning.attempts import Attempts, in_pairs
from skillopt_sleep.learning.pairs import failed_by_itself, pair_up
from skillopt_sleep.records import (
    Document,
    Edit,
    GateRule,
    Guard,
    Harm,
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
MOST_ROUNDS = 10
AGAIN = 2  # attempts a round at what looks hurt
MOST_ATTEMPTS = FIRST_ROUNDS + AGAIN * (MOST_ROUNDS - FIRST_ROUNDS)  # at a bystander, under each version
LEVEL = 0.05  # so unlikely must the losses of an unharmed lesson be, before it blocks
POOLED_LEVEL = 0.05
POOLED_LOOKS = 0.3  # all together look hurt from here on
SURE = 0.01  # nothing more is asked then
SHOWN_CHARS = 80


def bystanders(edits: Sequence[Edit], own: Sequence[Task], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the newest val task of each lesson that isn't one of the edits', nor of their `own` val tasks."""
    lessons = {*lessons_of(edits), *(task.lesson for task in own)}
    newest: dict[str, Task] = {}
    for task in sorted(tasks, key=lambda task: (task.at, task.id)):
        if task.split is Split.VAL and task.lesson not in lessons:
            newest[task.lesson] = task
    return tuple(newest.values())


def first_calls(tasks: Sequence[Task]) -> int:
    """Return how many calls the guard of these bystanders takes if none of them looks hurt."""
    return 2 * FIRST_ROUNDS * len(tasks)


class Guarded(NamedTuple):
    """The guard's result, its attempts, the lessons that an outage left open, and what ended it early."""

    guard: Guard
    rollouts: tuple[Rollout, ...]
    left_open: tuple[str, ...] = ()
    end: BudgetExhausted | None = None


def watch(
    document: Document,
    candidate: Document,
    tasks: Sequence[Task],
    *,
    attempts: Attempts,
    rule: GateRule,
    trial: Trial,
) -> Guarded:
    """Attempt the bystanders under both versions until it is clear whether one of their lessons was made worse.

    What an earlier night's guard of the trial saw counts too. An attempt of the candidate that failed by itself is
    its worst case; an outage leaves a lesson open. If the budget ends meanwhile, nothing is concluded.
    """
    guard, rollouts = trial.guard, ()
    asked = list(tasks) * FIRST_ROUNDS
    for _ in range(FIRST_ROUNDS, MOST_ROUNDS + 1):
        drawn = Counter[str]()
        jobs: list[Job] = []
        for task in asked:
            sample = trial.first + guard.drawn + drawn[task.id]
            drawn[task.id] += 1
            jobs += [(task, document, sample), (task, candidate, CANDIDATE_SAMPLES + sample)]
        try:
            made = in_pairs(attempts, jobs, label=f"guard {document.id}")
        except BudgetExhausted as error:
            return Guarded(replace(guard, cut_short=True), rollouts, end=error)
        rollouts += made
        # Harm counts however often the same answer shows it, so each round is paired as if it were the first.
        paired = pair_up(Trial(), asked, made, rule)
        pairs = (*guard.pairs, *paired.pairs, *paired.lost_attempts)
        guard = Guard(pairs=pairs, drawn=guard.drawn + max(drawn.values()))
        asked = _to_ask_again(guard, tasks)
        if not asked or _is_sure(guard):
            break
    return Guarded(replace(guard, harmed=_harmed(guard, tasks, rule)), rollouts, _left_open(guard, tasks, rollouts))


def _left_open(guard: Guard, tasks: Sequence[Task], made: Sequence[Rollout]) -> tuple[str, ...]:
    """Return the lessons of which no pair could be scored because of an outage."""
    out = {attempt.task for attempt in made if attempt.failed and not failed_by_itself(attempt.trajectory)}
    return tuple(task.lesson for task in tasks if task.id in out and task.lesson not in guard.lessons)


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


def _to_ask_again(guard: Guard, tasks: Sequence[Task]) -> list[Task]:
    """Return the bystanders of the next round: what looks hurt twice, the others if all together look hurt."""
    by_lesson, pooled = _by_lesson(guard), _tally(guard.pairs)
    all_again = len(by_lesson) > 1 and pooled.looks_hurt and pooled.chance <= POOLED_LOOKS
    asked: list[Task] = []
    for task in tasks:
        tally = by_lesson.get(task.lesson)
        if tally is not None and tally.looks_hurt:
            asked += [task] * AGAIN
        elif all_again:
            asked.append(task)
    return asked


def _is_sure(guard: Guard) -> bool:
    return any(tally.looks_hurt and tally.chance <= SURE for tally in _by_lesson(guard).values())


def _harmed(guard: Guard, tasks: Sequence[Task], rule: GateRule) -> tuple[Harm, ...]:
    """Return the lessons that got worse; if only all together did, those that lost more often than they gained."""
    by_lesson, pooled = _by_lesson(guard), _tally(guard.pairs)
    hurt = [lesson for lesson, tally in by_lesson.items() if tally.lost > rule.min_effect and tally.chance <= LEVEL]
    together = False
    if not hurt and len(by_lesson) > 1 and pooled.lost > rule.min_effect and pooled.chance <= POOLED_LEVEL:
        hurt = [lesson for lesson, tally in by_lesson.items() if tally.looks_hurt]
        together = True
    shown = {task.lesson: _shown(task) for task in tasks}
    return tuple(_harm(guard.of(lesson), shown.get(lesson, ""), together=together) for lesson in hurt)


def _harm(pairs: Sequence[Pair], shown: str, *, together: bool) -> Harm:
    return Harm(
        lesson=pairs[0].lesson,
        wording=shown,
        before=mean([pair.before for pair in pairs]) or 0.0,
        after=mean([pair.after for pair in pairs]) or 0.0,
        n=len(pairs),
        together=together,
    )


def _shown(task: Task) -> str:
    """Return the lesson in words that tell a person which one it is."""
    words = task.wording or " ".join(task.quotes[-1:]) or task.prompt
    flat = " ".join(words.split())
    if len(flat) <= SHOWN_CHARS:
        return flat
    return f"{flat[: SHOWN_CHARS - 1]}…"
