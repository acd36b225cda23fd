"""Give tasks their side (train, val or test): both sides see what recurs, and no session is on two of them."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.records import Split, Task

EVERY_TEST = 6


def split(tasks: Sequence[Task], *, known: Sequence[Task], sides: Mapping[str, str]) -> tuple[Task, ...]:
    """Give each task its side, for ever; `tasks` have their lessons and are in order of time.

    Sides go by session within a lesson: the first occurrence is train, the next two val, then train and val in turn,
    and every sixth test. One session is enough to write a rule from, two are needed to prove it. A session has one
    side: the one in `sides`, which are those of earlier nights, else the first it gets tonight. Equal requests of one
    session count once for each lesson. A task that a person put on a side stays there.
    """
    side_of = {session: Split(side) for session, side in sides.items()}
    lessons: dict[str, dict[str, Split]] = {}
    for task in known:
        if task.split is not None:
            lessons.setdefault(task.lesson, {})[task.session] = task.split
            side_of.setdefault(task.session, task.split)
    assigned: list[Task] = []
    seen = {(task.session, task.lesson, task.prompt) for task in known}
    for task in tasks:
        occurrence = (task.session, task.lesson, task.prompt)
        if occurrence in seen:
            continue
        seen.add(occurrence)
        sessions = lessons.setdefault(task.lesson, {})
        side = task.split or side_of.get(task.session) or _next_side(sessions)
        side_of[task.session] = side
        sessions[task.session] = side
        assigned.append(msgspec.structs.replace(task, split=side))
    return tuple(assigned)


def _next_side(sessions: Mapping[str, Split]) -> Split:
    """Return the side of a lesson's next occurrence."""
    if (len(sessions) + 1) % EVERY_TEST == 0:
        return Split.TEST
    count = Counter(sessions.values())
    if not count[Split.TRAIN] or count[Split.TRAIN] < count[Split.VAL]:
        return Split.TRAIN
    return Split.VAL
