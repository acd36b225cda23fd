"""Who learns and who tests: what recurs must be seen by both sides, and no session by more than one."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.records import Split, Task

EVERY_TEST = 6


def split(tasks: Sequence[Task], *, known: Sequence[Task], sides: Mapping[str, str]) -> tuple[Task, ...]:
    """Give each task its side, sticky for ever; `tasks` are clustered and in order of time.

    Within a cluster, by session: the first occurrence is train, the next val, then alternating, every sixth test. A
    session is on one side only: `sides` are those of earlier nights, and its first assignment tonight decides.
    Equal requests of one session count once. A task that a person put on a side stays there.
    """
    side_of = {session: Split(side) for session, side in sides.items()}
    members: dict[str, dict[str, Split]] = {}
    for task in known:
        if task.split is not None:
            members.setdefault(task.cluster, {})[task.session] = task.split
            side_of.setdefault(task.session, task.split)
    out: list[Task] = []
    seen = {(task.session, task.prompt) for task in known}
    for task in tasks:
        if (task.session, task.prompt) in seen:
            continue
        seen.add((task.session, task.prompt))
        sessions = members.setdefault(task.cluster, {})
        side = task.split or side_of.get(task.session) or _next_side(sessions)
        side_of[task.session] = side
        sessions[task.session] = side
        out.append(msgspec.structs.replace(task, split=side))
    return tuple(out)


def _next_side(sessions: Mapping[str, Split]) -> Split:
    """The side of a cluster's next occurrence."""
    if (len(sessions) + 1) % EVERY_TEST == 0:
        return Split.TEST
    count = Counter(sessions.values())
    return Split.TRAIN if count[Split.TRAIN] <= count[Split.VAL] else Split.VAL
