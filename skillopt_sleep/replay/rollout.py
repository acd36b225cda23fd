"""Turn tasks and a document into scored attempts."""

from collections.abc import Sequence

from skillopt_sleep.errors import CallFailed, ItemError
from skillopt_sleep.protocols.work import Executor, Judge, Pool
from skillopt_sleep.records import Document, Rollout, Score, Task, Trajectory

Job = tuple[Task, Document, int]  # the last is the number of the sample


def rollout(jobs: Sequence[Job], *, executor: Executor, judge: Judge, pool: Pool, label: str) -> tuple[Rollout, ...]:
    """Attempt and grade each job, and return the rollouts in order; what can't be made or graded has no score.

    Grading starts after all attempts, because one call grades several answers, both arms of a task among them.
    """

    def attempt(job: Job) -> Trajectory:
        task, document, sample = job
        return executor.run(task, document, sample=sample)

    trajectories = pool.map(attempt, jobs, label=label)
    attempts = list(zip(jobs, trajectories, strict=True))
    answers = [(task, trajectory) for (task, _, _), trajectory in attempts if not trajectory.failure]
    grades = iter(judge.scores(answers, pool=pool, label=f"grade {label}"))
    rollouts: list[Rollout] = []
    for job, trajectory in attempts:
        grade = None if trajectory.failure else next(grades)
        rollouts.append(_rollout(job, trajectory, grade))
    return tuple(rollouts)


def _rollout(job: Job, trajectory: Trajectory, grade: Score | ItemError | None) -> Rollout:
    task, document, sample = job
    score: Score | None = None
    note = trajectory.failure
    failed = bool(trajectory.failure)
    if isinstance(grade, Score):
        score = grade
    elif grade is not None:
        note = grade.message
        failed = isinstance(grade, CallFailed)
    return Rollout(
        task=task.id,
        document_sha=document.sha,
        sample=sample,
        trajectory=trajectory,
        score=score,
        note=note,
        failed=failed,
    )
