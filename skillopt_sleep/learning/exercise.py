"""Choose the val tasks for a trial: those the edits are about, and some bystanders that they could harm."""

from collections.abc import Sequence

from skillopt_sleep.records import Edit, Task, tasks_of


def exercise(edits: Sequence[Edit], tasks: Sequence[Task], val: Sequence[Task]) -> tuple[Task, ...]:
    """Return the val tasks of the edits' lessons, and the newest val task of some other lessons.

    There are at most as many bystanders as other tasks: they show harm, and only dilute the evidence of a gain. The
    choice looks at no result. If the edits' own tasks aren't among `tasks`, all of val is returned.
    """
    concerned = about(edits, tasks, val)
    if not concerned:
        return tuple(val)
    lessons = {task.cluster for task in concerned}
    newest: dict[str, Task] = {}
    for task in sorted(val, key=lambda task: task.at):
        if task.cluster not in lessons:
            newest[task.cluster] = task
    bystanders = sorted(newest.values(), key=lambda task: task.at, reverse=True)[: len(concerned)]
    return tuple(task for task in val if task in concerned or task in bystanders)


def about(edits: Sequence[Edit], tasks: Sequence[Task], val: Sequence[Task]) -> tuple[Task, ...]:
    """Return the val tasks of the lessons that the edits were learned from; none if those aren't known."""
    names = tasks_of(edits)
    lessons = {task.cluster for task in tasks if task.id in names}
    return tuple(task for task in val if task.cluster in lessons)
