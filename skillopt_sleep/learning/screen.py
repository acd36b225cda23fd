"""Screen the edits of a draft on train before val is asked: what shows nothing there isn't worth a trial.

A useless edit that is tried together with a useful one costs it much of its proof: the trial that both win says
nothing of each, so what is left without the useless one has to be proven anew. Train tells most of them apart for a
few calls and none of the error rate.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.learning.attempts import Attempts, block
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import Document, Edit, EditOp, GateRule, Note, Rollout, Task
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

PAIRS = 8  # of attempts with and without an edit, at least
Key = tuple[str, int, int]  # a task, the place of an edit or WITHOUT, and a sample
WITHOUT = -1


class Screened(NamedTuple):
    """The edits that are worth a trial, the attempts that showed it, and those left out with a note on them."""

    edits: tuple[Edit, ...]
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()
    left_out: tuple[Edit, ...] = ()


def screen(
    document: Document,
    edits: Sequence[Edit],
    train: Sequence[Task],
    *,
    attempts: Attempts,
    rule: GateRule,
    most: int,
    least_pairs: int = PAIRS,
    keep_one: bool = True,
) -> Screened:
    """Return the edits that do better, each by itself, on the train tasks of its lessons.

    Each is tried in at least `least_pairs` pairs of attempts. With `keep_one` a single edit isn't tried, as it has no
    neighbours, and if none does better all are returned. An edit that train can't tell of, and one that takes text
    away, are kept. Without twice the calls for it nothing is left out. No candidate is longer than `most` characters.
    """
    pairs: dict[int, dict[Key, Job]] = {}
    for place, edit in enumerate(edits):
        changed = candidate(document, (edit,), most=most)
        own = [task for task in train if task.id in edit.tasks or task.lesson in edit.lessons]
        pairs[place] = {}
        if edit.op is not EditOp.DELETE and changed is not None and own:
            pairs[place] = _pairs(document, changed, own, place, least_pairs)
    jobs: dict[Key, Job] = {}
    for asked in pairs.values():
        jobs |= asked
    needed = 2 * len(jobs)
    if (keep_one and len(edits) <= 1) or not jobs:
        return Screened(tuple(edits))
    if attempts.left() < 2 * needed:
        summary = f"{document.id}: {len(edits)} edits weren't compared on train: that takes {needed} calls"
        return Screened(tuple(edits), notes=(Note(stage="screen", summary=summary, remedy="raise budget.calls"),))
    made = attempts.make(list(jobs.values()), label=f"screen {document.id}")
    grades: dict[Key, float] = {}
    for key, attempt in zip(jobs, made, strict=True):
        if attempt.score is not None:
            grades[key] = measure(attempt.score, rule)
    helped = [edit for place, edit in enumerate(edits) if not pairs[place] or _gain(place, grades) > 0]
    left_out = tuple(edit for edit in edits if edit not in helped)
    if (keep_one and not helped) or not left_out:
        return Screened(tuple(edits), made)
    which = "1 edit wasn't" if len(left_out) == 1 else f"{len(left_out)} edits weren't"
    summary = f"{document.id}: {which} tried on unseen tasks: nothing was gained on the tasks it was learned from"
    return Screened(tuple(helped), made, (Note(stage="screen", summary=summary, expected=True),), left_out)


def _pairs(document: Document, changed: Document, own: Sequence[Task], place: int, least: int) -> dict[Key, Job]:
    """Return the attempts at an edit's own train tasks, without it and with it by itself: so many pairs at least."""
    jobs: dict[Key, Job] = {}
    first = block("train", document.text, document.text)
    for sample in range(first, first - (-least // len(own))):
        for task in own:
            jobs[task.id, WITHOUT, sample] = (task, document, sample)
            jobs[task.id, place, sample] = (task, changed, CANDIDATE_SAMPLES + sample)
    return jobs


def _gain(place: int, grades: dict[Key, float]) -> float:
    """Return what the edit at this place gained, of the attempts that were scored with it and without it."""
    gains: list[float] = []
    for (task, owner, sample), grade in grades.items():
        without = grades.get((task, WITHOUT, sample))
        if owner == place and without is not None:
            gains.append(grade - without)
    return math.fsum(gains)
