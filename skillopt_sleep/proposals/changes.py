"""List the changes that a step's outcome proposes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.records import (
    Decision,
    Deed,
    Document,
    Edit,
    EditEffect,
    Evidence,
    Fate,
    FreshRound,
    Proof,
    StepOutcome,
    Trial,
    Verdict,
    lessons_of,
)


class Change(NamedTuple):
    """A change of a document to propose: its edits, its trial and what it gains, the evidence, and what proves it.

    So many other lessons were `guarded`, and none got worse.
    """

    document: Document
    body: str
    edits: tuple[Edit, ...]
    trial: Trial
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    deeds: tuple[Deed, ...]
    proof: Proof
    fresh: FreshRound = FreshRound()
    effects: tuple[EditEffect, ...] = ()
    guarded: int = 0

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons that its edits are for."""
        return lessons_of(self.edits)


def changes(outcome: StepOutcome) -> Iterator[Change]:
    """Yield the accepted candidate, then each that is proven on one session only."""
    if outcome.verdict.decision is Decision.ACCEPT and outcome.candidate is not None:
        yield Change(
            document=outcome.document,
            body=outcome.candidate.body,
            edits=_applied(outcome),
            trial=outcome.trial,
            verdict=outcome.verdict,
            fresh=outcome.fresh,
            effects=_effects(outcome, _applied(outcome)),
            evidence=outcome.tried.evidence,
            deeds=outcome.tried.deeds,
            proof=Proof.TRIAL,
            guarded=len(outcome.guard.could_get_worse),
        )
    for early in outcome.tried.early:
        yield Change(
            document=outcome.document,
            body=early.candidate.body,
            edits=early.tested.edits,
            trial=early.tested.trial,
            verdict=early.tested.verdict,
            effects=_effects(outcome, early.tested.edits),
            evidence=early.evidence,
            deeds=early.deeds,
            proof=Proof.EARLY,
        )


def _effects(outcome: StepOutcome, edits: Sequence[Edit]) -> tuple[EditEffect, ...]:
    """Return what tonight's trials say of each of these edits by itself."""
    return tuple(effect for effect in outcome.tried.effects if effect.edit in edits)


def _applied(outcome: StepOutcome) -> tuple[Edit, ...]:
    """Return the edits of all accepted candidates; if nothing was tried, those that were applied."""
    accepted = [one for one in outcome.tried.tested if one.verdict.decision is Decision.ACCEPT]
    if accepted:
        return tuple(edit for one in accepted for edit in one.edits)
    return tuple(applied.edit for applied in outcome.tried.edits if applied.fate is Fate.APPLIED)
