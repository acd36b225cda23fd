"""Leave out of a draft what gains nothing on train, before val is asked: GEPA's minibatch test, edit by edit."""

from msgspec.structs import replace

from skillopt_sleep.learning.learn import Draft
from skillopt_sleep.learning.screen import screen
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import AppliedEdit, Document, Fate, Note, Split
from skillopt_sleep.trainer.parts import ItemAttempts, Parts

NO_GAIN = "it gained nothing on the train items that it was learned from"


def screened(parts: Parts, document: Document, drafted: Draft) -> Draft:
    """Return the draft without the edits that gain nothing, each by itself, on the train items of their own.

    What the edits do together is for val to say; if they can't be applied without one another, all are kept.
    """
    pairs = parts.config.optimizer.screen
    applied = [fate.edit for fate in drafted.fates if fate.fate is Fate.APPLIED]
    if not pairs or not applied:
        return drafted
    found = screen(
        document,
        applied,
        [task for task in parts.tasks.values() if task.split is Split.TRAIN],
        attempts=ItemAttempts(parts, Split.TRAIN, "screen", label="screen"),
        rule=parts.rule,
        most=parts.most(document),
        least_pairs=pairs,
        keep_one=False,
    )
    if not found.left_out:
        return drafted
    left_out = {edit.key for edit in found.left_out}
    kept = [edit for edit in applied if edit.key not in left_out]
    changed = document
    if kept:
        together = candidate(document, kept, most=parts.most(document))
        if together is None:
            note = Note(stage="screen", summary="the edits that gain nothing can't be left out without the others")
            return replace(drafted, notes=(*drafted.notes, note))
        changed = together
    fates: list[AppliedEdit] = []
    for fate in drafted.fates:
        if fate.fate is Fate.APPLIED and fate.edit.key in left_out:
            fates.append(AppliedEdit(edit=fate.edit, fate=Fate.LEFT_OUT, because=NO_GAIN))
        else:
            fates.append(fate)
    return replace(drafted, candidate=changed, fates=tuple(fates))
