"""Try one candidate against its baseline on val: rounds of both arms, until the gate has a verdict."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.betting import START, bet, gain_interval, lifted, pairs_to_go, statistic
from skillopt_sleep.kit.stats import mean, shrunk
from skillopt_sleep.learning.attempts import Attempts
from skillopt_sleep.learning.gate import gate, measure
from skillopt_sleep.records import Decision, Document, GateRule, Pair, Rollout, Task, Trial, Verdict

# The samples a candidate draws from are its own: once accepted it becomes a baseline, which must be drawn afresh and
# not be the lucky attempts it was chosen for.
CANDIDATE_SAMPLES = 1_000_000


def run_trial(
    document: Document,
    candidate: Document,
    val: Sequence[Task],
    *,
    attempts: Attempts,
    rule: GateRule,
    earlier: Trial | None = None,
    first: int = 0,
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """Attempt every val task once per arm and round, and ask the gate after each round.

    A pair with an unscored arm doesn't count. If the candidate equals its baseline, there is nothing to test and no
    call is made. An `earlier` trial of the same candidate is resumed with its wealth, its margin and its share of the
    error rate. Rounds draw samples from `first` on: the baseline's attempts of another trial are used again, unless
    they decided what is tried.
    """
    if candidate.text == document.text:
        return Trial(), Verdict(decision=Decision.ABSTAIN, reason="nothing was changed"), ()
    trial = earlier or Trial(wealth=START, alpha=rule.alpha, margin=rule.margin, first=first)
    rule = replace(rule, alpha=trial.alpha or rule.alpha, margin=trial.margin)
    end = trial.rounds + rule.rounds if val else trial.rounds
    made = tuple[Rollout, ...]()
    # What an earlier night read of it already decided nothing.
    verdict = None if earlier and val else gate(trial, rule, last=trial.rounds >= end)
    while verdict is None:
        sample = trial.first + trial.rounds
        arms = ((document, sample), (candidate, CANDIDATE_SAMPLES + sample))
        jobs = [(task, arm, drawn) for task in val for arm, drawn in arms]
        rollouts = attempts.make(jobs, label=f"trial {document.id}")
        made += rollouts
        trial = _with_round(trial, val, rollouts, rule)
        verdict = gate(trial, rule, last=trial.rounds >= end)
    return _summed_up(trial, rule), verdict, made


def count_made(rollouts: Iterable[Rollout]) -> int:
    """Count the attempts that were made: one that a project's budget refuses asks no model."""
    return sum(not one.trajectory.failure.startswith(f"{FailureKind.OVER_BUDGET}:") for one in rollouts)


def _with_round(trial: Trial, val: Sequence[Task], rollouts: Sequence[Rollout], rule: GateRule) -> Trial:
    """Add one round to the trial; the rollouts alternate baseline and candidate."""
    arms = list(zip(val, rollouts[::2], rollouts[1::2], strict=True))
    new = tuple(
        Pair(
            task=task.id,
            session=task.session,
            sample=b.sample,
            before=measure(b.score, rule),
            after=measure(a.score, rule),
        )
        for task, b, a in arms
        if b.score is not None and a.score is not None
    )
    pairs = trial.pairs + new
    wealth = bet(trial.wealth, (lifted(pair.gain, rule.margin) for pair in new))
    return replace(
        trial,
        pairs=pairs,
        rounds=trial.rounds + 1,
        unpaired=trial.unpaired + len(arms) - len(new),
        lost_before=trial.lost_before + sum(b.score is None and a.score is not None for _, b, a in arms),
        lost_after=trial.lost_after + sum(a.score is None and b.score is not None for _, b, a in arms),
        before=mean([pair.before for pair in pairs]),
        after=mean([pair.after for pair in pairs]),
        wealth=wealth,
        statistic=statistic(wealth),
        calls=trial.calls + count_made(rollouts),
    )


def _summed_up(trial: Trial, rule: GateRule) -> Trial:
    """Add the figures that are read only when the trial stops."""
    return replace(
        trial,
        gain=shrunk(trial.gains),
        interval=gain_interval(trial.gains),
        more=pairs_to_go(trial.wealth, pairs=trial.n, alpha=rule.alpha),
    )
