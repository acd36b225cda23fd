"""What earlier nights know of tonight's clusters."""

from collections.abc import Sequence

from skillopt_sleep.records import Task


def recall(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """Tonight's tasks and the earlier ones of the same clusters, each on the side it has; without doubles."""
    clusters = {task.cluster for task in tasks}
    tonight = {task.id for task in tasks}
    earlier = (task for task in known if task.cluster in clusters and task.id not in tonight)
    return (*earlier, *tasks)
