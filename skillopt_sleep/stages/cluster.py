"""Near-equal tasks form a cluster: the same request again, or the same correction again."""

import re
from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.records import Checks, Task

SAME_REQUEST = 85.0
SAME_CORRECTION = 72.0
ENOUGH_WORDS = 4

_WORD = re.compile(r"[\w'./+#-]*\w")


def cluster(tasks: Sequence[Task], *, known: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks in order of time, each with the cluster of the most similar task of its project, or a new one.

    `known` are the tasks of earlier nights, whose clusters go on. Similarity is rapidfuzz's token sort ratio of the
    requests or of the corrections (0 to 100); equal checks are the same correction whatever the words.
    """
    seen = list(known)
    out: list[Task] = []
    for task in sorted(tasks, key=lambda task: (task.at, task.session, task.id)):
        name = max(
            ((_similarity(task, other), other.cluster) for other in seen if other.project == task.project),
            default=(0.0, ""),
        )
        clustered = msgspec.structs.replace(task, cluster=name[1] if name[0] > 0 else f"c-{task.id}")
        seen.append(clustered)
        out.append(clustered)
    return tuple(out)


def _similarity(one: Task, other: Task) -> float:
    """How alike two tasks are above the thresholds, as a share in (0, 1]; 0 where they aren't."""
    request = fuzz.token_sort_ratio(one.prompt.lower(), other.prompt.lower(), score_cutoff=SAME_REQUEST)
    if isinstance(one.reference, Checks) and one.reference == other.reference:
        return 1.0
    words, words_before = _words(one), _words(other)
    said, said_before = " ".join(words), " ".join(words_before)
    correction = fuzz.token_sort_ratio(said, said_before, score_cutoff=SAME_CORRECTION)
    if min(len(words), len(words_before)) >= ENOUGH_WORDS:
        correction = max(correction, fuzz.token_set_ratio(said, said_before, score_cutoff=SAME_REQUEST))
    return max(request, correction) / 100


def _words(task: Task) -> list[str]:
    """The words of the corrections, without punctuation."""
    return _WORD.findall(" ".join(evidence.quote for evidence in task.evidence).lower())
