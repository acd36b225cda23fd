"""Try a candidate against the current skill on val, and against the best so far; say which is current and best."""

from msgspec.structs import replace

from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import UNVERIFIED, Decision, Document, Split, Trial, Verdict
from skillopt_sleep.trainer.parts import VAL_SAMPLE, ItemAttempts, Parts, State
from skillopt_sleep.trainer.summary import TAKEN, Action, Gated

_ENDS = {
    Decision.REJECT: Action.REJECT,
    Decision.UNDECIDED: Action.UNDECIDED,
    Decision.ABSTAIN: Action.ABSTAIN,
}


def gate(parts: Parts, state: State, candidate: Document, *, step: int, origin: str) -> tuple[State, Gated, Trial]:
    """Return the state after the gate's verdict on the candidate.

    strict compares one pass over val, reusing the current skill's score if it was measured before (SkillOpt); ties
    lose. sequential makes fresh attempts under both. greedy measures as strict does, and always takes the candidate.
    A new best must have been proven better than the old best by the same rule.
    """
    rule = parts.rule
    forced = rule.name == "greedy"
    trial, verdict = _trial(parts, state.current.document, candidate)
    val = trial.after
    if rule.name != "sequential":
        val = parts.measured(parts.val_jobs(candidate), label="gate").metric
    held = replace(state.current, standing=replace(state.current.standing, val=_before(parts, state, trial)))
    after = replace(state, current=held)
    action = _ENDS.get(verdict.decision, Action.ACCEPT)
    reason, error_rate = verdict.reason, verdict.error_rate
    if forced:
        action = Action.FORCE_ACCEPT
        reason, error_rate = f"taken in any case; {verdict.reason}", UNVERIFIED
    if action in TAKEN:
        after = after.moved(candidate, step=step, origin=origin, val=val)
        if _is_best(parts, state, candidate, verdict):
            after = replace(after, best=after.current)
            if not forced:
                action = Action.ACCEPT_NEW_BEST
    gated = Gated(
        action=action,
        reason=reason,
        rule=f"{rule.name}, {rule.metric}",
        error_rate=error_rate,
        before=trial.before,
        after=trial.after,
        interval=trial.interval,
        n=trial.n,
        unscored=trial.unpaired,
    )
    return after, gated, trial


def better(parts: Parts, candidate: Document, other: Document) -> bool:
    """Return whether the rule finds the candidate better than the other; greedy compares the means, like strict."""
    _, verdict = _trial(parts, other, candidate)
    return verdict.decision is Decision.ACCEPT


def _is_best(parts: Parts, state: State, candidate: Document, verdict: Verdict) -> bool:
    """Return whether the candidate is better than the best so far; the verdict is on the current skill."""
    if state.best.standing.sha == state.current.standing.sha:
        return verdict.decision is Decision.ACCEPT
    return better(parts, candidate, state.best.document)


def _trial(parts: Parts, current: Document, candidate: Document) -> tuple[Trial, Verdict]:
    rule = parts.rule
    if rule.name == "greedy":
        rule = replace(rule, name="strict")
    sample = None
    if rule.name == "strict":
        sample = VAL_SAMPLE
    attempts = ItemAttempts(parts, Split.VAL, "val", label="gate", sample=sample)
    val = [parts.tasks[item.id] for item in parts.items[Split.VAL]]
    trial, verdict, _ = run_trial(current, candidate, val, attempts=attempts, rule=rule)
    return trial, verdict


def _before(parts: Parts, state: State, trial: Trial) -> float | None:
    """Return the current skill's score on val, as far as it is known now."""
    if parts.rule.name == "sequential":
        return trial.before
    return parts.measured(parts.val_jobs(state.current.document), label="gate").metric
