"""Decide on a trial: whether the candidate does better on tasks that reflection never saw."""

import math
from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.betting import STAKES, gain_interval, lifted, pairs_to_go
from skillopt_sleep.kit.stats import noise, shrunk, sign_test
from skillopt_sleep.learning.claim import error_rate
from skillopt_sleep.records import Decision, GateRule, Metric, Pair, Score, Trial, Verdict, bets_of, solved, tries

WORSE_LEVEL = 0.1  # so unlikely must the losses of an unharmed task be, before it counts as worse
VOID_LEVEL = 0.05  # so unlikely must it be that failures fall on both versions alike, before the trial is void
FAR = 150  # pairs: what needs more like those so far isn't waited for
ONE_SESSION = "all of one session; an unseen task of another one can prove it"
EARLY = "proven on one of the two sessions it takes"
EARLY_ALPHA = 0.05  # so rarely does what is useless look proven on one session
EARLY_ROUNDS = 8  # that a trial on one session may take
BREADTH = 2  # sessions of each edit's own lessons with a gain, at least
NO_LOSS_MARGIN = 0.1  # points that may be lost on the mean where nothing has to be gained
NO_LOSS_PAIRS = 128  # after which it isn't asked any more whether a removal loses nothing
NO_LOSS_ROUNDS = 2  # in which only a removal that loses far too much is stopped
LOST_SHARE = 0.2  # of the tasks that the old version could be scored on; without so many means compare nothing
LOST_LEAST = 2


def measure(score: Score, rule: GateRule) -> float:
    """Return a grade as the one number that is compared, in [0, 1]."""
    if rule.metric is Metric.HARD:
        return score.hard
    if rule.metric is Metric.SOFT:
        return score.soft
    return (1 - rule.mixed_weight) * score.hard + rule.mixed_weight * score.soft


def gate(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict so far, or None if the rule wants another round; `last` says that there is none.

    `sequential` accepts when the bet on the candidate has won 1/alpha, `strict` (SkillOpt's rule) reads the means
    after the last round and accepts if the candidate's is greater, `greedy` accepts what was applied. With a margin
    the bet is that the candidate loses less than that, and no gain is required. Except for `greedy`, the verdict is
    abstain if no pair was scored, or if mostly one version's attempts failed.
    """
    verdict = _decide(trial, rule, last=last)
    if verdict is None:
        return None
    return replace(verdict, error_rate=error_rate(trial, rule))


def _decide(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    if rule.name == "greedy":
        return _verdict(Decision.ACCEPT, "applied without a test", rule)
    if rule.name == "strict" and not last:
        return None
    if not trial.own:
        return _without_pairs(trial, rule, last=last)
    if rule.name == "strict":
        return _strict(trial, rule)
    return _sequential(trial, rule, last=last)


def _without_pairs(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict on a trial in which no task was scored under both versions."""
    if not trial.rounds and not last:
        return None
    if rule.name == "sequential" and not rule.margin and math.fsum(trial.bets) < -noise(trial.bets):
        lost = f"worse: no attempt under the new version ended with an answer ({tries(len(trial.lost_attempts))})"
        return _verdict(Decision.REJECT, lost, rule)
    return _verdict(Decision.ABSTAIN, "no unseen task could be scored under both versions", rule)


def _strict(trial: Trial, rule: GateRule) -> Verdict:
    net = trial.lost_after - trial.lost_before
    if net >= LOST_LEAST and net > LOST_SHARE * (len(trial.pairs) + net):
        return _void(trial, rule)
    decision = Decision.REJECT
    if math.fsum(trial.gains) > 0 and _total_gain(trial.own) > 0:
        decision = Decision.ACCEPT
    return _verdict(decision, _numbers_of(trial, rule), rule)


def _sequential(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    numbers = _numbers_of(trial, rule)
    fewer, more_lost = sorted((trial.lost_before, trial.lost_after))
    if 2 * sign_test(more_lost, fewer) <= VOID_LEVEL:
        return _void(trial, rule)
    won = has_won(trial, rule)
    if won and not _is_narrow(trial):
        return _proven(trial, rule, last=last)
    bets = [lifted(gain, rule.margin) for gain in trial.bets]
    if not won and _is_hopeless(bets, trial, rule):
        if not rule.margin and _total_gain(trial.own) > 0:
            numbers = f"{numbers}, {_why_lost(trial)}"
        return _verdict(Decision.REJECT, numbers, rule)
    if _is_narrow(trial):
        return _narrow(trial, rule, last=last)
    if not last:
        return None
    more = pairs_to_go(trial.wealth, pairs=trial.n, alpha=rule.alpha)
    if rule.margin:
        most = NO_LOSS_PAIRS - trial.n
        more = min(more or most, most)
    if more is None or more > FAR:
        return _verdict(Decision.REJECT, f"{numbers}, but by too little to be proved within {FAR} more pairs", rule)
    return _verdict(Decision.UNDECIDED, f"{numbers}; about {more} more tries like these would decide it", rule)


def has_won(trial: Trial, rule: GateRule) -> bool:
    """Return whether the bet on the candidate's grades has won."""
    return trial.statistic is not None and trial.statistic >= 1 / rule.alpha


def _is_hopeless(bets: Sequence[float], trial: Trial, rule: GateRule) -> bool:
    """Return whether the bet is lost for all that can be seen; to stop early costs power, never validity.

    A bet that nothing is lost wins slowly: bad luck in a round or two doesn't end it, but so many pairs do.
    """
    total, spread = math.fsum(bets), noise(bets)
    if not rule.margin:
        return total < -spread or (total <= 0 and trial.rounds > 1)
    if trial.n >= NO_LOSS_PAIRS:
        return True
    return (trial.rounds > 1 and total < -2 * spread) or (trial.rounds > NO_LOSS_ROUNDS and total < -spread)


def _why_lost(trial: Trial) -> str:
    """Say why the bet is lost though the mean of the pairs is better."""
    lost = len(trial.lost_attempts)
    if not lost:
        return "but not if each session counts once"
    which = "1 attempt" if lost == 1 else f"{lost} attempts"
    return f"but {which} under the new version ended without an answer"


def may_be_early(lessons: Sequence[Sequence[str]], rule: GateRule) -> bool:
    """Return whether a candidate can be proven on one session: all its edits are for the same lessons."""
    if rule.name != "sequential" or rule.margin or not lessons or not lessons[0]:
        return False
    return len({frozenset(each) for each in lessons}) == 1


def _is_narrow(trial: Trial) -> bool:
    """Return whether an edit's own pairs are all of one session: however often it is asked, that proves no more."""
    for lessons in trial.lessons or ((),):
        if len({pair.session for pair in trial.of(lessons)}) < BREADTH:
            return True
    return False


def _narrow(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict on a candidate that only another session can prove; None while it may become early."""
    numbers = _numbers_of(trial, rule)
    if may_be_early(trial.lessons, rule):
        won = trial.statistic is not None and trial.statistic >= 1 / EARLY_ALPHA
        if won and not _is_small(trial, rule) and not _count_worse(trial, rule):
            return replace(_verdict(Decision.UNDECIDED, f"{numbers}, {EARLY}", rule), early=True)
        if not last:
            return None
    return _verdict(Decision.UNDECIDED, f"{numbers}, {ONE_SESSION}", rule)


def _void(trial: Trial, rule: GateRule) -> Verdict:
    lost = f"{trial.lost_before} attempts under the old version and {trial.lost_after} under the new one"
    return _verdict(Decision.ABSTAIN, f"the trial is void: {lost} could not be scored", rule)


def _proven(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict on a candidate that is better on the whole, or no worse if that is enough."""
    numbers = _numbers_of(trial, rule)
    worse = _count_worse(trial, rule)
    small = _is_small(trial, rule)
    if not worse and not small and not lacking(trial, rule):
        return _verdict(Decision.ACCEPT, numbers, rule)
    if not last:
        return None
    if worse:
        which = "1 task" if worse == 1 else f"{worse} tasks"
        return _verdict(Decision.REJECT, f"{numbers}, but {which} of {len(_by_task(trial.pairs))} got worse", rule)
    if small:
        return _verdict(Decision.REJECT, f"{numbers}, but by less than min_effect = {rule.min_effect:g}", rule)
    return _verdict(Decision.UNDECIDED, f"{numbers}, but in one session only; a gain in another would prove it", rule)


def refused(trial: Trial, verdict: Verdict, rule: GateRule) -> Verdict:
    """Return the verdict on a candidate that won its bet but made other lessons worse."""
    named: list[str] = []
    for harm in trial.guard.harmed:
        named.append(f"«{harm.wording}» ({harm.before:.2f} → {harm.after:.2f}, n={harm.n})")
    which = "another lesson"
    if any(harm.together for harm in trial.guard.harmed):
        which = "other lessons taken together"
    elif len(named) > 1:
        which = f"{len(named)} other lessons"
    return _verdict(Decision.REJECT, f"{verdict.reason}, but it made {which} worse: {'; '.join(named)}", rule)


def unseen(lessons: int, verdict: Verdict, rule: GateRule) -> Verdict:
    """Return the verdict on a candidate that won its bet while an outage kept other lessons from being tried."""
    which = "another lesson" if lessons == 1 else f"{lessons} other lessons"
    because = f"{verdict.reason}, but an outage kept {which} from being tried, so nobody knows its harm"
    return _verdict(Decision.ABSTAIN, because, rule)


def unguarded(problem: str, verdict: Verdict) -> Verdict:
    """Return the verdict on a candidate that won its bet while the budget ended before its guard did."""
    because = f"{verdict.reason}, but {problem} before other lessons were asked, so nobody knows its harm"
    return replace(verdict, decision=Decision.UNDECIDED, reason=because, early=False)


def lacking(trial: Trial, rule: GateRule) -> tuple[int, ...]:
    """Return the places of the edits that aren't seen to help in two sessions of their own lessons."""
    places: list[int] = []
    for place, lessons in enumerate(trial.lessons or ((),)):
        sessions: set[str] = set()
        for pairs in _by_task(trial.of(lessons)):
            if rule.margin or _total_gain(pairs) > 0:
                sessions.add(pairs[0].session)
        if len(sessions) < BREADTH:
            places.append(place)
    return tuple(places)


def unharmed(trial: Trial, rule: GateRule) -> tuple[int, int]:
    """Return how many tasks of other lessons were tried, and how many of them didn't get worse beyond noise."""
    own = {pair.task for pair in trial.own}
    others = [pairs for pairs in _by_task(trial.pairs) if pairs[0].task not in own]
    fine = [pairs for pairs in others if not _is_worse(pairs, rule)]
    return len(others), len(fine)


def _is_small(trial: Trial, rule: GateRule) -> bool:
    """Return whether the gain on its own lessons isn't worth an edit."""
    return not rule.margin and (shrunk([pair.gain for pair in trial.own]) or 0.0) < rule.min_effect


def _by_task(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pairs of each task."""
    tasks = defaultdict[str, list[Pair]](list)
    for pair in pairs:
        tasks[pair.task].append(pair)
    return list(tasks.values())


def _total_gain(pairs: Sequence[Pair]) -> float:
    return math.fsum([pair.gain for pair in pairs])


def _count_worse(trial: Trial, rule: GateRule) -> int:
    """Count the tasks that got worse, if the rule forbids that."""
    if not rule.non_regression:
        return 0
    tasks = _by_task(trial.pairs)
    # Of the many tasks and rounds of a removal one or the other gets worse by chance.
    level = WORSE_LEVEL / len(tasks) if rule.margin and tasks else WORSE_LEVEL
    worse = [pairs for pairs in tasks if _is_worse(pairs, rule, level)]
    return len(worse)


def _is_worse(pairs: Sequence[Pair], rule: GateRule, level: float = WORSE_LEVEL) -> bool:
    """Return whether a task got worse by more than `min_effect`, and more often than by chance."""
    losses = gains = 0
    for pair in pairs:
        if pair.gain < 0:
            losses += 1
        elif pair.gain > 0:
            gains += 1
    lost = -_total_gain(pairs) / len(pairs)
    return lost > rule.min_effect and sign_test(losses, gains) <= level


def _numbers_of(trial: Trial, rule: GateRule) -> str:
    """Describe in a word how the candidate did, with the means before and after and the number of pairs.

    A lower mean is called worse only if the interval of the gain ends below 0.
    """
    total = math.fsum([lifted(pair.gain, rule.margin) for pair in trial.own])
    if total > 0:
        word = "no worse" if rule.margin else "better"
    elif total < 0 or rule.margin:
        word = "worse" if _is_proven_worse(trial) else "lower"
    else:
        word = "no better"
    counts = solved(trial.own)
    if counts is None:
        return f"{word}: grade {trial.before:.2f} → {trial.after:.2f} on unseen requests ({trial.counted})"
    said = f"{word}: solved {counts.before} of {counts.n} before and {counts.after} of {counts.n} with the change"
    gain = math.fsum([pair.gain for pair in trial.own])
    if gain and (counts.after - counts.before) * gain <= 0:
        said += f", grade {trial.before:.2f} → {trial.after:.2f}"
    return f"{said}, on {'1 unseen request' if counts.requests == 1 else f'{counts.requests} unseen requests'}"


def _is_proven_worse(trial: Trial) -> bool:
    interval = gain_interval(bets_of(trial.own), stakes=trial.stakes or STAKES)
    return interval is not None and interval[1] < 0


def _verdict(decision: Decision, reason: str, rule: GateRule) -> Verdict:
    return Verdict(decision=decision, reason=reason, rule=f"{rule.name}, {rule.metric}")
