"""Group tasks into clusters: one for one wish that comes back with the same named terms or nearly the same words.

No model is asked, and nothing is joined for what its words mean: a wrong pair would prove a wrong rule.
"""

from collections.abc import Hashable, Iterator, Sequence

from msgspec.structs import replace

from skillopt_sleep.mining.deeds import REQUEST_CHARS
from skillopt_sleep.mining.names import folded, says_what
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.wishes import Wish, last_wish
from skillopt_sleep.records import Checks, Rubric, Task


def cluster(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks in order of time, each with the cluster of its project that it belongs to, or a new one.

    `known` are the tasks of earlier nights, which keep their clusters. A task joins the first cluster with the same
    checks, terms or words; words that say nothing of what is wanted, such as "no, wrong", join only if the same
    request came again, too.
    """
    clusters: dict[Hashable, str] = {}
    clustered: list[Task] = []
    for task in (*known, *sorted(tasks, key=lambda task: (task.at, task.session, task.id))):
        keys = list(_keys(task))
        found = (clusters[key] for key in keys if key in clusters)
        name = task.lesson or next(found, f"c-{task.id}")
        for key in keys:
            clusters.setdefault(key, name)
        clustered.append(replace(task, lesson=name))
    return tuple(clustered[len(known) :])


def _keys(task: Task) -> Iterator[Hashable]:
    """Yield what tells a task's wish from others in its project: its checks, the terms it names, or its words."""
    said = _said(task)
    wish = last_wish(said)
    words = folded("\n".join(said))
    if wish != Wish():
        yield task.project, wish
    if isinstance(task.reference, Checks):
        checks = frozenset((check.op, check.arg.casefold(), check.section) for check in task.reference.items)
        yield task.project, checks
    elif wish == Wish() and says_what("\n".join(said)):
        yield task.project, words
    elif wish == Wish():
        yield task.project, words, task.prompt.casefold()


def _said(task: Task) -> list[str]:
    """Return the words of a task: the corrections, or else the rubric, or else nothing."""
    said = [quote[:REQUEST_CHARS] for quote in quotes_of(task.feedback.evidence)]
    if not said and isinstance(task.reference, Rubric):
        return [task.reference.text[:REQUEST_CHARS]]
    return said
