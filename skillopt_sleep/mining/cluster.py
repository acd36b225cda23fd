"""Group tasks into clusters: one cluster for one wish, in whatever words it comes back."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from skillopt_sleep.mining.likeness import SAME, contradicts, likeness
from skillopt_sleep.mining.profile import Profile, profile_of
from skillopt_sleep.records import Task

LEAST_ON_AVERAGE = 0.5
MOST_COMPARED = 24  # of one cluster's members: the first and the latest
COMMON = 200  # a key of more tasks is common: only the latest are compared, and only if no rarer key is shared


def cluster(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks in order of time, each with the cluster of its project that it belongs to, or a new one.

    `known` are the tasks of earlier nights, which keep their clusters. A task joins the cluster of the task most like
    it, provided it is like that cluster's tasks on average: a chain of likenesses can't carry a cluster elsewhere.
    """
    projects: defaultdict[str, _Clusters] = defaultdict(_Clusters)
    for task in known:
        projects[task.project].add(profile_of(task), task.lesson)
    clustered: list[Task] = []
    for task in sorted(tasks, key=lambda task: (task.at, task.session, task.id)):
        clusters = projects[task.project]
        profile = profile_of(task)
        name = task.lesson or clusters.find(profile) or f"c-{task.id}"
        clusters.add(profile, name)
        clustered.append(msgspec.structs.replace(task, lesson=name))
    return tuple(clustered)


class _Clusters:
    """The clusters of one project; tasks with the same words are compared once."""

    def __init__(self) -> None:
        self._profiles: list[Profile] = []
        self._names: list[str] = []
        self._members: defaultdict[str, list[int]] = defaultdict(list)
        self._seen: set[tuple[str, str, str, str, frozenset[object]]] = set()
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, profile: Profile, name: str) -> None:
        """Add a member to the cluster `name`."""
        identity = (name, profile.wording, profile.corrections, profile.prompt, profile.checks)
        if identity in self._seen:
            return
        self._seen.add(identity)
        number = len(self._profiles)
        self._profiles.append(profile)
        self._names.append(name)
        self._members[name].append(number)
        for key in profile.keys:
            self._by_key[key].append(number)

    def find(self, profile: Profile) -> str:
        """Return the name of the cluster that has the same wish, or "" if there is none."""
        best: dict[str, float] = {}
        for number in self._near(profile):
            name = self._names[number]
            score = likeness(profile, self._profiles[number])
            if score >= max(SAME, best.get(name, 0.0)):
                best[name] = score
        for name in sorted(best, key=lambda name: (-best[name], self._members[name][0])):
            if self._fits(profile, name):
                return name
        return ""

    def _near(self, profile: Profile) -> list[int]:
        """Return the members worth comparing: they share a rare key, or a common one if no rarer key is shared."""
        near: set[int] = set()
        for key in sorted(profile.keys, key=lambda key: (len(self._by_key[key]), key)):
            if near and len(self._by_key[key]) > COMMON:
                break
            near.update(self._by_key[key][-COMMON:])
        return sorted(near)

    def _fits(self, profile: Profile, name: str) -> bool:
        """Tell whether a task is like a cluster's members on average; the first and the latest members are compared.

        Tasks that a model gave one lesson belong together, whatever their words.
        """
        numbers = self._members[name]
        if len(numbers) > MOST_COMPARED:
            numbers = [numbers[0], *numbers[-MOST_COMPARED:]]
        members = [self._profiles[number] for number in numbers]
        if any(contradicts(profile, member) for member in members):
            return False
        if profile.wording and any(profile.wording == member.wording for member in members):
            return True
        return sum(likeness(profile, member) for member in members) >= LEAST_ON_AVERAGE * len(members)
