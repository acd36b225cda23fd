"""Which documents a night works on: its calls go where they are worth most."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.records import Document, Effect, Past, Split, Task

FEW_ROUNDS = 2  # what a trial takes at least before anything can be said
LESSON_CALLS = 4  # of the optimizer and the judge, about


class Allotment(NamedTuple):
    """The documents to work on, the most promising first, and those that this night's calls don't reach."""

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
    """Order the documents by recurrence times headroom times past yield, as many as `calls` reach; one at least.

    Recurrence is the number of sessions that asked for it, headroom what the tasks' last scores left to gain (all of
    it where none is known), yield the part of the tried edits that helped, with one of each before any was tried.
    """
    worth = {
        d.id: _worth([t for t in tasks if t.document == d.id], past.get(d.id, Past()), scores) for d in documents
    }
    places = {document.id: place for place, document in enumerate(documents)}
    ranked = sorted(documents, key=lambda document: (-worth[document.id], places[document.id]))
    reached: list[Document] = []
    left_out: list[Document] = []
    needed = 0
    for document in ranked:
        needed += least_calls([task for task in tasks if task.document == document.id])
        (left_out if reached and needed > calls else reached).append(document)
    return Allotment(tuple(reached), tuple(left_out))


def least_calls(tasks: Sequence[Task]) -> int:
    """What a step on these tasks takes at least, about."""
    sides = [task.split for task in tasks]
    train, val = sides.count(Split.TRAIN), sides.count(Split.VAL)
    return 2 * train + 2 * FEW_ROUNDS * val + LESSON_CALLS if train and val else 0


def _worth(tasks: Sequence[Task], past: Past, scores: Mapping[str, float]) -> float:
    recurrence = len({task.session for task in tasks})
    known = [scores[task.id] for task in tasks if task.id in scores]
    headroom = 1 - sum(known) / len(known) if known else 1.0
    helped = sum(one.effect is Effect.HELPED for one in past.tried)
    return recurrence * headroom * (helped + 1) / (len(past.tried) + 2)
