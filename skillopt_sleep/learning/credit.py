"""Work out from the trials what each edit contributed."""

import math
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from skillopt_sleep.kit.betting import STAKES, gain_interval
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Edit,
    EditEffect,
    Effect,
    Judged,
    Pair,
    Trial,
    bets_of,
    effect_of,
    solved,
)

SESSIONS = 2  # that a gain must be seen in


def credit(best: Judged, tested: Sequence[Judged]) -> tuple[EditEffect, ...]:
    """Return every tried edit with its effect, measured by the smallest candidate that has it.

    `best` is the candidate to report; what it leaves out is said of an edit. An edit is harmful, or useless, only if
    the interval of its gain says so; an edit that wasn't tried alone is undecided.
    """
    edits: list[Edit] = []
    for candidate in tested:
        for edit in candidate.edits:
            if edit not in edits:
                edits.append(edit)
    effects: list[EditEffect] = []
    for edit in edits:
        effect = _effect(edit, tested)
        if _harmed_others(edit, tested) or _is_rejected(effect, best, tested[0]):
            effect = msgspec.structs.replace(effect, rejected_on=_tasks(edit, tested[0].trial))
        effects.append(effect)
    return tuple(effects)


def _is_rejected(effect: EditEffect, best: Judged, first: Judged) -> bool:
    """Return whether an edit was turned down: with all that was tried, or left out of what was accepted.

    An edit that gained in its own lessons isn't: what it was tried together with may have been the reason. Removals
    have a time of their own after which they are tried again.
    """
    if first.kind is CandidateKind.REMOVAL or effect.effect is Effect.HELPED:
        return False
    decision = best.verdict.decision
    if decision is Decision.ACCEPT:
        return effect.edit not in best.edits
    gains = [pair.gain for pair in first.trial.of(effect.edit.lessons)]
    return decision is Decision.REJECT and (len(first.edits) == 1 or math.fsum(gains) <= 0)


def _harmed_others(edit: Edit, tested: Sequence[Judged]) -> bool:
    """Return whether the edit by itself made other lessons worse, whatever it did in its own."""
    return any(candidate.edits == (edit,) and candidate.trial.guard.harmed for candidate in tested)


def _tasks(edit: Edit, trial: Trial) -> tuple[str, ...]:
    """Return the tasks of the edit's lessons that were tried, whether its attempts ended with an answer or not."""
    tasks = dict.fromkeys(pair.task for pair in trial.of(edit.lessons))
    tasks |= dict.fromkeys(pair.task for pair in trial.lost_of(edit.lessons))
    return tuple(tasks)


def _effect(edit: Edit, tested: Sequence[Judged]) -> EditEffect:
    holding = [candidate for candidate in tested if edit in candidate.edits]
    return _by_trial(edit, min(holding, key=lambda candidate: len(candidate.edits)))


def _by_trial(edit: Edit, tested: Judged) -> EditEffect:
    """Return the effect by the candidate's trial, which is the edit's own effect only if it stands alone."""
    trial = tested.trial
    reasons: list[str] = []
    others = len(tested.edits) - 1
    if tested.kind is CandidateKind.PART:
        which = "other rule" if others == 1 else "other rules"
        reasons.append(f"measured with the proposal's {which} already in place")
    elif others == 1:
        reasons.append("tried together with 1 other edit")
    elif others > 1:
        reasons.append(f"tried together with {others} other edits")
    pairs = trial.of(edit.lessons)
    interval = gain_interval(bets_of(pairs), stakes=trial.stakes or STAKES)
    effect = _own_effect(tested, interval)
    if tested.verdict.decision is Decision.UNDECIDED:
        reasons.append(_waits_for(tested, pairs))
    elif tested.verdict.decision is Decision.ABSTAIN or _lost_though_it_helped(tested, effect):
        reasons.append(tested.verdict.reason)
    return EditEffect(
        edit=edit,
        effect=effect,
        because="; ".join(reasons),
        n=len(pairs),
        before=mean([pair.before for pair in pairs]),
        after=mean([pair.after for pair in pairs]),
        interval=interval,
        solved=solved(pairs),
        bystanders=trial.bystanders,
        unharmed=trial.unharmed,
        calls=trial.calls,
    )


def _lost_though_it_helped(tested: Judged, effect: Effect) -> bool:
    """Return whether only the verdict's reason says why a change that gained, or harmed others, wasn't taken."""
    lost = tested.verdict.decision is Decision.REJECT
    return lost and (effect is Effect.HELPED or bool(tested.trial.guard.harmed))


def _own_effect(tested: Judged, interval: tuple[float, float] | None) -> Effect:
    """Return what the candidate's trial shows of one of its edits: nothing, unless it is the only one.

    What was accepted has won its bet; a void trial shows nothing; anything else is what its interval rules out.
    """
    if len(tested.edits) > 1 or tested.verdict.decision is Decision.ABSTAIN:
        return Effect.UNDECIDED
    if tested.verdict.decision is Decision.ACCEPT:
        return Effect.NEUTRAL if tested.kind is CandidateKind.REMOVAL else Effect.HELPED
    effect = effect_of(interval, min_effect=tested.trial.min_effect)
    if tested.verdict.decision is not Decision.REJECT and effect is Effect.HELPED:
        return Effect.UNDECIDED
    return effect


def _waits_for(tested: Judged, pairs: Sequence[Pair]) -> str:
    """Say what an undecided trial waits for; `pairs` are those of the edit's lessons."""
    if tested.trial.guard.cut_short:
        return "it won, but other lessons have to be asked first: raise budget.calls"
    if tested.verdict.early:
        return "early: proven on one of the two sessions it takes"
    if len({pair.session for pair in pairs}) < SESSIONS:
        return "an unseen task of another session can prove it"
    if len(_gaining(pairs)) == 1:
        return "it helped in one session only; a gain in another would prove it"
    if tested.trial.more:
        return f"about {tested.trial.more} more tries like these would decide it"
    return "not proven yet"


def _gaining(pairs: Sequence[Pair]) -> list[str]:
    """Return the sessions in which the edit did better on the whole."""
    gains = defaultdict[str, float](float)
    for pair in pairs:
        gains[pair.session] += pair.gain
    return [session for session, gain in gains.items() if gain > 0]
