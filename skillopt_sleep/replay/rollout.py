"""Tasks and a document to scored attempts."""

from collections.abc import Sequence

from skillopt_sleep.errors import CallFailed, ItemError
from skillopt_sleep.protocols import Executor, Judge, Pool
from skillopt_sleep.records import Document, Rollout, Score, Task, Trajectory

Job = tuple[Task, Document, int]


def rollout(jobs: Sequence[Job], *, executor: Executor, judge: Judge, pool: Pool, label: str) -> tuple[Rollout, ...]:
    """Attempt and grade each (task, document, sample), in order; what can't be made or graded is unscored.

    All are attempted before any is graded: one call grades several, both arms of a task among them.
    """

    def attempt(job: Job) -> Trajectory:
        task, document, sample = job
        return executor.run(task, document, sample=sample)

    made = list(zip(jobs, pool.map(attempt, jobs, label=label), strict=True))
    answers = [(task, trajectory) for (task, _, _), trajectory in made if not trajectory.failure]
    grades = iter(judge.scores(answers, pool=pool, label=f"grade {label}"))
    return tuple(_rollout(job, trajectory, None if trajectory.failure else next(grades)) for job, trajectory in made)


def _rollout(job: Job, trajectory: Trajectory, grade: Score | ItemError | None) -> Rollout:
    task, document, sample = job
    return Rollout(
        task=task.id,
        document_sha=document.sha,
        sample=sample,
        trajectory=trajectory,
        score=grade if isinstance(grade, Score) else None,
        note=grade.message if isinstance(grade, ItemError) else trajectory.failure,
        failed=bool(trajectory.failure) or isinstance(grade, CallFailed),
    )
