"""One candidate against its baseline on val: rounds of both arms, task by task, until the gate has a verdict."""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.betting import START, bet, gain_interval, lifted, pairs_to_go, statistic
from skillopt_sleep.kit.stats import mean, shrunk
from skillopt_sleep.learning.gate import gate, measure
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Decision, Document, GateRule, Pair, Rollout, Task, Trial, Verdict
from skillopt_sleep.replay.rollout import Job, rollout

# The samples a candidate draws from are its own: once accepted it becomes a baseline, which must be drawn afresh and
# not be the lucky attempts it was chosen for.
CANDIDATE_SAMPLES = 1_000_000


def run_trial(
    document: Document,
    candidate: Document,
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    earlier: Trial | None = None,
    first: int = 0,
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """Attempt every val task once per arm and round, and ask the gate after each round.

    A pair with an unscored arm is no pair. A candidate equal to its baseline is nothing to test and costs nothing. An
    `earlier` trial of the same candidate goes on with its wealth, its margin and its share of the error rate. Rounds
    are drawn from sample `first` on: what another trial has drawn from the baseline is shared, unless it decided what
    is tried.
    """

    def attempt(jobs: Sequence[Job]) -> tuple[Rollout, ...]:
        label = f"trial {document.id}"
        return rollout(jobs, executor=crew.executor, judge=crew.judge, pool=crew.pool, label=label)

    return compare_on(val, document, candidate, attempt=attempt, rule=rule, earlier=earlier, first=first)


def compare_on(
    val: Sequence[Task],
    document: Document,
    candidate: Document,
    *,
    attempt: Callable[[Sequence[Job]], tuple[Rollout, ...]],
    rule: GateRule,
    earlier: Trial | None = None,
    first: int = 0,
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """The trial of `run_trial`, whoever makes and grades its attempts: one for each job, in their order."""
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
        rollouts = attempt(jobs)
        made += rollouts
        trial = _with_round(trial, val, rollouts, rule)
        verdict = gate(trial, rule, last=trial.rounds >= end)
    return _summed_up(trial, rule), verdict, made


def attempts(rollouts: Iterable[Rollout]) -> int:
    """How many of them were made: what a project's budget refuses is asked of nobody."""
    return sum(not one.trajectory.failure.startswith(f"{FailureKind.OVER_BUDGET}:") for one in rollouts)


def _with_round(trial: Trial, val: Sequence[Task], rollouts: Sequence[Rollout], rule: GateRule) -> Trial:
    """The trial with one more round; the rollouts alternate baseline, candidate."""
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
        calls=trial.calls + attempts(rollouts),
    )


def _summed_up(trial: Trial, rule: GateRule) -> Trial:
    """The trial with what is only told when it stops."""
    return replace(
        trial,
        gain=shrunk(trial.gains),
        interval=gain_interval(trial.gains),
        more=pairs_to_go(trial.wealth, pairs=trial.n, alpha=rule.alpha),
    )
