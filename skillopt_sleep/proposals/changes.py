"""List the changes that a step's outcome proposes, and check each against the live file and the static guard."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import StaleProposal, UnsafeEdit
from skillopt_sleep.proposals import guard, live
from skillopt_sleep.proposals.edited import BEGIN, END
from skillopt_sleep.records import (
    Decision,
    Deed,
    Document,
    Edit,
    EditEffect,
    EditFate,
    EditOp,
    EditSource,
    Evidence,
    FreshRound,
    Proof,
    StepOutcome,
    Trial,
    Verdict,
    lessons_of,
)


class ProposedChange(NamedTuple):
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


def changes(outcome: StepOutcome) -> Iterator[ProposedChange]:
    """Yield the accepted candidate, then each that is proven on one session only."""
    if outcome.verdict.decision is Decision.ACCEPT and outcome.candidate is not None:
        yield ProposedChange(
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
        yield ProposedChange(
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
    return tuple(applied.edit for applied in outcome.tried.edits if applied.fate is EditFate.APPLIED)


class Text(NamedTuple):
    """The bytes of a live file, None if there is no file, and those to adopt."""

    base: bytes | None
    result: bytes


def checked(change: ProposedChange, *, allowed: Collection[str]) -> Text:
    """Return the live bytes and those to adopt; raise a ProposalError if the change can't be staged."""
    document = change.document
    path = Path(document.path)
    fresh, base = live.load(path, root=Path(document.project), name=document.id)
    if fresh.body != document.body:
        raise StaleProposal(
            f"the rules in {path} were edited during the night, so the change to them isn't proposed",
            remedy="nothing to do: the next night starts from the edited file",
        )
    quotes = [evidence.quote for evidence in change.evidence]
    found = problem(
        change.edits, old=document.body, new=change.body, held=document.text, quotes=quotes, allowed=allowed
    )
    if found:
        raise UnsafeEdit(
            f"the change to {path} isn't proposed: {found}", remedy="nothing to do: the lesson is dropped"
        )
    result = live.change(path, base, document.body, change.body).data
    if result == base:
        raise StaleProposal(f"the edits would leave {path} as it is, so nothing is proposed", remedy="nothing to do")
    return Text(base, result)


def problem(
    edits: Sequence[Edit], *, old: str, new: str, held: str, quotes: Sequence[str], allowed: Collection[str]
) -> str:
    """Return what the static guard says against the edits, alone and together with the lines around them; else "".

    They make the rules `new` out of `old`, in a document that says what it `held` before; `quotes` are the person's.
    """
    added = [edit.content for edit in edits if edit.op is not EditOp.DELETE]
    for text in (*added, *_recombined(new, old, edits)):
        problems = guard.problems(text, evidence=quotes, held=held, allowed=allowed)
        if problems:
            return problems[0]
    for text in _around(new, old):
        problems = guard.joined(text, evidence=quotes, held=held, allowed=allowed)
        if problems:
            return problems[0]
    return ""


def _recombined(body: str, old: str, edits: Sequence[Edit]) -> list[str]:
    """Return the lines that are neither in the old body nor in an edit.

    An edit that cuts a line can make one of its pieces that no edit contains by itself.
    """
    known = set(old.splitlines())
    for edit in edits:
        known.update(edit.content.splitlines())
        if edit.source is EditSource.SLOW:
            known.update((BEGIN, END))
    return [line for line in body.splitlines() if line.strip() and line not in known]


def _around(body: str, old: str) -> Iterator[str]:
    """Yield each run of new lines, with the line before it and the line after it."""
    lines = body.splitlines()
    known = set(old.splitlines())
    start = 0
    for is_new, run in groupby(lines, key=lambda line: line not in known):
        end = start + len(list(run))
        if is_new:
            yield "\n".join(lines[max(0, start - 1) : end + 1])
        start = end
