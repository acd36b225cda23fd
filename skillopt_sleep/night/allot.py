"""Choose the documents a night works on, those for which its calls promise most, and share its error rate."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.records import Document, Effect, Past, Split, Task

FEW_ROUNDS = 2  # a trial needs at least this many rounds before it can prove anything
LESSON_CALLS = 4  # calls of the optimizer and the judge in one step, estimated


class Allotment(NamedTuple):
    """The documents to work on, the most promising first, and those that the night's calls don't reach."""

    documents: tuple[Document, ...]
    left_out: tuple[Document, ...] = ()


def allot(
    documents: Sequence[Document],
    tasks: Sequence[Task],
    *,
    past: Mapping[str, Past],
    scores: Mapping[str, float],
    calls: int,
) -> Allotment:
    """Rank the documents by what they promise and take as many as `calls` reach, at least one.

    A document promises recurrence × headroom × past yield. Recurrence is the number of sessions its tasks come from;
    headroom is what the tasks' last scores leave to gain (all of it if no score is known); past yield is the share
    of tried edits that helped, with one success and one failure added so that an untried document counts as even.
    """
    tasks_of: dict[str, list[Task]] = {document.id: [] for document in documents}
    for task in tasks:
        if task.document in tasks_of:
            tasks_of[task.document].append(task)
    promise: dict[str, float] = {}
    for document in documents:
        promise[document.id] = _promise(tasks_of[document.id], past.get(document.id, Past()), scores)
    reached: list[Document] = []
    left_out: list[Document] = []
    needed = 0
    for document in sorted(documents, key=lambda document: -promise[document.id]):
        needed += least_calls(tasks_of[document.id])
        if reached and needed > calls:
            left_out.append(document)
        else:
            reached.append(document)
    return Allotment(tuple(reached), tuple(left_out))


def share_out(alpha: float, documents: Sequence[str]) -> dict[str, float]:
    """Share the night's error rate evenly among the documents that try something new tonight."""
    return {document: alpha / len(documents) for document in documents}


def least_calls(tasks: Sequence[Task]) -> int:
    """Estimate the fewest calls a step on these tasks needs; 0 if nothing can be learned or proven from them."""
    sides = Counter(task.split for task in tasks)
    train = sides[Split.TRAIN]
    val = sides[Split.VAL]
    if not train or not val:
        return 0
    return 2 * train + 2 * FEW_ROUNDS * val + LESSON_CALLS


def _promise(tasks: Sequence[Task], past: Past, scores: Mapping[str, float]) -> float:
    sessions: set[str] = set()
    known: list[float] = []
    for task in tasks:
        sessions.add(task.session)
        if task.id in scores:
            known.append(scores[task.id])
    headroom = 1.0
    if known:
        headroom = 1 - sum(known) / len(known)
    effects = Counter(edit.effect for edit in past.tried)
    return len(sessions) * headroom * (effects[Effect.HELPED] + 1) / (len(past.tried) + 2)
