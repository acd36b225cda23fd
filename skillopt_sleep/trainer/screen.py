"""Leave out of a draft what gains nothing on train, before val is asked: GEPA's minibatch test, edit by edit."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import block
from skillopt_sleep.learning.learn import Draft
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import AppliedEdit, Document, Edit, EditOp, Fate, Note, Split, Task
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.parts import ItemAttempts, Parts

NO_GAIN = "it gained nothing on the train items that it was learned from"
Key = tuple[str, int, int]  # an item, the place of an edit or WITHOUT, and a sample
WITHOUT = -1


def screened(parts: Parts, document: Document, drafted: Draft) -> Draft:
    """Return the draft without the edits that gain nothing, each by itself, on the train items of their own.

    What the edits do together is for val to say; if they can't be applied without one another, all are kept.
    """
    applied = [fate.edit for fate in drafted.fates if fate.fate is Fate.APPLIED]
    if not parts.config.optimizer.screen or not applied:
        return drafted
    vain, notes = _in_vain(parts, document, applied)
    if not vain:
        return replace(drafted, notes=(*drafted.notes, *notes))
    left_out = {edit.key for edit in vain}
    kept = [edit for edit in applied if edit.key not in left_out]
    changed = candidate(document, kept, most=parts.most(document))
    if changed is None:
        note = Note(stage="screen", summary="the edits that gain nothing can't be left out without the others")
        return replace(drafted, notes=(*drafted.notes, note))
    fates: list[AppliedEdit] = []
    for fate in drafted.fates:
        if fate.fate is Fate.APPLIED and fate.edit.key in left_out:
            fates.append(AppliedEdit(edit=fate.edit, fate=Fate.LEFT_OUT, because=NO_GAIN))
        else:
            fates.append(fate)
    return replace(drafted, candidate=changed, fates=tuple(fates), notes=(*drafted.notes, *notes))


def _in_vain(parts: Parts, document: Document, edits: Sequence[Edit]) -> tuple[list[Edit], tuple[Note, ...]]:
    """Return the edits that do no better, each by itself, on the train items of their own, and what is noted.

    An edit that train can't tell of, and one that takes text away, isn't in vain. Without twice the calls for it
    nothing is left out.
    """
    train = [task for task in parts.tasks.values() if task.split is Split.TRAIN]
    pairs: dict[int, dict[Key, Job]] = {}
    for place, edit in enumerate(edits):
        changed = candidate(document, (edit,), most=parts.most(document))
        own = [task for task in train if task.id in edit.tasks or task.lesson in edit.lessons]
        pairs[place] = {}
        if edit.op is not EditOp.DELETE and changed is not None and own:
            pairs[place] = _pairs(document, changed, own, place, parts.config.optimizer.screen)
    jobs: dict[Key, Job] = {}
    for asked in pairs.values():
        jobs |= asked
    attempts = ItemAttempts(parts, Split.TRAIN, "screen", label="screen")
    if jobs and attempts.left() < 4 * len(jobs):
        summary = f"{document.id}: {len(edits)} edits weren't compared on train: that takes {2 * len(jobs)} calls"
        return [], (Note(stage="screen", summary=summary, remedy="raise the limit of calls"),)
    made = attempts.make(list(jobs.values()), label=f"screen {document.id}") if jobs else ()
    grades: dict[Key, float] = {}
    for key, attempt in zip(jobs, made, strict=True):
        if attempt.score is not None:
            grades[key] = measure(attempt.score, parts.rule)
    return [edit for place, edit in enumerate(edits) if pairs[place] and _gain(place, grades) <= 0], ()


def _pairs(document: Document, changed: Document, own: Sequence[Task], place: int, least: int) -> dict[Key, Job]:
    """Return the attempts at an edit's own train items, without it and with it by itself: so many pairs at least."""
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
