"""Take back what a judge that failed decided of a document; what code decided stays.

A guard that can't be graded is no proof of harmlessness, but it says nothing against a change either. So a change
that won by what code checks waits for its guard alone, and what code turned down is turned down.
"""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.evidence import STANDALONE
from skillopt_sleep.learning.search import waiting
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    EditEffect,
    Effect,
    ForLater,
    FreshRound,
    Guard,
    Judged,
    Outcome,
    Pair,
    Retested,
    StepOutcome,
    TestMeans,
    Trial,
    Verdict,
    Waiting,
)

WON = "it won, but other lessons have to be graded first: nobody knows its harm"
_BESIDE = frozenset({CandidateKind.REMOVAL, CandidateKind.GUIDANCE})  # tried beside what the sessions teach
_RESUMED = STANDALONE | {CandidateKind.REMOVAL}  # candidates that can wait for their guard


def without_judge(
    outcome: StepOutcome, because: str, *, graded: Collection[str], learned: bool, night: str, crew: Crew
) -> StepOutcome:
    """Return the outcome without what the judge decided of it, `because` it failed.

    `graded` are the ids of the tasks whose attempts only the judge grades; `learned` is whether tonight's tasks of
    the document are among them.
    """
    reason = f"the judge decides nothing tonight: {because}"
    own = [one for one in outcome.tried.tested if _holds((*one.trial.pairs, *one.trial.lost_attempts), graded)]
    if learned or any(one.kind not in _BESIDE or one.trial == outcome.trial for one in own):
        return _unverified(outcome, reason)
    outcome = _without(outcome, own, graded)
    open_now: dict[int, Judged] = {}
    for number, one in enumerate(outcome.tried.tested):
        if _holds(one.trial.guard.pairs, graded) and _was_guarded(one):
            open_now[number] = _unguarded(one, reason)
    if not open_now:
        return outcome
    if any(one.kind not in _RESUMED for one in open_now.values()):
        return _unverified(outcome, reason)
    return _left_open(outcome, open_now, night=night, crew=crew)


def _without(outcome: StepOutcome, own: Sequence[Judged], graded: Collection[str]) -> StepOutcome:
    """Return the outcome without trials on the judge's own tasks beside what it is about, and without its scores."""
    tried, edits = outcome.tried, {edit.key for one in own for edit in one.edits}
    tried = replace(
        tried,
        tested=tuple(one for one in tried.tested if one not in own),
        effects=tuple(one for one in tried.effects if one.edit.key not in edits),
        undecided=tuple(wait for wait in tried.undecided if wait.tested not in own),
    )
    scores = {task: score for task, score in outcome.later.scores.items() if task not in graded}
    return replace(outcome, tried=tried, later=replace(outcome.later, scores=scores))


def _holds(pairs: Sequence[Pair], graded: Collection[str]) -> bool:
    return any(pair.task in graded for pair in pairs)


def _was_guarded(tested: Judged) -> bool:
    """Return whether the guard had a say: the candidate won, or was turned down for harm."""
    verdict = tested.verdict
    return verdict.decision is Decision.ACCEPT or verdict.early or bool(tested.trial.guard.harmed)


def _unguarded(tested: Judged, reason: str) -> Judged:
    """Return the candidate as one whose guard another night has to make."""
    won = tested.verdict.reason.partition(", but it made ")[0]
    verdict = replace(
        tested.verdict,
        decision=Decision.UNDECIDED,
        early=False,
        reason=f"{won}, but {reason}, so nobody knows its harm",
    )
    trial = replace(tested.trial, guard=Guard(cut_short=True), bystanders=0, unharmed=0)
    return replace(tested, trial=trial, verdict=verdict)


def _left_open(outcome: StepOutcome, open_now: dict[int, Judged], *, night: str, crew: Crew) -> StepOutcome:
    """Return the outcome with the candidates that wait for their guard, which is all that isn't known of them."""
    tried = outcome.tried
    tested = tuple(open_now.get(number, one) for number, one in enumerate(tried.tested))
    changed = [tried.tested[number] for number in open_now]
    waits: list[Waiting] = []
    for wait in tried.undecided:
        on_top = wait.tested.kind is CandidateKind.PART and wait.tested in tried.tested
        if wait.tested not in changed and not on_top:
            waits.append(wait)
    waits += [waiting(outcome.document, one, night=night, crew=crew) for one in open_now.values()]
    keys = {edit.key for one in changed for edit in one.edits}
    effects: list[EditEffect] = []
    for one in tried.effects:
        if one.edit.key in keys:
            one = replace(one, effect=Effect.UNDECIDED, because=WON, bystanders=0, unharmed=0, rejected_on=())  # noqa: PLW2901
        effects.append(one)
    early = tuple(one for one in tried.early if one.tested not in changed)
    tried = replace(tried, tested=tested, effects=tuple(effects), undecided=tuple(waits), early=early)
    headline = next((now for number, now in open_now.items() if _is_headline(outcome, number)), None)
    if headline is None:
        return replace(outcome, tried=tried)
    because = headline.verdict.reason
    told = tuple(
        replace(one, said=f"your wording {one.proposal} was tested again: {because}") for one in tried.retested
    )
    return replace(
        outcome,
        outcome=Outcome.UNDECIDED,
        because=because,
        verdict=headline.verdict,
        trial=headline.trial,
        fresh=FreshRound(),
        test=TestMeans(),
        tried=replace(tried, retested=told),
    )


def _is_headline(outcome: StepOutcome, number: int) -> bool:
    return outcome.tried.tested[number].trial == outcome.trial


def _unverified(outcome: StepOutcome, reason: str) -> StepOutcome:
    """Return the outcome without anything that was decided by the judge; its sessions stay unread.

    What was tried is still in the night's trials.jsonl; its numbers would mislead beside the outcome. The person's
    own words were tested all the same: the next night would ask the same judge.
    """
    told: list[Retested] = []
    for one in outcome.tried.retested:
        told.append(replace(one, said=f"your wording {one.proposal} was tested again, but {reason}"))
    return replace(
        outcome,
        outcome=Outcome.UNVERIFIED,
        because=reason,
        verdict=Verdict(decision=Decision.ABSTAIN, reason=reason),
        candidate=None,
        trial=Trial(),
        fresh=FreshRound(),
        tried=replace(outcome.tried, tested=(), effects=(), early=(), retested=tuple(told)),
        test=TestMeans(),
        later=ForLater(),
        sessions=replace(outcome.sessions, unfinished=True),
    )
