"""What earlier nights know that helps tonight: the tasks of the same lessons, and similar ones to learn from."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec.structs import replace
from rapidfuzz import fuzz, process

from skillopt_sleep.records import RecallRules, Split, Task, TaskOrigin

ALIKE = 60.0  # below, two requests have hardly more in common than their language


def recall(
    tasks: Sequence[Task],
    *,
    known: Sequence[Task],
    rules: RecallRules,
    now: datetime,
    pinned: Collection[str] = (),
    named: Collection[str] = (),
) -> tuple[Task, ...]:
    """Tonight's tasks after the earlier ones of their clusters, each on the side it has; without doubles.

    The clusters of `named` tasks, which candidates that wait were learned from, come along where their project is
    asked tonight. Beside them the most similar train tasks of other clusters of the project join train as recalled
    ones; val and test never get more than what recurs.
    """
    tonight = {task.id for task in tasks}
    projects = {task.project for task in tasks}
    there = [task for task in known if task.id not in tonight and task.project in projects]
    fresh = [task for task in there if now - task.at <= rules.retire or task.id in pinned]
    clusters = {task.cluster for task in tasks} | {task.cluster for task in there if task.id in named}
    count = Counter[tuple[str, Split | None]]()
    same: list[Task] = []
    for task in sorted(fresh, key=lambda task: task.at, reverse=True):
        side = (task.cluster, task.split)
        if task.id in pinned or (task.cluster in clusters and count[side] < rules.per_side):
            count[side] += 1
            same.append(task)
    taken = {task.id for task in same}
    others = [task for task in fresh if task.split is Split.TRAIN and task.id not in taken]
    alike = _most_similar([task for task in tasks if task.split is Split.TRAIN], others, rules.similar)
    return (*_in_order(same, known), *alike, *tasks)


def _most_similar(train: Sequence[Task], others: Sequence[Task], most: int) -> tuple[Task, ...]:
    """For each train task so many of its project's other train tasks, those that are worded most like it."""
    found: dict[str, Task] = {}
    for task in train if most else ():
        own = {other.id: other for other in others if other.project == task.project}
        texts = {name: other.prompt.lower() for name, other in own.items()}
        near = process.extract(
            task.prompt.lower(), texts, scorer=fuzz.token_set_ratio, score_cutoff=ALIKE, limit=most
        )
        found |= {name: replace(own[name], origin=TaskOrigin.RECALLED) for _, _, name in near}
    return tuple(found.values())


def _in_order(tasks: Sequence[Task], known: Sequence[Task]) -> list[Task]:
    ids = {task.id for task in tasks}
    return [task for task in known if task.id in ids]
