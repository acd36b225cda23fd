"""Confirm what won: grade wrong answers that are as long, and try it a second time and on the tasks kept back.

The trial that chose a change flatters it; a fresh round doesn't, and decides nothing. No trial, no score of a task
and no later night reads its samples.
"""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.attempts import OptionalAttempts, in_pairs
from skillopt_sleep.learning.pairs import pair_up
from skillopt_sleep.learning.statistics import gain_interval
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.work import Judge, Pool
from skillopt_sleep.records import (
    Document,
    FreshRound,
    GateRule,
    Note,
    Pair,
    Rollout,
    Rubric,
    Score,
    Task,
    Trajectory,
    Trial,
    bets_of,
    is_of_changes,
)
from skillopt_sleep.replay.judges.known_answers import padded
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES

FRESH = CANDIDATE_SAMPLES // 2  # the sample of a round that no trial reaches
TEST = FRESH + 1
MUCH_LONGER = 1.2  # times, in the median
MOST_ANSWERS = 16
MOST_PASSING = 1


class FreshAttempts(NamedTuple):
    """The pairs of one round in which both attempts were scored, its attempts, and a note if it was cut short."""

    pairs: tuple[Pair, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def round(self) -> FreshRound:
        """The figures of the round."""
        return FreshRound(pairs=self.pairs, interval=gain_interval(bets_of(self.pairs)))


def ask_once(
    document: Document, changed: Document, tasks: Sequence[Task], *, crew: Crew, rule: GateRule, sample: int
) -> FreshAttempts:
    """Attempt each task once under both versions; where the budget or the model ends, what was asked counts."""
    if not tasks:
        return FreshAttempts()
    # Not checked beforehand whether the budget has room: in a resumed night the round may be paid for already.
    attempts = OptionalAttempts(crew)
    jobs: list[Job] = []
    for task in tasks:
        jobs += [(task, document, sample), (task, changed, CANDIDATE_SAMPLES + sample)]
    made = in_pairs(attempts, jobs, label=f"fresh round {document.id}")
    pairs = pair_up(Trial(), tasks, made, rule).pairs
    if attempts.end is None:
        return FreshAttempts(pairs, made)
    what = "fresh round" if sample == FRESH else "round on the requests that were kept back"
    summary = f"{document.id}: the {what} has {counted(len(pairs), 'pair')} of {len(tasks)}: {attempts.end.message}"
    return FreshAttempts(pairs, made, (Note(stage="afterwards", summary=summary, remedy=attempts.end.remedy),))


def passes_padded(val: Sequence[Task], made: Sequence[Rollout], *, judge: Judge, pool: Pool) -> bool:
    """Tell whether a rule's answers are much longer, and the judge passes wrong ones that are made as long.

    Only answers in words count that only the judge's model can grade. No other rule needs the calls.
    """
    tasks = {
        task.id: task for task in val if isinstance(task.reference, Rubric) and not is_of_changes(task.reference)
    }
    old: list[Rollout] = []
    new: list[Rollout] = []
    for attempt in made:
        if attempt.task in tasks and attempt.score is not None:
            (new if attempt.sample >= CANDIDATE_SAMPLES else old).append(attempt)
    if not old or not new:
        return False
    length = median(len(attempt.trajectory.response) for attempt in new)
    if length <= MUCH_LONGER * median(len(attempt.trajectory.response) for attempt in old):
        return False
    failed = [attempt for attempt in old if attempt.score is not None and attempt.score.hard < 1]
    answers: list[tuple[Task, Trajectory]] = []
    for attempt in failed[:MOST_ANSWERS]:
        text = padded(attempt.trajectory.response, round(length))
        answers.append((tasks[attempt.task], Trajectory(response=text, text_only=True)))
    grades = judge.scores(answers, pool=pool, label="grade padded answers")
    passed = [grade for grade in grades if isinstance(grade, Score) and grade.hard >= 1]
    return len(passed) > MOST_PASSING
