"""Give tasks their side (train, val or test), and bring back tasks of earlier nights that help tonight.

Both sides see what recurs, and no session is on two of them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace
from rapidfuzz import fuzz, process

from skillopt_sleep.records import RecallRules, Split, Task, TaskOrigin

EVERY_TEST = 6
ALIKE = 60.0  # below, two requests have hardly more in common than their language


def split(tasks: Sequence[Task], *, known: Sequence[Task], sides: Mapping[str, str]) -> tuple[Task, ...]:
    """Return tonight's tasks with their sides, and those of earlier nights that get theirs tonight, in order of time.

    A lesson's sessions get their sides once there are two of them, as one can't prove anything: the first is train,
    the next two val, then train and val in turn, and every sixth test. A session has one side for ever, whatever
    lessons it holds: the one in `sides`, which are those of earlier nights, else the first it gets. Equal requests of
    one session count once for each lesson. A task that a person put on a side stays there.
    """
    side_of = {session: Split(side) for session, side in sides.items()}
    sessions_of: defaultdict[str, dict[str, None]] = defaultdict(dict)
    found: dict[tuple[str, str, str], Task] = {}
    settled = [task for task in known if task.split is not None]
    waiting = [task for task in known if task.split is None]
    for task in (*settled, *sorted((*waiting, *tasks), key=lambda task: task.at)):
        occurrence = (task.session, task.lesson, task.prompt)
        if occurrence in found:
            continue
        found[occurrence] = task
        if task.split is not None:
            side_of[task.session] = task.split
        sessions = sessions_of[task.lesson]
        sessions[task.session] = None
        if len(sessions) == 1:
            continue
        for session in sessions:
            if session not in side_of:
                side_of[session] = _next_side([side_of[other] for other in sessions if other in side_of])
    banked = {task.id for task in known}
    sided: list[Task] = []
    for task in found.values():
        side = task.split or side_of.get(task.session)
        if task.id not in banked or side is not task.split:
            sided.append(replace(task, split=side))
    return tuple(sided)


def _next_side(sides: Sequence[Split]) -> Split:
    """Return the side of a lesson's next session; `sides` are those of the others."""
    if (len(sides) + 1) % EVERY_TEST == 0:
        return Split.TEST
    count = Counter(sides)
    if not count[Split.TRAIN] or count[Split.TRAIN] < count[Split.VAL]:
        return Split.TRAIN
    return Split.VAL


def recall(
    tasks: Sequence[Task],
    *,
    known: Sequence[Task],
    rules: RecallRules,
    now: datetime,
    pinned: Collection[str] = (),
    named: Collection[str] = (),
    wanted: Collection[str] = (),
) -> tuple[Task, ...]:
    """Return tonight's tasks after the earlier ones of their lessons, each on its own side and once.

    The lessons of `named` tasks, from which undecided candidates were learned, come along if their project has tasks
    tonight; `wanted` lessons come in any case. The most similar train tasks of the project's other lessons join train
    as recalled ones; val and test never get more than what recurs.
    """
    tonight = {task.id for task in tasks}
    projects = {task.project for task in tasks}
    lessons = {*wanted, *(task.lesson for task in tasks)}
    fresh: list[Task] = []
    for task in known:
        if task.id in tonight or (task.project not in projects and task.lesson not in wanted):
            continue
        if task.id in named:
            lessons.add(task.lesson)
        if now - task.at <= rules.retire or task.id in pinned:
            fresh.append(task)
    recurring = _recurring(fresh, lessons, pinned, rules.per_side)
    earlier = [task for task in known if task.id in recurring]
    others = {task.id: task for task in fresh if task.id not in recurring and task.split is Split.TRAIN}
    similar = _most_similar([task for task in tasks if task.split is Split.TRAIN], others, rules.similar)
    return (*earlier, *similar, *tasks)


def _recurring(fresh: Sequence[Task], lessons: Collection[str], pinned: Collection[str], per_side: int) -> set[str]:
    """Return the ids of the pinned tasks and of the latest tasks of these lessons, up to so many on each side."""
    count = Counter[tuple[str, Split | None]]()
    chosen: set[str] = set()
    for task in sorted(fresh, key=lambda task: task.at, reverse=True):
        side = (task.lesson, task.split)
        if task.id in pinned or (task.lesson in lessons and count[side] < per_side):
            count[side] += 1
            chosen.add(task.id)
    return chosen


def _most_similar(train: Sequence[Task], others: Mapping[str, Task], most: int) -> tuple[Task, ...]:
    """Return, for each train task, up to `most` other train tasks of its project, those worded most like it."""
    if not most:
        return ()
    similar: dict[str, Task] = {}
    for task in train:
        prompts = {name: other.prompt.lower() for name, other in others.items() if other.project == task.project}
        matches = process.extract(
            task.prompt.lower(), prompts, scorer=fuzz.token_set_ratio, score_cutoff=ALIKE, limit=most
        )
        for _, _, name in matches:
            similar[name] = replace(others[name], origin=TaskOrigin.RECALLED)
    return tuple(similar.values())
