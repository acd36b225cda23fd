"""Find out whether a rule won because its answers are longer: the judge grades wrong ones that are made as long."""

from collections.abc import Sequence
from statistics import median

from skillopt_sleep.protocols import Judge, Pool
from skillopt_sleep.records import Rollout, Rubric, Score, Task, Trajectory, is_of_changes
from skillopt_sleep.replay.judges.known_answers import padded
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

MUCH_LONGER = 1.2  # times, in the median
MOST_ANSWERS = 16
MOST_PASSING = 1


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
