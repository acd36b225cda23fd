"""Let the judge grade what an attempt changed, where neither a command nor what the agent did can tell enough."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from skillopt_sleep.mining.acting import needs_repository
from skillopt_sleep.mining.calibration import calibrate
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Rubric, Task


def graded_by_changes(tasks: Sequence[Task], crew: Crew) -> Mapping[str, Task]:
    """Return those of these tasks whose demand the judge can grade by a diff, by id.

    It can if it graded diffs of known worth rightly. A failed call leaves its tasks waiting for another night.
    """
    asked = [_by_changes(task, task.reference) for task in tasks if isinstance(task.reference, Rubric) and _can(task)]
    tried = calibrate(asked, crew.grader, crew.pool)
    left_out = tried.refused | tried.unseen | tried.lost
    return {task.id: replace(task, known_answers=tried.known[task.id]) for task in asked if task.id not in left_out}


def _can(task: Task) -> bool:
    """Return whether the task says where it stands, and words can't show what it wants."""
    return task.workspace is not None and needs_repository(task)


def _by_changes(task: Task, rubric: Rubric) -> Task:
    return replace(task, reference=replace(rubric, of_changes=True), needs_repository=True, known_answers=())
