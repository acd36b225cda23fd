"""Try a candidate against the current skill on val, and against the best so far; say which is current and best."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import BLOCK, block
from skillopt_sleep.learning.learn import Draft
from skillopt_sleep.learning.statistics import noise
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    AppliedEdit,
    Decision,
    Document,
    Edit,
    EditFate,
    EditOp,
    GateRule,
    Note,
    Split,
    Trial,
    Verdict,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.parts import (
    ItemAttempts,
    PairedTrial,
    Parts,
    ScoredSkill,
    State,
    attempt_pairs,
    kept_sample,
    own_sample,
)
from skillopt_sleep.trainer.summary import Action, Gated

NO_GAIN = "it gained nothing on the train items that it was learned from"


def screened(parts: Parts, document: Document, drafted: Draft) -> Draft:
    """Return the draft without the edits that gain nothing, each by itself, on the train items of their own.

    What the edits do together is for val to say; if they can't be applied without one another, all are kept.
    """
    applied = [fate.edit for fate in drafted.fates if fate.fate is EditFate.APPLIED]
    if not parts.config.of_preset.screen or not applied:
        return drafted
    left_out = {edit.key for edit in _useless(parts, document, applied)}
    if not left_out:
        return drafted
    kept = [edit for edit in applied if edit.key not in left_out]
    changed = candidate(document, kept, most=parts.most(document))
    if changed is None:
        note = Note(stage="screen", summary="the edits that gain nothing can't be left out without the others")
        return replace(drafted, notes=(*drafted.notes, note))
    fates: list[AppliedEdit] = []
    for fate in drafted.fates:
        if fate.fate is EditFate.APPLIED and fate.edit.key in left_out:
            fates.append(AppliedEdit(edit=fate.edit, fate=EditFate.LEFT_OUT, because=NO_GAIN))
        else:
            fates.append(fate)
    return replace(drafted, candidate=changed, fates=tuple(fates))


def _useless(parts: Parts, document: Document, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that gain nothing, each by itself, on the train items of their own.

    An edit that train can't tell of, one that couldn't be scored, and one that takes text away isn't among them.
    """
    train = [task for task in parts.tasks.values() if task.split is Split.TRAIN]
    tried: list[Edit] = []
    trials: list[PairedTrial] = []
    for edit in edits:
        changed = candidate(document, (edit,), most=parts.most(document))
        own = [task for task in train if task.id in edit.tasks or task.lesson in edit.lessons]
        if edit.op is not EditOp.DELETE and changed is not None and own:
            rounds = math.ceil(parts.config.of_preset.screen / len(own))
            tried.append(edit)
            trials.append(PairedTrial(own, document, changed, range(rounds * len(own))))
    found = attempt_pairs(parts, trials, stage="screen")
    return [
        edit
        for edit, pairs in zip(tried, found, strict=True)
        if pairs and math.fsum(after - before for before, after in pairs) <= 0
    ]


_ENDS = {
    Decision.REJECT: Action.REJECT,
    Decision.UNDECIDED: Action.UNDECIDED,
    Decision.ABSTAIN: Action.ABSTAIN,
}


def gate(parts: Parts, state: State, candidate: Document, *, step: int, origin: str) -> tuple[State, Gated, Trial]:
    """Return the state after val compared the candidate with the current skill: the higher mean wins, ties lose.

    A new best must also have done better than the old best.
    """
    trial, verdict = _strict(parts, state.current.document, candidate, parts.rule)
    current = _measured(parts, state.current, trial.before, trial)
    after = replace(state, current=current, tried=_tried(state, candidate, trial))
    action = _ENDS.get(verdict.decision, Action.ACCEPT)
    if action is Action.ACCEPT:
        best = state.best.document
        after = after.moved(candidate, step=step, origin=origin, val=trial.after)
        is_best = True
        if best.sha != state.current.version.sha:
            _, against = _strict(parts, best, candidate, parts.rule)
            is_best = against.decision is Decision.ACCEPT
            verdict = replace(verdict, reason=f"{verdict.reason}; against the best so far: {against.reason}")
        if is_best:
            after = replace(after, best=after.current)
            action = Action.ACCEPT_NEW_BEST
    return after, _gated(trial, verdict, action), trial


def judge(parts: Parts, state: State, *, alpha: float = 1.0) -> tuple[State, Gated, Trial]:
    """Return the state after val compared what the current skill became with the best one.

    `alpha` is the trial's part of the run's error rate, if the rule has one.
    """
    current, best = state.current, state.best
    if parts.rule.name == "strict":
        trial, verdict = _strict(parts, best.document, current.document, parts.rule)
    else:
        rule = replace(parts.rule, alpha=alpha * parts.rule.alpha)
        trial, verdict = _run(parts, best.document, current.document, rule)
    measured = _measured(parts, current, trial.after, trial)
    state = replace(state, current=measured, tried=_tried(state, current.document, trial))
    action = _ENDS.get(verdict.decision, Action.ACCEPT_NEW_BEST)
    if action is Action.ACCEPT_NEW_BEST:
        state = replace(state, best=state.current)
    return state, _gated(trial, verdict, action), trial


def _measured(parts: Parts, skill: ScoredSkill, val: float | None, trial: Trial) -> ScoredSkill:
    """Return the skill with its mean in this trial, unless that ended before all of val was asked."""
    if not _is_whole(parts, trial):
        return skill
    return replace(skill, version=replace(skill.version, val=val))


def _tried(state: State, candidate: Document, trial: Trial) -> frozenset[str]:
    """Return the texts that val was asked about, with the candidate, if this trial asked."""
    asked = trial.pairs or trial.repeated or trial.lost.pairs
    return state.tried | {candidate.sha} if asked else state.tried


def _is_whole(parts: Parts, trial: Trial) -> bool:
    """Return whether all of val was asked."""
    return len(trial.pairs) + trial.repeated + trial.lost.pairs >= len(parts.items[Split.VAL])


def _gated(trial: Trial, verdict: Verdict, action: Action) -> Gated:
    return Gated(
        action=action,
        reason=verdict.reason.replace("request", "item"),  # the engine's word for what a night asks
        error_rate=verdict.error_rate,
        before=trial.before,
        after=trial.after,
        interval=trial.interval,
        n=trial.n,
        items=len({pair.task for pair in trial.own}),
        unscored=trial.lost.pairs,
    )


def _strict(parts: Parts, current: Document, candidate: Document, rule: GateRule) -> tuple[Trial, Verdict]:
    """Compare means; where the preset says so, the current skill is attempted afresh before a candidate is lost."""
    fresh = BLOCK + block("val", current.text, candidate.text)
    trial, verdict = _run(parts, current, candidate, rule, sampled=kept_sample)
    if not parts.config.of_preset.redraw or verdict.decision is not Decision.REJECT:
        return trial, verdict
    if _within_noise(trial):
        return _run(parts, current, candidate, rule, sampled=partial(_fresh_sample, fresh), first=fresh)
    return trial, verdict


def _within_noise(trial: Trial) -> bool:
    """Return whether the candidate lost, but by no more than noise."""
    return noise(trial.gains) > 0 and math.fsum(trial.gains) >= -noise(trial.gains)


def _fresh_sample(first: int, sample: int) -> int:
    """Return new samples for the current skill; the candidate's attempts are those of the trial before."""
    return sample - CANDIDATE_SAMPLES - first if sample >= CANDIDATE_SAMPLES else sample


def _run(
    parts: Parts,
    current: Document,
    candidate: Document,
    rule: GateRule,
    *,
    sampled: Callable[[int], int] = own_sample,
    first: int = 0,
) -> tuple[Trial, Verdict]:
    attempts = ItemAttempts(parts, Split.VAL, "val", label="gate", sampled=sampled)
    val = [parts.tasks[item.id] for item in parts.items[Split.VAL]]
    part = parts.config.of_preset.part
    trial, verdict, _ = run_trial(current, candidate, val, attempts=attempts, rule=rule, first=first, part=part)
    return trial, verdict
