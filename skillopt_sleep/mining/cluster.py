"""Group tasks into clusters: one cluster for one wish that comes back in nearly the same words.

No model is asked, and nothing is joined for what its words mean: a wrong pair would prove a wrong rule.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.mining.deeds import REQUEST_CHARS, is_same_request
from skillopt_sleep.mining.lexicon import SOFT
from skillopt_sleep.mining.meanings import features
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.records import Check, Checks, Rubric, Task


def cluster(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks in order of time, each with the cluster of its project that it belongs to, or a new one.

    `known` are the tasks of earlier nights, which keep their clusters. A task joins the first cluster that has its
    checks or nearly its words.
    """
    projects: defaultdict[str, _Clusters] = defaultdict(_Clusters)
    for task in known:
        projects[task.project].add(_said(task), task.lesson)
    clustered: list[Task] = []
    for task in sorted(tasks, key=lambda task: (task.at, task.session, task.id)):
        clusters = projects[task.project]
        said = _said(task)
        name = task.lesson or clusters.find(said) or f"c-{task.id}"
        clusters.add(said, name)
        clustered.append(replace(task, lesson=name))
    return tuple(clustered)


class _Said(NamedTuple):
    """What was said about a task: the corrections or else the rubric, what they wish, the request and the checks.

    `wish` is what the words want and don't want, with a sign for each; it is empty for "no, wrong".
    """

    words: str
    wish: frozenset[tuple[str, int]]
    request: str
    checks: frozenset[Check]


class _Clusters:
    """The clusters of one project; tasks with the same words are compared once."""

    def __init__(self) -> None:
        self._by_checks: dict[frozenset[Check], str] = {}
        self._by_wish: defaultdict[frozenset[tuple[str, int]], dict[_Said, str]] = defaultdict(dict)

    def add(self, said: _Said, name: str) -> None:
        """Add a member to the cluster `name`."""
        if said.checks:
            self._by_checks.setdefault(said.checks, name)
        self._by_wish[said.wish].setdefault(said, name)

    def find(self, said: _Said) -> str:
        """Return the name of the cluster that has the same wish, or "" if there is none."""
        if said.checks in self._by_checks:
            return self._by_checks[said.checks]
        for other, name in self._by_wish[said.wish].items():
            if _have_near_words(said, other):
                return name
        return ""


def _said(task: Task) -> _Said:
    words = "\n".join(quotes_of(task.evidence))
    if isinstance(task.reference, Rubric):
        words = words or task.reference.text
    checks: list[Check] = []
    if isinstance(task.reference, Checks):
        checks = [replace(check, arg=check.arg.casefold()) for check in task.reference.items]
    words = words[:REQUEST_CHARS]
    wish = frozenset((feature.key, feature.sign) for feature in features(words) if feature.weight > SOFT)
    return _Said(words, wish, task.prompt[:REQUEST_CHARS], frozenset(checks))


def _have_near_words(one: _Said, other: _Said) -> bool:
    """Tell whether two tasks of one wish say nearly the same words, also in the request if these name no wish.

    A proof may have dropped some of a task's checks, but none of the two may check what the other doesn't.
    """
    if not one.checks <= other.checks and not other.checks <= one.checks:
        return False
    if not is_same_request(one.words, other.words):
        return False
    return bool(one.wish) or is_same_request(one.request, other.request)
