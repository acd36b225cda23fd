"""What earlier nights know of tonight's clusters."""

from collections.abc import Collection, Sequence

from skillopt_sleep.records import Task


def recall(tasks: Sequence[Task], *, known: Sequence[Task], pinned: Collection[str] = ()) -> tuple[Task, ...]:
    """Tonight's tasks and the earlier ones of the same clusters, each on the side it has; without doubles.

    Earlier tasks whose id is `pinned` by a person always come along.
    """
    clusters = {task.cluster for task in tasks}
    tonight = {task.id for task in tasks}
    earlier = (task for task in known if (task.cluster in clusters or task.id in pinned) and task.id not in tonight)
    return (*earlier, *tasks)
