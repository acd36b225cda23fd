"""Tasks and a document to scored attempts."""

from collections.abc import Sequence

from skillopt_sleep.errors import CallFailed, ItemError
from skillopt_sleep.protocols import Executor, Judge, Pool
from skillopt_sleep.records import Document, Rollout, Task


def rollout(
    jobs: Sequence[tuple[Task, Document, int]], *, executor: Executor, judge: Judge, pool: Pool, label: str
) -> tuple[Rollout, ...]:
    """Attempt and grade each (task, document, sample), in order; what can't be made or graded is unscored."""

    def attempt(job: tuple[Task, Document, int]) -> Rollout:
        task, document, sample = job
        trajectory = executor.run(task, document, sample=sample)
        score, note, failed = None, trajectory.failure, bool(trajectory.failure)
        if not failed:
            try:
                score = judge.score(task, trajectory)
            except ItemError as error:
                note, failed = error.message, isinstance(error, CallFailed)
        return Rollout(
            task=task.id,
            document_sha=document.sha,
            sample=sample,
            trajectory=trajectory,
            score=score,
            note=note,
            failed=failed,
        )

    return pool.map(attempt, jobs, label=label)
