"""Try a candidate against the current skill on val, and against the best so far; say which is current and best."""

import math
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.stats import noise
from skillopt_sleep.learning.attempts import BLOCK, block
from skillopt_sleep.learning.gate import NO_LOSS_MARGIN
from skillopt_sleep.learning.pairs import digest
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import UNVERIFIED, Decision, Document, GateRule, Split, Trial, Verdict
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.parts import VAL_SAMPLE, Held, ItemAttempts, Parts, State, kept_sample, own_sample
from skillopt_sleep.trainer.summary import TAKEN, Action, Gated

_ENDS = {
    Decision.REJECT: Action.REJECT,
    Decision.UNDECIDED: Action.UNDECIDED,
    Decision.ABSTAIN: Action.ABSTAIN,
}


SPENT = "earlier trials have used up the run's error rate (evaluation.alpha)"


class Tried(NamedTuple):
    """A trial with its verdict, and what is left of the run's error rate after it."""

    trial: Trial
    verdict: Verdict
    alpha: float


def gate(
    parts: Parts, state: State, candidate: Document, *, step: int, origin: str, left: int = 1
) -> tuple[State, Gated, Trial]:
    """Return the state after the gate's verdict on the candidate, the first of at most `left` trials to come.

    strict compares means of passes over val; ties lose. sequential bets on fresh attempts under both. greedy measures
    as strict does, and always takes the candidate. A new best must have been proven better than the old best by the
    same rule.
    """
    forced = parts.rule.name == "greedy"
    trial, verdict, alpha = _try(parts, state, candidate, against=state.current.document, left=left)
    after = replace(
        state,
        current=_measured(parts, state.current, trial.before, trial),
        alpha=alpha,
        tried=_tried(state, candidate, trial),
    )
    action = _ENDS.get(verdict.decision, Action.ACCEPT)
    if forced:
        action = Action.FORCE_ACCEPT
    if action in TAKEN:
        best = state.best.document
        after = after.moved(candidate, step=step, origin=origin, val=trial.after)
        after = replace(after, pool=(*after.pool, after.current))
        is_best = verdict.decision is Decision.ACCEPT
        if best.sha != state.current.standing.sha:
            tried = _try(parts, after, candidate, against=best, left=left)
            is_best, after = tried.verdict.decision is Decision.ACCEPT, replace(after, alpha=tried.alpha)
            verdict = replace(verdict, reason=f"{verdict.reason}; against the best so far: {tried.verdict.reason}")
        if is_best:
            after = replace(after, best=after.current)
            if not forced:
                action = Action.ACCEPT_NEW_BEST
    return after, _gated(parts, trial, verdict, action), trial


def judge(parts: Parts, state: State, *, left: int, falls_back: bool = True) -> tuple[State, Gated, Trial]:
    """Return the state after the gate's verdict on what the current skill became since the best one.

    If it did worse and `falls_back`, the best becomes the current one; if that isn't clear, nothing changes.
    """
    current, best = state.current, state.best
    trial, verdict, alpha = _try(parts, state, current.document, against=best.document, left=left)
    measured = _measured(parts, current, trial.after, trial)
    state = replace(state, current=measured, alpha=alpha, tried=_tried(state, current.document, trial))
    action = _ENDS.get(verdict.decision, Action.ACCEPT_NEW_BEST)
    if action is Action.ACCEPT_NEW_BEST:
        state = replace(state, best=state.current)
    elif falls_back and verdict.decision is Decision.REJECT and math.fsum(trial.gains) <= 0:
        state = replace(state, current=best)
    return state, _gated(parts, trial, verdict, action), trial


def no_worse(parts: Parts, shorter: Document, *, than: Document) -> tuple[Gated, Trial]:
    """Return the gate's verdict on a skill that only lacks rules: it need not be better.

    strict and greedy take it if its mean isn't lower. sequential takes it if the bet is won that it loses less than
    a margin, with an error rate of its own: `evaluation.alpha` of the runs whose removal loses more.
    """
    if parts.rule.name == "sequential":
        trial, verdict = _run(parts, than, shorter, replace(parts.rule, margin=NO_LOSS_MARGIN), _Draws())
        return _gated(parts, trial, verdict, _ENDS.get(verdict.decision, Action.ACCEPT)), trial
    trial, verdict = _strict(parts, than, shorter, replace(parts.rule, name="strict"))
    action = _ENDS.get(verdict.decision, Action.ACCEPT)
    if action is Action.REJECT and math.fsum(trial.gains) >= 0:
        action = Action.ACCEPT
    return _gated(parts, trial, verdict, action), trial


def _measured(parts: Parts, held: Held, val: float | None, trial: Trial) -> Held:
    """Return the skill with its mean in this trial, unless that ended before all of val was asked."""
    if not _is_whole(parts, trial):
        return held
    return replace(held, standing=replace(held.standing, val=val))


def _tried(state: State, candidate: Document, trial: Trial) -> frozenset[str]:
    """Return the texts that val was asked about, with the candidate, if this trial asked."""
    asked = trial.pairs or trial.repeated or trial.lost.pairs
    return state.tried | {candidate.sha} if asked else state.tried


def _is_whole(parts: Parts, trial: Trial) -> bool:
    """Return whether all of val was asked."""
    return len(trial.pairs) + trial.repeated + trial.lost.pairs >= len(parts.items[Split.VAL])


def _gated(parts: Parts, trial: Trial, verdict: Verdict, action: Action) -> Gated:
    reason, error_rate = verdict.reason, verdict.error_rate
    if action is Action.FORCE_ACCEPT:
        reason, error_rate = f"taken in any case; {verdict.reason}", UNVERIFIED
    return Gated(
        action=action,
        reason=reason,
        rule=f"{parts.rule.name}, {parts.rule.metric}",
        error_rate=error_rate,
        before=trial.before,
        after=trial.after,
        interval=trial.interval,
        n=trial.n,
        items=len({pair.task for pair in trial.own}),
        unscored=trial.lost.pairs,
    )


def _try(parts: Parts, state: State, candidate: Document, *, against: Document, left: int) -> Tried:
    """Try the candidate with its share of the run's error rate; a share that wins isn't spent.

    The shares of all candidates that do nothing never add up to more than the run's error rate, however many trials
    there are: each is a part of what is left, only a rejected hypothesis passes its share on (Bretz et al., "A
    graphical approach to sequentially rejective multiple test procedures", Statistics in Medicine 28, 2009), and the
    first of them to be accepted is the error that is counted.
    """
    rule = parts.rule
    if rule.name == "greedy":
        rule = replace(rule, name="strict")
    if rule.name == "strict":
        trial, verdict = _strict(parts, against, candidate, rule)
        return Tried(trial, verdict, state.alpha)
    share = state.alpha / max(1, left)
    if not share:
        return Tried(Trial(), Verdict(decision=Decision.ABSTAIN, reason=SPENT), 0.0)
    trial, verdict = _run(parts, against, candidate, replace(rule, alpha=share), _Draws())
    spent = 0.0 if verdict.decision is Decision.ACCEPT else share
    return Tried(trial, verdict, state.alpha - spent)


class _Draws(NamedTuple):
    """The samples of a trial: the first of them, and whether a skill keeps those it was accepted with."""

    first: int = 0
    kept: bool = False
    anew: bool = False

    def __call__(self, sample: int) -> int:
        """Return the training's own sample for one of the engine."""
        if self.anew:
            # The candidate's attempts are those of the trial before.
            return sample - CANDIDATE_SAMPLES - self.first if sample >= CANDIDATE_SAMPLES else sample
        return kept_sample(sample) if self.kept else own_sample(sample)


def _strict(parts: Parts, current: Document, candidate: Document, rule: GateRule) -> tuple[Trial, Verdict]:
    """Compare means; as `redraw` says, the current skill is attempted afresh before a candidate is lost.

    Answers that repeat themselves hold no luck.
    """
    redraw = parts.config.evaluation.redraw
    fresh = BLOCK + block("val", current.text, candidate.text)
    if redraw == "always":
        return _run(parts, current, candidate, rule, _Draws(fresh))
    trial, verdict = _run(parts, current, candidate, rule, _Draws(kept=True))
    if redraw == "never" or verdict.decision is not Decision.REJECT:
        return trial, verdict
    if _may_be_luck(trial) and not _repeats(parts, current, first=fresh):
        return _run(parts, current, candidate, rule, _Draws(fresh, anew=True))
    return trial, verdict


def _may_be_luck(trial: Trial) -> bool:
    """Return whether the candidate lost, but by no more than noise."""
    return noise(trial.gains) > 0 and math.fsum(trial.gains) >= -noise(trial.gains)


def _repeats(parts: Parts, skill: Document, *, first: int) -> bool:
    """Return whether fresh attempts at the first part of val give the very answers that the skill gave before."""
    items = parts.items[Split.VAL]
    asked = items[: math.ceil(parts.config.evaluation.part * len(items)) or len(items)]
    kept = parts.attempts.make(parts.jobs(skill, asked, sample=VAL_SAMPLE, stage="val"), label="gate")
    anew = parts.attempts.make(parts.jobs(skill, asked, sample=first, stage="val"), label="gate")
    return all(
        digest(old.rollout.trajectory) == digest(new.rollout.trajectory) for old, new in zip(kept, anew, strict=True)
    )


def _run(
    parts: Parts, current: Document, candidate: Document, rule: GateRule, draws: _Draws
) -> tuple[Trial, Verdict]:
    attempts = ItemAttempts(parts, Split.VAL, "val", label="gate", sampled=draws)
    val = [parts.tasks[item.id] for item in parts.items[Split.VAL]]
    part = parts.config.evaluation.part
    trial, verdict, _ = run_trial(current, candidate, val, attempts=attempts, rule=rule, first=draws.first, part=part)
    return trial, verdict
