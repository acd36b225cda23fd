"""Test the words that a person gave a proposed rule, as a new edit of tonight: no earlier trial counts."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    Decision,
    Document,
    Edit,
    Note,
    Offered,
    Retested,
    StepOutcome,
    Task,
    in_words,
    lessons_of,
)

PROVEN_FIRST = "a change that waited was proven first"
_Key = tuple[str, str]


class OwnWords(NamedTuple):
    """The person's own wordings that are tested tonight, and notes on those that wait."""

    offers: tuple[Offered, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of all these wordings."""
        return tuple(edit for offer in self.offers for edit in offer.wording)


def own_words(
    document: Document, edits: Sequence[Edit], wanted: Sequence[Offered], val: Sequence[Task], *, most: int
) -> OwnWords:
    """Return the wanted wordings that can be tested beside tonight's `edits`: they fit, and val has their lessons."""
    tested: list[Offered] = []
    notes: list[Note] = []
    together = tuple(edits)
    tasks = {task.lesson for task in val}
    for offer in wanted:
        because = ""
        if not all(tasks.intersection(edit.lessons) for edit in offer.wording):
            because = "no unseen task of its lesson can be tried tonight"
        elif candidate(document, (*together, *offer.wording), most=most) is None:
            because = f"it doesn't fit {document.id} with tonight's other rules"
        if because:
            notes.append(postponed(offer.proposal, because))
        else:
            tested.append(offer)
            together += offer.wording
    return OwnWords(tuple(tested), tuple(notes))


def postponed(proposal: str, because: str) -> Note:
    """Note that the person's wording of a rule is tested on a later night, and why."""
    return Note(stage="retest", summary=f"your wording {proposal} waits to be tested again: {because}", expected=True)


def learned_for(edits: Sequence[Edit], train: Sequence[Task]) -> tuple[Task, ...]:
    """Return the train tasks of the edits' lessons."""
    lessons = lessons_of(edits)
    return tuple(task for task in train if task.lesson in lessons)


def answered(outcome: StepOutcome, offers: Sequence[Offered], *, left_out: Sequence[Edit]) -> StepOutcome:
    """Add what was found of the wordings; one that wasn't tried waits. Those `left_out` showed nothing on train."""
    retested: list[Retested] = []
    for offer in offers:
        keys = {edit.key for edit in offer.wording}
        found = _found(keys, outcome)
        if not found and any(edit.key in keys for edit in left_out):
            found = "no gain seen on the requests it was learned from"
        if found:
            said = f"your wording {offer.proposal} was tested again: {found}"
            retested.append(Retested(proposal=offer.proposal, said=said))
        else:
            outcome = outcome.noted(postponed(offer.proposal, "its trial decided nothing tonight"))
    return replace(outcome, tried=replace(outcome.tried, retested=tuple(retested)))


def _found(keys: Collection[_Key], outcome: StepOutcome) -> str:
    """Return what tonight's trials show of the edits with these keys, in words; "" if none was tried."""
    tried: set[_Key] = set()
    for tested in outcome.tried.tested:
        if tested.verdict.decision is not Decision.ABSTAIN:
            tried.update(edit.key for edit in tested.edits)
    found: list[str] = []
    for effect in outcome.tried.effects:
        if effect.edit.key in tried.intersection(keys) and effect.n:
            gain = None
            if effect.before is not None and effect.after is not None:
                gain = effect.after - effect.before
            said = in_words(effect.effect, n=effect.n, gain=gain)
            found.append(f"{said}; {effect.because}" if effect.because else said)
    return found[-1] if found else ""
