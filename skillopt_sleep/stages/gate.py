"""A trial to a verdict: whether the candidate does better on tasks that reflection never saw."""

from skillopt_sleep.records import Decision, GateRule, Metric, Score, Trial, Verdict

UNKNOWN = "error rate unknown"


def measure(score: Score, rule: GateRule) -> float:
    """The number that is compared, in [0, 1]."""
    if rule.metric is Metric.HARD:
        return score.hard
    if rule.metric is Metric.SOFT:
        return score.soft
    return (1 - rule.mixed_weight) * score.hard + rule.mixed_weight * score.soft


def gate(trial: Trial, rule: GateRule) -> Verdict | None:
    """The verdict after a round, or None where the rule wants another one.

    `strict` (SkillOpt's rule) reads the means after its last round: accept only if the candidate's is greater. A
    trial without a scored pair is no evidence: abstain.
    """
    if trial.rounds < rule.rounds:
        return None
    if trial.before is None or trial.after is None:
        return _verdict(Decision.ABSTAIN, "no unseen task could be scored under both versions", rule)
    numbers = f"{trial.before:.2f} → {trial.after:.2f} on unseen tasks (n={trial.n})"
    if trial.after > trial.before:
        return _verdict(Decision.ACCEPT, f"better: {numbers}", rule)
    if trial.after < trial.before:
        return _verdict(Decision.REJECT, f"worse: {numbers}", rule)
    return _verdict(Decision.REJECT, f"no better: {numbers}", rule)


def _verdict(decision: Decision, reason: str, rule: GateRule) -> Verdict:
    return Verdict(decision=decision, reason=reason, rule=f"{rule.name}, {rule.metric}", error_rate=UNKNOWN)
