"""Attempt an accepted change's own tasks once more: the trial that chose it flatters it, a fresh round doesn't.

The samples are drawn here only. No trial, no score of a task and no later night reads them.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.betting import gain_interval
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.attempts import in_pairs
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.pairs import is_solved, request_of
from skillopt_sleep.learning.propose import not_scored
from skillopt_sleep.learning.spare import End, SpareAttempts
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import (
    Document,
    Edit,
    FreshRound,
    GateRule,
    Judged,
    Note,
    Pair,
    Rollout,
    StepOutcome,
    Task,
    bets_of,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

FRESH = CANDIDATE_SAMPLES // 2  # the sample of this round, which no trial reaches


def afterwards(
    outcome: StepOutcome, accepted: Judged, tasks: Sequence[Task], *, crew: Crew, plan: Plan
) -> StepOutcome:
    """Return the outcome with a fresh round over those of the tasks that the accepted candidate was proven on.

    It decides nothing. If the budget or the model ends before its first pair, the trial's own gain has to do.
    """
    document = outcome.document
    changed = candidate(document, accepted.edits)
    proven_on = {pair.task for pair in accepted.trial.own}
    own = [task for task in tasks if task.id in proven_on]
    if changed is None or not own:
        return outcome
    # Not checked beforehand whether the budget has room: in a resumed night the round may be paid for already.
    attempts = SpareAttempts(crew)
    made = _attempted(document, changed, own, attempts)
    fresh = fresh_round(scored_pairs(own, made, plan.gate))
    outcome = replace(outcome, fresh=fresh)
    if attempts.end is None:
        return outcome.noted(*not_scored(made))
    return outcome.noted(_cut_short(document, fresh, len(own), attempts.end))


def ahead(document: Document, edits: Sequence[Edit], own: Sequence[Task], *, crew: Crew) -> None:
    """Ask for the fresh round that these edits get if they are accepted; raise CallPending while an answer lacks."""
    changed = candidate(document, edits)
    if changed is not None:
        _attempted(document, changed, own, SpareAttempts(crew))


def _attempted(
    document: Document, changed: Document, own: Sequence[Task], attempts: SpareAttempts
) -> tuple[Rollout, ...]:
    """Attempt each task once under both versions."""
    jobs: list[Job] = []
    for task in own:
        jobs += [(task, document, FRESH), (task, changed, CANDIDATE_SAMPLES + FRESH)]
    return in_pairs(attempts, jobs, label=f"fresh round {document.id}")


def _cut_short(document: Document, fresh: FreshRound, wanted: int, end: End) -> Note:
    """Say what lacks of the round, and why."""
    lacks = "no fresh round after the acceptance, so the gain may be flattered"
    if fresh.n:
        pairs = "1 pair" if fresh.n == 1 else f"{fresh.n} pairs"
        lacks = f"the fresh round has {pairs} of {wanted}"
    return Note(stage="afterwards", summary=f"{document.id}: {lacks}: {end.message}", remedy=end.remedy)


def scored_pairs(tasks: Sequence[Task], made: Sequence[Rollout], rule: GateRule) -> list[Pair]:
    """Return the pairs of one round in which both attempts were scored; `made` alternates baseline and candidate."""
    pairs: list[Pair] = []
    for task, old, new in zip(tasks, made[::2], made[1::2], strict=True):
        if old.score is not None and new.score is not None:
            pair = Pair(
                task=task.id,
                lesson=task.lesson,
                session=task.session,
                request=request_of(task),
                sample=old.sample,
                before=measure(old.score, rule),
                after=measure(new.score, rule),
                solved=(is_solved(old.score), is_solved(new.score)),
            )
            pairs.append(pair)
    return pairs


def fresh_round(pairs: Sequence[Pair]) -> FreshRound:
    """Return the figures of a fresh round."""
    return FreshRound(
        pairs=tuple(pairs),
        before=mean([pair.before for pair in pairs]),
        after=mean([pair.after for pair in pairs]),
        n=len(pairs),
        interval=gain_interval(bets_of(pairs)),
    )
