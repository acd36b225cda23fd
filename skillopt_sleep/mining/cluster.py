"""The same wish again, in whatever words, forms a cluster."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from skillopt_sleep.mining.likeness import SAME, Profile, contradicts, likeness, profile
from skillopt_sleep.records import Task

LEAST_ON_AVERAGE = 0.5
MOST_COMPARED = 24  # members of one cluster: the first and the latest
COMMON = 200  # of what more tasks than so many speak of, the latest are compared, and only if nothing rarer is shared


def cluster(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks in order of time, each with the cluster of its project whose wish it repeats, or a new one.

    `known` are the tasks of earlier nights, which keep their clusters. A task joins the cluster of the task most like
    it, if it is like that cluster's tasks on the whole: so a chain of likenesses can't carry a cluster elsewhere.
    """
    projects: defaultdict[str, _Clusters] = defaultdict(_Clusters)
    for task in known:
        projects[task.project].add(profile(task), task.cluster)
    out: list[Task] = []
    for task in sorted(tasks, key=lambda task: (task.at, task.session, task.id)):
        clusters, looks = projects[task.project], profile(task)
        name = task.cluster or clusters.find(looks) or f"c-{task.id}"
        clusters.add(looks, name)
        out.append(msgspec.structs.replace(task, cluster=name))
    return tuple(out)


class _Clusters:
    """The clusters of one project; tasks that say the same are compared once."""

    def __init__(self) -> None:
        self._looks: list[Profile] = []
        self._names: list[str] = []
        self._members: defaultdict[str, list[int]] = defaultdict(list)
        self._told: set[tuple[str, str, str, str, frozenset[object]]] = set()
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, looks: Profile, name: str) -> None:
        """One more member of the cluster `name`."""
        told = (name, looks.lesson, looks.said, looks.asked, looks.checks)
        if told in self._told:
            return
        self._told.add(told)
        number = len(self._looks)
        self._looks.append(looks)
        self._names.append(name)
        self._members[name].append(number)
        for key in looks.keys:
            self._by_key[key].append(number)

    def find(self, looks: Profile) -> str:
        """The cluster whose wish this is, or "" where there is none."""
        best: dict[str, float] = {}
        for number in self._near(looks):
            score = likeness(looks, self._looks[number])
            if score >= max(SAME, best.get(self._names[number], 0.0)):
                best[self._names[number]] = score
        ranked = sorted(best, key=lambda name: (-best[name], self._members[name][0]))
        return next((name for name in ranked if self._fits(looks, name)), "")

    def _near(self, looks: Profile) -> list[int]:
        """Those worth comparing: they share what is rare here, or what all speak of where nothing rarer is said."""
        found: dict[int, None] = {}
        for key in sorted(looks.keys, key=lambda key: (len(self._by_key[key]), key)):
            if found and len(self._by_key[key]) > COMMON:
                break
            found.update(dict.fromkeys(self._by_key[key][-COMMON:]))
        return sorted(found)

    def _fits(self, looks: Profile, name: str) -> bool:
        """Whether it is like the members on the whole, of which the first and the latest are asked.

        What a model called by one name belongs together, however it was worded.
        """
        members = self._members[name]
        asked = members if len(members) <= MOST_COMPARED else [members[0], *members[-MOST_COMPARED:]]
        if any(contradicts(looks, self._looks[number]) for number in asked):
            return False
        if looks.lesson and any(looks.lesson == self._looks[number].lesson for number in asked):
            return True
        return sum(likeness(looks, self._looks[number]) for number in asked) >= LEAST_ON_AVERAGE * len(asked)
