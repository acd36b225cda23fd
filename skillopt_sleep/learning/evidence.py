"""Gather what the person said and did for the candidates that are proposed."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import CandidateKind, Deed, Early, Edit, Evidence, StepOutcome, Task, tasks_of

STANDALONE = frozenset({CandidateKind.BUNDLE, CandidateKind.HALF})  # candidates that later nights may resume


def with_evidence(outcome: StepOutcome, edits: Sequence[Edit], tasks: Sequence[Task]) -> StepOutcome:
    """Return the outcome with what the person said that these edits were learned from, if that is known."""
    names = tasks_of(edits)
    evidence, deeds = shown([task for task in tasks if task.id in names])
    if not evidence and not deeds:
        return outcome
    return replace(outcome, tried=replace(outcome.tried, evidence=evidence, deeds=deeds))


def shown(tasks: Sequence[Task]) -> tuple[tuple[Evidence, ...], tuple[Deed, ...]]:
    """Return what the person said and did in these tasks."""
    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    for task in tasks:
        evidence += task.evidence
        deeds += task.deeds
    return evidence, deeds


def early_ones(outcome: StepOutcome, tasks: Sequence[Task]) -> tuple[Early, ...]:
    """Return the candidates that were tried tonight and are proven on one session, ready to be proposed."""
    early: list[Early] = []
    for wait in outcome.tried.undecided:
        tested = wait.tested
        if not tested.verdict.early or tested.kind not in STANDALONE or tested not in outcome.tried.tested:
            continue
        changed = candidate(outcome.document, tested.edits)
        if changed is None:
            continue
        names = tasks_of(tested.edits)
        evidence, deeds = shown([task for task in tasks if task.id in names])
        early.append(Early(candidate=changed, tested=tested, evidence=evidence, deeds=deeds))
    return tuple(early)
