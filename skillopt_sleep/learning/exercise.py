"""Choose the tasks that can be tried, those to learn from, and for a trial those of its edits' lessons."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.protocols import Executor
from skillopt_sleep.records import Edit, Split, Task, TaskOrigin, lessons_of, tasks_of


def in_reach(tasks: Sequence[Task], executor: Executor) -> tuple[list[Task], list[Task]]:
    """Return the tasks that this executor can try, and those that wait for one that has the repository."""
    reached: list[Task] = []
    waiting: list[Task] = []
    for task in tasks:
        if executor.reaches(task):
            reached.append(task)
        else:
            waiting.append(task)
    return reached, waiting


def with_lessons(edits: Sequence[Edit], tasks: Sequence[Task]) -> tuple[Edit, ...]:
    """Return the edits, each with the lessons of those tasks that it was learned from."""
    lessons = {task.id: task.lesson for task in tasks if task.lesson}
    named: list[Edit] = []
    for edit in edits:
        own = dict.fromkeys(lessons[task] for task in edit.tasks if task in lessons)
        named.append(replace(edit, lessons=tuple(own) or edit.lessons))
    return tuple(named)


def exercise(edits: Sequence[Edit], tasks: Sequence[Task], val: Sequence[Task]) -> tuple[Task, ...]:
    """Return the val tasks of the edits' lessons, on which the bet is: others would only dilute the evidence.

    If an edit names no lessons, they are those of its tasks; if these aren't among `tasks` either, all of val is
    returned.
    """
    return about(edits, tasks, val) or tuple(val)


def about(edits: Sequence[Edit], tasks: Sequence[Task], val: Sequence[Task]) -> tuple[Task, ...]:
    """Return the val tasks of the lessons that the edits were learned from; none if those aren't known."""
    names = tasks_of(edits)
    lessons = {*lessons_of(edits)}
    lessons.update(task.lesson for task in tasks if task.id in names)
    return tuple(task for task in val if task.lesson in lessons)


def by_use(train: Sequence[Task], val: Sequence[Task]) -> tuple[list[Task], list[Task], set[str]]:
    """Return the tasks to learn from, the recalled ones of like lessons, and the lessons that val can't test."""
    provable = {task.lesson for task in val}
    learnable: list[Task] = []
    alike: list[Task] = []
    untestable: set[str] = set()
    for task in train:
        if task.origin is TaskOrigin.REAL and task.lesson not in provable:
            untestable.add(task.lesson)
        if task.origin is TaskOrigin.RECALLED:
            alike.append(task)
        elif task.lesson in provable and task.split is Split.TRAIN:
            learnable.append(task)
    return learnable, alike, untestable


def other_sessions(edits: Sequence[Edit], tasks: Sequence[Task], val: Sequence[Task]) -> tuple[str, ...]:
    """Return the sessions of train tasks of other lessons than those the edits were learned from."""
    lessons = {task.lesson for task in about(edits, tasks, val)}
    sessions: dict[str, None] = {}
    for task in tasks:
        if task.split is Split.TRAIN and task.lesson not in lessons:
            sessions[task.session] = None
    return tuple(sessions)
