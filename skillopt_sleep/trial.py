"""One candidate against its baseline on val: rounds of both arms, task by task, until the gate has a verdict."""

from collections.abc import Sequence

from skillopt_sleep.kit.stats import gain_interval, mean
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Decision, Document, GateRule, Pair, Rollout, Task, Trial, Verdict
from skillopt_sleep.stages.gate import gate, measure
from skillopt_sleep.stages.rollout import rollout


def run_trial(
    document: Document, candidate: Document, val: Sequence[Task], *, crew: Crew, rule: GateRule
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """Attempt every val task once per arm and round, and ask the gate after each round.

    A pair with an unscored arm is no pair. A candidate equal to its baseline is nothing to test and costs nothing.
    """
    if candidate.text == document.text:
        return Trial(), Verdict(decision=Decision.ABSTAIN, reason="nothing was changed"), ()
    trial, verdict, made = Trial(), None, tuple[Rollout, ...]()
    while verdict is None:
        sample = trial.rounds
        jobs = [(task, arm, sample) for task in val for arm in (document, candidate)]
        rollouts = rollout(
            jobs, executor=crew.executor, judge=crew.judge, pool=crew.pool, label=f"trial {document.id}"
        )
        made += rollouts
        trial = _with_round(trial, rollouts, rule)
        verdict = gate(trial, rule)
    return trial, verdict, made


def _with_round(trial: Trial, rollouts: Sequence[Rollout], rule: GateRule) -> Trial:
    """The trial with one more round; the rollouts alternate baseline, candidate."""
    arms = list(zip(rollouts[::2], rollouts[1::2], strict=True))
    new = tuple(
        Pair(task=b.task, sample=b.sample, before=measure(b.score, rule), after=measure(a.score, rule))
        for b, a in arms
        if b.score is not None and a.score is not None
    )
    pairs = trial.pairs + new
    return Trial(
        pairs=pairs,
        rounds=trial.rounds + 1,
        unpaired=trial.unpaired + len(arms) - len(new),
        before=mean([pair.before for pair in pairs]),
        after=mean([pair.after for pair in pairs]),
        interval=gain_interval([pair.after - pair.before for pair in pairs]),
        calls=trial.calls + len(rollouts),
    )
