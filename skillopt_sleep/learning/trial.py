"""Try one candidate against its baseline on val: rounds of both arms, until the gate has a verdict."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.learning.attempts import Making, in_pairs
from skillopt_sleep.learning.gate import gate, put_off, stakes_of
from skillopt_sleep.learning.pairs import Paired, failed_by_itself, pair_up
from skillopt_sleep.learning.statistics import bet, gain_interval, lifted, noise, rounds_to_win, shrunk, start
from skillopt_sleep.records import (
    Decision,
    Document,
    GateRule,
    Lost,
    Pair,
    Rollout,
    Task,
    Trial,
    Verdict,
    added_up,
    bets_of,
    deciders,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES

FIRST_LOOK = 2  # rounds at least, unless fewer can win: what shows no gain by then is given up
FIRST_PAIRS = 6  # at least: with fewer, too many rules that help show no gain
USUAL_GAIN = 0.7  # of a rule that helps, in each pair
IN_VAIN = 3  # pairs of a request that no answer of either version met, after which it isn't asked any more
THIRD = 3  # the first and the last third of a night's attempts are compared by the names of their models


def run_trial(
    document: Document,
    candidate: Document,
    val: Sequence[Task],
    *,
    attempts: Making,
    rule: GateRule,
    earlier: Trial | None = None,
    first: int = 0,
    lessons: Sequence[str] = (),
    part: float = 0.0,
    by_hand: bool = False,
    hurried: bool = False,
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """Attempt every val task once per version and round, and ask the gate at each look.

    The bet is on the pairs of the candidate's own `lessons`. An `earlier` trial is resumed with its wealth and its
    share of the error rate; if another model answers, it begins anew. Rounds draw samples from `first` on, which no
    other trial has. Where each look waits for somebody (`by_hand`), more rounds are laid out up to it. With a `part`
    (trainings), a round ends after that part of val if the candidate is behind by more than noise by then, which
    decides the trial. With others waiting (`hurried`) it is put off as soon as the night's rounds look too few.
    """
    if candidate.text == document.text:
        return Trial(), Verdict(decision=Decision.ABSTAIN, reason="nothing was changed"), ()
    trial = earlier or begin_trial(rule, lessons=lessons, first=first)
    end = trial.rounds + (rule.rounds if val else 0)
    tasks = {task.id: task for task in val}
    made: tuple[Rollout, ...] = ()
    verdict = gate(trial, rule, last=True) if rule.name == "greedy" or not val else None
    while verdict is None:
        asked = [task for task in val if not _is_in_vain(trial, task)]
        size = _rounds_to_look(trial, asked, rule, left=end - trial.rounds, begun=bool(made), by_hand=by_hand)
        rounds = _Rounds(document, candidate, attempts, rule, first=trial.first + trial.rounds)
        looked, behind, again = rounds.ask(asked, size, part=part, trial=trial)
        if not made and has_changed(trial, looked):
            end -= trial.rounds
            trial = anew(trial, first=rounds.first)
        made += looked
        only_repeated = False
        each = max(1, len(looked) // size)
        for start_of_round in range(0, len(looked), each):
            of_round = looked[start_of_round : start_of_round + each]
            paired = pair_up(trial, [tasks[attempt.task] for attempt in of_round[::2]], of_round, rule)
            trial = _with_round(trial, paired)
            only_repeated = paired.only_repeated
        trial = replace(trial, calls=trial.calls + count_made(looked), lost=added(trial.lost, again))
        # What is only repeated is no new evidence, however often it is asked.
        last = trial.rounds >= end or only_repeated or behind or not looked
        verdict = gate(trial, rule, last=last)
        if verdict is None and hurried:
            verdict = put_off(trial, rule, tries=(end - trial.rounds) * len(asked))
    own = {pair.task for pair in trial.own}
    trial = replace(
        trial,
        gain=shrunk([pair.gain for pair in trial.own]),
        interval=gain_interval(bets_of(trial.own), stakes=stakes_of(trial)),
        models=answering(made) or trial.models,
        judges=deciders(task.reference for task in val if task.id in own) or trial.judges,
    )
    return trial, _of_one_model(verdict, made), made


def begin_trial(rule: GateRule, *, lessons: Sequence[str] = (), first: int = 0) -> Trial:
    """Return a trial in which nothing was tried yet."""
    trial = Trial(lessons=tuple(lessons), first=first, alpha=rule.alpha, margin=rule.margin)
    return replace(trial, wealth=start(stakes_of(trial)))


def anew(trial: Trial, *, first: int) -> Trial:
    """Return the trial with nothing tried yet and its share of the error rate; it draws samples from `first` on."""
    return Trial(
        lessons=trial.lessons,
        first=first,
        alpha=trial.alpha,
        margin=trial.margin,
        wealth=start(stakes_of(trial)),
    )


def answering(made: Iterable[Rollout]) -> tuple[str, ...]:
    """Return the models that answered these attempts, as far as they said so."""
    return tuple(sorted({attempt.trajectory.model for attempt in made} - {""}))


def has_changed(trial: Trial, made: Sequence[Rollout]) -> bool:
    """Return whether tonight's first attempts were answered by other models than an earlier night's of the trial."""
    now = answering(made[: -(-len(made) // THIRD)])
    return bool(trial.models and now) and set(now).isdisjoint(trial.models)


def count_made(rollouts: Iterable[Rollout]) -> int:
    """Count the attempts that were made: one that a project's budget refuses asks no model."""
    refused = f"{FailureKind.OVER_BUDGET}:"
    return len([rollout for rollout in rollouts if not rollout.trajectory.failure.startswith(refused)])


def _of_one_model(verdict: Verdict, made: Sequence[Rollout]) -> Verdict:
    """Return the verdict, or abstain if another model answered at the end of the night than at its beginning."""
    size = -(-len(made) // THIRD)
    began, ended = answering(made[:size]), answering(made[len(made) - size :])
    if verdict.decision is Decision.ABSTAIN or not began or not ended or set(began) & set(ended):
        return verdict
    because = f"the trial is void: it began with {', '.join(began)} and ended with {', '.join(ended)}"
    return replace(verdict, decision=Decision.ABSTAIN, reason=because, early=False)


def _is_in_vain(trial: Trial, task: Task) -> bool:
    """Tell whether no answer of either version met a request in a few pairs."""
    own = [pair for pair in trial.pairs if pair.task == task.id]
    return len(own) >= IN_VAIN and not any(pair.before or pair.after for pair in own)


def _rounds_to_look(
    trial: Trial, val: Sequence[Task], rule: GateRule, *, left: int, begun: bool, by_hand: bool
) -> int:
    """Return how many rounds are laid out before the gate is asked again."""
    if rule.name != "sequential" or not val:
        return max(1, min(left, 1))
    own = [task for task in val if not trial.lessons or task.lesson in trial.lessons]
    bets = len({task.session or task.id for task in own})
    gain = USUAL_GAIN if by_hand else 1.0
    alpha, stakes = trial.alpha or rule.alpha, stakes_of(trial)
    most = rounds_to_win(trial.wealth, bets=bets, alpha=alpha, stakes=stakes, gain=gain)
    if most is None:
        return 1
    if by_hand:
        most = left if begun else max(most, left // 2)
    elif not begun or trial.margin:
        most = min(most, max(FIRST_LOOK, -(-FIRST_PAIRS // bets)))
    return max(1, min(most, left))


class _Rounds(NamedTuple):
    """Makes the attempts of a trial's next rounds, which draw samples from `first` on."""

    document: Document
    candidate: Document
    attempts: Making
    rule: GateRule
    first: int

    def ask(
        self, val: Sequence[Task], size: int, *, part: float, trial: Trial
    ) -> tuple[tuple[Rollout, ...], bool, Lost]:
        """Attempt these tasks in so many rounds; tell if the rest of one wasn't asked, as the candidate is behind.

        What was made once more, and has a score now, is counted as lost all the same: were it not, a version that
        loses the attempts that went wrong would be given second ones.
        """
        some = math.ceil(part * len(val))
        if size > 1 or not 0 < some < len(val):
            made, again = self._attempt(val, size)
            return made, False, again
        made, again = self._attempt(val[:some], 1)
        paired = pair_up(trial, val[:some], made, self.rule)
        gains = [pair.gain for pair in (*trial.pairs, *trial.lost_attempts, *paired.pairs, *paired.lost_attempts)]
        if math.fsum(gains) < -noise(gains):
            return made, True, again
        rest, more = self._attempt(val[some:], 1)
        return made + rest, False, added(again, more)

    def _attempt(self, val: Sequence[Task], size: int) -> tuple[tuple[Rollout, ...], Lost]:
        """Attempt each task under both versions; what an outage took from one of a pair is attempted once more."""
        jobs: list[Job] = []
        for sample in range(self.first, self.first + size):
            for task in val:
                jobs.append((task, self.document, sample))
                jobs.append((task, self.candidate, CANDIDATE_SAMPLES + sample))
        if not jobs:
            return (), Lost()
        label = f"trial {self.document.id}"
        made = list(in_pairs(self.attempts, jobs, label=label))
        lost: list[int] = []
        for place in range(0, len(made), 2):
            unscored = [at for at in (place, place + 1) if made[at].score is None]
            if len(unscored) == 1 and not failed_by_itself(made[unscored[0]].trajectory):
                lost += unscored
        if not lost or self.rule.name != "sequential":
            return tuple(made), Lost()
        for place, attempt in zip(
            lost, self.attempts.make([jobs[place] for place in lost], label=label), strict=True
        ):
            made[place] = attempt
        scored = [place for place in lost if made[place].score is not None]
        after = len([place for place in scored if place % 2])
        return tuple(made), Lost(before=len(scored) - after, after=after)


def added(one: Lost, other: Lost) -> Lost:
    """Return the sum of two counts of lost pairs."""
    return Lost(before=one.before + other.before, after=one.after + other.after, both=one.both + other.both)


def _with_round(trial: Trial, paired: Paired) -> Trial:
    """Add one round to the trial."""
    new = replace(trial, pairs=paired.pairs, lost_attempts=paired.lost_attempts).bets
    return replace(
        trial,
        pairs=(*trial.pairs, *paired.pairs),
        lost_attempts=(*trial.lost_attempts, *paired.lost_attempts),
        lost=added(trial.lost, paired.lost),
        repeated=trial.repeated + paired.repeated,
        rounds=trial.rounds + 1,
        wealth=bet(trial.wealth, [lifted(gain, trial.margin) for gain in new], stakes=stakes_of(trial)),
    )


def pooled(trials: Sequence[Trial]) -> Trial:
    """Return the pairs of several trials as one, to be told: no bet is placed on them."""
    if len(trials) == 1:
        return trials[0]
    pairs: list[Pair] = []
    lost_attempts: list[Pair] = []
    lessons: dict[str, None] = {}
    models: dict[str, None] = {}
    lost = Lost()
    for trial in trials:
        pairs += trial.pairs
        lost_attempts += trial.lost_attempts
        lessons |= dict.fromkeys(trial.lessons)
        models |= dict.fromkeys(trial.models)
        lost = added(lost, trial.lost)
    return Trial(
        lessons=tuple(lessons),
        pairs=tuple(pairs),
        lost_attempts=tuple(lost_attempts),
        lost=lost,
        repeated=sum(trial.repeated for trial in trials),
        rounds=max(trial.rounds for trial in trials),
        gain=shrunk([pair.gain for pair in pairs]),
        interval=gain_interval(bets_of(pairs)),
        calls=sum(trial.calls for trial in trials),
        models=tuple(models),
        judges=added_up(judge for trial in trials for judge in trial.judges),
    )
