"""Choose the request that shows best what a proposed rule changed."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Edit, Proposal, Split, StepOutcome
from skillopt_sleep.reporters.attempts import AttemptedTask, attempted_tasks


def most_telling(proposal: Proposal, outcomes: Sequence[StepOutcome], folder: Path) -> AttemptedTask | None:
    """Return the unseen request of the rule's lessons at which both arms differ most; None if none is kept.

    `outcomes` are those of the night that tried the rule, and `folder` has what its stages left.
    """
    for outcome in outcomes:
        if outcome.document.path != proposal.path:
            continue
        tried = _with_candidate(outcome, proposal)
        listed = attempted_tasks([tried], folder)[redact(tried.document.id)].listed
        unseen = [task for task in listed if task.side is Split.VAL and _is_about(task, proposal.edits)]
        compared = [task for task in unseen if task.before and task.after]
        if compared:
            return max(compared, key=_gain)
    return None


def _with_candidate(outcome: StepOutcome, proposal: Proposal) -> StepOutcome:
    """Return the outcome with the candidate that this proposal is of."""
    for early in outcome.tried.early:
        if early.tested.edits == proposal.edits:
            return replace(outcome, candidate=early.candidate)
    return outcome


def _is_about(task: AttemptedTask, edits: Sequence[Edit]) -> bool:
    return any(task.lesson in edit.lessons for edit in edits)


def _gain(task: AttemptedTask) -> float:
    before = task.before.hard if task.before else None
    after = task.after.hard if task.after else None
    return (after or 0.0) - (before or 0.0)
