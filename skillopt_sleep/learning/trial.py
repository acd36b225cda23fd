"""Try one candidate against its baseline on val: rounds of both arms, until the gate has a verdict."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.betting import (
    NO_LOSS_STAKES,
    STAKES,
    bet,
    gain_interval,
    lifted,
    pairs_to_go,
    start,
    statistic,
)
from skillopt_sleep.kit.stats import mean, noise, shrunk
from skillopt_sleep.learning.attempts import Attempts, in_pairs
from skillopt_sleep.learning.drift import anew, answering, has_changed
from skillopt_sleep.learning.gate import (
    EARLY_ROUNDS,
    gate,
    may_be_early,
    refused,
    unguarded,
    unharmed,
    unseen,
)
from skillopt_sleep.learning.harm import Guarded, watch
from skillopt_sleep.learning.pairs import Paired, pair_up
from skillopt_sleep.records import (
    Decider,
    Decision,
    Document,
    GateRule,
    Rollout,
    Task,
    Trial,
    Verdict,
    bets_of,
    deciders,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES


def run_trial(
    document: Document,
    candidate: Document,
    val: Sequence[Task],
    *,
    attempts: Attempts,
    rule: GateRule,
    earlier: Trial | None = None,
    first: int = 0,
    lessons: Sequence[tuple[str, ...]] = (),
    bystanders: Sequence[Task] = (),
    part: float = 0.0,
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """Attempt every val task once per arm and round, and ask the gate after each round.

    The bet is on the pairs of the edits' own lessons. A pair with an unscored arm doesn't count, but in the bet an
    attempt of the candidate that failed by itself is its worst case; nor does a pair of which both answers were given
    before. If the candidate equals its baseline, there is nothing to test and no call is made. An `earlier` trial of
    the same candidate is resumed with its wealth, its stakes, its margin and its share of the error rate; if another
    version of the model answers tonight, it begins anew. Rounds draw samples from `first` on, which no other trial
    has. Each edit has to help in its own `lessons`; what they have only one session for takes up to EARLY_ROUNDS. If
    the bet is won, the `bystanders` are asked whether another lesson got worse; what an outage or the budget leaves
    open leaves the trial open. A rule that reads means reads theirs too. A round ends after its first `part` if the
    candidate is behind by more than noise by then, which decides the trial.
    """
    if rule.name == "strict":
        val = (*val, *bystanders)
    if candidate.text == document.text:
        return Trial(), Verdict(decision=Decision.ABSTAIN, reason="nothing was changed"), ()
    trial = earlier or _new_trial(rule, first)
    only_guard = trial.guard.cut_short
    guard = replace(trial.guard, cut_short=False)
    trial = replace(trial, lessons=trial.lessons or tuple(lessons), min_effect=rule.min_effect, guard=guard)
    rule = replace(rule, alpha=trial.alpha or rule.alpha, together=trial.together, margin=trial.margin)
    end = trial.rounds
    if val:
        end += rule.rounds
        if _has_one_session(trial, val, rule):
            end = max(end, EARLY_ROUNDS)
    made: tuple[Rollout, ...] = ()
    verdict = None
    # What an earlier night read of it already decided nothing, unless only its guard was left to do.
    if earlier is None or not val or only_guard:
        verdict = gate(trial, rule, last=trial.rounds >= end)
    while verdict is None:
        sample = trial.first + trial.rounds
        asking = _Round(document, candidate, attempts, sample)
        asked = val[: _first_part(val, part)]
        rollouts = asking.ask(asked)
        behind = len(asked) < len(val) and _is_behind(trial, pair_up(trial, asked, rollouts, rule))
        if not behind:
            rollouts += asking.ask(val[len(asked) :])
            asked = val
        if not made and has_changed(trial, rollouts):
            end -= trial.rounds
            trial = anew(trial, first=sample)
        made += rollouts
        paired = pair_up(trial, asked, rollouts, rule)
        trial = _with_round(trial, paired, rule, calls=count_made(rollouts))
        # What is only repeated is no new evidence, however often it is asked.
        verdict = gate(trial, rule, last=trial.rounds >= end or paired.only_repeated or behind)
    if bystanders and _has_won(verdict, rule):
        found = watch(document, candidate, bystanders, attempts=attempts, rule=rule, trial=trial)
        made += found.rollouts
        trial = replace(trial, guard=found.guard, calls=trial.calls + count_made(found.rollouts))
        verdict = _guarded(trial, verdict, found, rule)
    trial = replace(trial, models=answering(made) or trial.models, judges=_judges(trial, val))
    return _summed_up(trial, rule), verdict, made


class _Round(NamedTuple):
    """One round of a trial: both versions with the round's own sample."""

    document: Document
    candidate: Document
    attempts: Attempts
    sample: int

    def ask(self, val: Sequence[Task]) -> tuple[Rollout, ...]:
        """Attempt these tasks once under each version."""
        jobs: list[Job] = []
        for task in val:
            jobs.append((task, self.document, self.sample))
            jobs.append((task, self.candidate, CANDIDATE_SAMPLES + self.sample))
        if not jobs:
            return ()
        return in_pairs(self.attempts, jobs, label=f"trial {self.document.id}")


def _first_part(val: Sequence[Task], part: float) -> int:
    """Return how many tasks are asked before a look at the rest; all of them without a part."""
    return math.ceil(part * len(val)) or len(val)


def _is_behind(trial: Trial, paired: Paired) -> bool:
    """Return whether the candidate has lost by more than noise so far: the rest isn't worth its calls."""
    gains = [pair.gain for pair in (*trial.pairs, *trial.lost_attempts, *paired.pairs, *paired.lost_attempts)]
    return math.fsum(gains) < -noise(gains)


def _judges(trial: Trial, val: Sequence[Task]) -> tuple[Decider, ...]:
    """Return what the trial's own pairs were judged by, as far as their tasks are asked tonight."""
    own = {pair.task for pair in trial.own}
    return deciders(task.reference for task in val if task.id in own) or trial.judges


def _has_won(verdict: Verdict, rule: GateRule) -> bool:
    """Return whether only harm to others could keep the candidate from what it has won."""
    if rule.name != "sequential" or not rule.non_regression:
        return False
    return verdict.decision is Decision.ACCEPT or verdict.early


def _guarded(trial: Trial, verdict: Verdict, found: Guarded, rule: GateRule) -> Verdict:
    """Return the verdict on a winner after other lessons were asked."""
    if found.end is not None:
        return unguarded(found.end.message, verdict)
    if found.guard.harmed:
        return refused(trial, verdict, rule)
    if found.left_open:
        return unseen(len(found.left_open), verdict, rule)
    return verdict


def _new_trial(rule: GateRule, first: int) -> Trial:
    stakes = NO_LOSS_STAKES if rule.margin else STAKES
    return Trial(
        stakes=stakes,
        wealth=start(stakes),
        alpha=rule.alpha,
        together=rule.together,
        margin=rule.margin,
        first=first,
    )


def _has_one_session(trial: Trial, val: Sequence[Task], rule: GateRule) -> bool:
    """Return whether all the trial can show is that the candidate helps in one session."""
    if not may_be_early(trial.lessons, rule):
        return False
    sessions = {pair.session for pair in trial.own}
    sessions.update(task.session for task in val if task.lesson in trial.lessons[0])
    return len(sessions) == 1


def count_made(rollouts: Iterable[Rollout]) -> int:
    """Count the attempts that were made: one that a project's budget refuses asks no model."""
    refused = f"{FailureKind.OVER_BUDGET}:"
    made = [rollout for rollout in rollouts if not rollout.trajectory.failure.startswith(refused)]
    return len(made)


def _with_round(trial: Trial, paired: Paired, rule: GateRule, *, calls: int) -> Trial:
    """Add one round to the trial."""
    new = replace(trial, pairs=paired.pairs, lost_attempts=paired.lost_attempts).bets
    trial = replace(
        trial,
        pairs=(*trial.pairs, *paired.pairs),
        lost_attempts=(*trial.lost_attempts, *paired.lost_attempts),
    )
    wealth = bet(trial.wealth, [lifted(gain, rule.margin) for gain in new], stakes=trial.stakes or STAKES)
    return replace(
        trial,
        rounds=trial.rounds + 1,
        unpaired=trial.unpaired + paired.lost_before + paired.lost_after + paired.lost_both,
        lost_before=trial.lost_before + paired.lost_before,
        lost_after=trial.lost_after + paired.lost_after,
        repeated=trial.repeated + paired.repeated,
        before=mean([pair.before for pair in trial.own]),
        after=mean([pair.after for pair in trial.own]),
        wealth=wealth,
        statistic=statistic(wealth),
        calls=trial.calls + calls,
    )


def _summed_up(trial: Trial, rule: GateRule) -> Trial:
    """Add the figures that are read only when the trial stops."""
    gains = [pair.gain for pair in trial.own]
    bystanders, fine = unharmed(trial, rule)
    if trial.guard.pairs and not trial.guard.cut_short:
        bystanders = len(trial.guard.lessons)
        fine = bystanders - len(trial.guard.harmed)
    return replace(
        trial,
        gain=shrunk(gains),
        interval=gain_interval(bets_of(trial.own), stakes=trial.stakes or STAKES),
        bystanders=bystanders,
        unharmed=fine,
        more=pairs_to_go(trial.wealth, pairs=trial.n, alpha=rule.alpha),
    )
