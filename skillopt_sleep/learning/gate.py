"""Decide on a trial: whether the candidate does better on tasks that reflection never saw."""

import math
from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.statistics import (
    NO_LOSS_STAKES,
    STAKES,
    gain_interval,
    lifted,
    noise,
    pairs_to_go,
    shrunk,
    sign_test,
)
from skillopt_sleep.records import (
    UNKNOWN,
    UNVERIFIED,
    Decision,
    GateRule,
    Pair,
    Trial,
    Verdict,
    bets_of,
    solved,
    tries,
)

WORSE_LEVEL = 0.1  # a task counts as worse at this p or less (sign test)
VOID_LEVEL = 0.125  # a trial is void at this p or less (two-sided sign test): 4 lost of one arm, 0 of the other
FAR = 150  # pairs: what needs more like those so far isn't waited for
ONE_SESSION = "all of one session; an unseen task of another one can prove it"
EARLY = "proven on one of the two sessions it takes"
EARLY_ALPHA = 0.05  # so rarely does what is useless look proven on one session
SESSIONS = 2  # with a gain, at least
NO_LOSS_MARGIN = 0.1  # points that may be lost on the mean where nothing has to be gained
NO_LOSS_PAIRS = 128  # after which it isn't asked any more whether a removal loses nothing
NO_LOSS_ROUNDS = 2  # in which only a removal that loses far too much is stopped
LOST_SHARE = 0.2  # of the tasks that the old version could be scored on; without so many means compare nothing
LOST_LEAST = 2
REPEATS = (
    "only two sessions test it: if your model always decides alike on the same request, chance alone shows this in"
    " 7 of 100"
)


def stakes_of(trial: Trial) -> tuple[float, ...]:
    """Return the stakes of a trial's bet."""
    return NO_LOSS_STAKES if trial.margin else STAKES


def gate(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict so far, or None if the rule wants another round; `last` says that there is none.

    `sequential` accepts when the bet on the candidate has won 1/alpha, the trial's own share if it has one. A rule
    with its lessons must also gain in more than half of its sessions, and in two at least: ⌈(n+2)/2⌉ of n. `strict`
    (SkillOpt's rule) reads the means after the last round and accepts if the candidate's is greater, `greedy` accepts
    what was applied. With a margin the bet is that the candidate loses less than that, and no gain is required.
    Except for `greedy`, the verdict is abstain if no pair was scored, or if mostly one version's attempts failed.
    """
    verdict = _decide(trial, rule, last=last)
    if verdict is not None and verdict.early:
        trial = replace(trial, alpha=EARLY_ALPHA)
    return verdict and replace(verdict, error_rate=error_rate(trial, rule))


def error_rate(trial: Trial, rule: GateRule) -> str:
    """Say what is known of the error rate with which a trial is decided."""
    if rule.name == "strict":
        return UNKNOWN
    if rule.name == "greedy":
        return UNVERIFIED
    share = f"{100 * (trial.alpha or rule.alpha):.3g} %"
    if trial.margin:
        points = f"{100 * trial.margin:.3g} points"
        return f"if removing it lost {points}, the chance of that was at most {share} (this judge, these requests)"
    return f"the chance of accepting it if it does nothing was at most {share} (this judge, these requests)"


def of_tonight(trial: Trial, alpha: float) -> str:
    """Say the error rate of a rule that a night proposes, all of whose rules share `alpha`, and where it helped."""
    helped, n = sessions_gained(trial)
    said = (
        f"the chance that the night proposed any rule that does nothing was at most {100 * alpha:.3g} %"
        f" (this judge, these requests); this one helped in {helped} of {n} sessions"
    )
    return f"{said}; {REPEATS}" if n == SESSIONS else said


def sessions_gained(trial: Trial) -> tuple[int, int]:
    """Return in how many sessions a candidate did better on the whole, and how many tested it."""
    gains = defaultdict[str, float](float)
    for pair in trial.own:
        gains[pair.session or pair.task] += pair.gain
    return len([gain for gain in gains.values() if gain > 0]), len(gains)


def sessions_needed(trial: Trial) -> int:
    """Return in how many of its sessions a candidate must gain."""
    _, n = sessions_gained(trial)
    return math.ceil((n + 2) / 2) if trial.lessons else SESSIONS


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
    if rule.name == "sequential" and not trial.margin and math.fsum(trial.bets) < -noise(trial.bets):
        lost = f"worse: no attempt under the new version ended with an answer ({tries(len(trial.lost_attempts))})"
        return _verdict(Decision.REJECT, lost, rule)
    return _verdict(Decision.ABSTAIN, "no unseen task could be scored under both versions", rule)


def _strict(trial: Trial, rule: GateRule) -> Verdict:
    net = trial.lost.after - trial.lost.before
    if net >= LOST_LEAST and net > LOST_SHARE * (len(trial.pairs) + net):
        return _void(trial, rule)
    decision = Decision.REJECT
    if math.fsum(trial.gains) > 0 and _total_gain(trial.own) > 0:
        decision = Decision.ACCEPT
    return _verdict(decision, numbers_of(trial), rule)


def _sequential(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    if _is_one_sided(trial):
        return _void(trial, rule)
    is_narrow = sessions_gained(trial)[1] < SESSIONS
    won = has_won(trial, rule)
    if won and not is_narrow:
        return _proven(trial, rule, last=last)
    numbers = numbers_of(trial)
    if not won and _is_hopeless(trial):
        if not trial.margin and _total_gain(trial.own) > 0:
            why = "but not if each session counts once"
            if trial.lost_attempts:
                which = counted(len(trial.lost_attempts), "attempt")
                why = f"but {which} under the new version ended without an answer"
            numbers = f"{numbers}, {why}"
        return _verdict(Decision.REJECT, numbers, rule)
    if is_narrow:
        return _narrow(trial, rule, last=last)
    if not last:
        return None
    more = more_pairs(trial, rule)
    if more is None or more > FAR:
        return _verdict(Decision.REJECT, f"{numbers}, but by too little to be proved within {FAR} more pairs", rule)
    return _verdict(Decision.UNDECIDED, f"{numbers}; {what_would_decide(trial, more)}", rule)


def what_would_decide(trial: Trial, more: int) -> str:
    """Say what an undecided trial needs: about so many `more` pairs, or new requests where answers repeat."""
    if trial.repeated:
        same = counted(trial.repeated, "pair of answers was", "pairs of answers were")
        return f"{same} as before word for word, which counts once; a new request can decide it"
    return f"about {more} more tries like these would decide it"


def put_off(trial: Trial, rule: GateRule, *, tries: int) -> Verdict | None:
    """Return that a trial waits for another night if more than so many tries would decide it, else None."""
    more = more_pairs(trial, rule)
    if sessions_gained(trial)[1] < SESSIONS or (more is not None and more <= tries):
        return None
    reason = f"{numbers_of(trial)}; put off, as tonight's rounds would hardly decide it"
    return replace(_verdict(Decision.UNDECIDED, reason, rule), error_rate=error_rate(trial, rule))


def _is_one_sided(trial: Trial) -> bool:
    """Tell whether one version lost so many more attempts that the rest compares nothing.

    What the candidate lost by itself is in the bet as its worst case already.
    """
    lost = trial.lost
    outages = lost.after - len(trial.lost_attempts)
    chance = min(sign_test(lost.before, lost.after), sign_test(outages, lost.before))
    return 2 * chance <= VOID_LEVEL


def more_pairs(trial: Trial, rule: GateRule) -> int | None:
    """Return about how many more pairs like those so far decide a trial, None if they never would."""
    more = pairs_to_go(trial.wealth, pairs=trial.n, alpha=trial.alpha or rule.alpha)
    if not trial.margin:
        return more
    most = NO_LOSS_PAIRS - trial.n
    return min(more or most, most)


def has_won(trial: Trial, rule: GateRule) -> bool:
    """Return whether the bet on the candidate's grades has won."""
    return trial.evidence is not None and trial.evidence >= 1 / (trial.alpha or rule.alpha)


def _is_hopeless(trial: Trial) -> bool:
    """Return whether the bet is lost for all that can be seen; to stop early costs power, never validity.

    A bet that nothing is lost wins slowly: bad luck in a round or two doesn't end it, but so many pairs do.
    """
    bets = [lifted(gain, trial.margin) for gain in trial.bets]
    total, spread = math.fsum(bets), noise(bets)
    if not trial.margin:
        return total < -spread or (total <= 0 and trial.rounds > 1)
    if trial.n >= NO_LOSS_PAIRS:
        return True
    return (trial.rounds > 1 and total < -2 * spread) or (trial.rounds > NO_LOSS_ROUNDS and total < -spread)


def _narrow(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict on a candidate that only another session can prove; None while it may become early."""
    numbers = numbers_of(trial)
    if trial.lessons and not trial.margin:
        won = trial.evidence is not None and trial.evidence >= 1 / EARLY_ALPHA
        if won and not _is_small(trial, rule) and not _count_worse(trial, rule):
            return replace(_verdict(Decision.UNDECIDED, f"{numbers}, {EARLY}", rule), early=True)
        if not last:
            return None
    return _verdict(Decision.UNDECIDED, f"{numbers}, {ONE_SESSION}", rule)


def _void(trial: Trial, rule: GateRule) -> Verdict:
    lost = f"{trial.lost.before} attempts under the old version and {trial.lost.after} under the new one"
    return _verdict(Decision.ABSTAIN, f"the trial is void: {lost} could not be scored", rule)


def _proven(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the verdict on a candidate that is better on the whole, or no worse if that is enough."""
    numbers = numbers_of(trial)
    worse, small = _count_worse(trial, rule), _is_small(trial, rule)
    (helped, n), needed = sessions_gained(trial), sessions_needed(trial)
    if trial.margin:
        helped = n
    if not worse and not small and helped >= needed:
        return _verdict(Decision.ACCEPT, numbers, rule)
    if not last:
        return None
    if worse:
        which = counted(worse, "task")
        return _verdict(Decision.REJECT, f"{numbers}, but {which} of {len(_by_task(trial.pairs))} got worse", rule)
    if small:
        return _verdict(Decision.REJECT, f"{numbers}, but by less than min_effect = {rule.min_effect:g}", rule)
    sessions = "session" if n == 1 else "sessions"
    because = f"{numbers}, but in {helped} of {n} {sessions}, where it takes {needed}"
    return _verdict(Decision.UNDECIDED, because, rule)


def _is_small(trial: Trial, rule: GateRule) -> bool:
    """Return whether the gain on its own lessons isn't worth an edit."""
    return not trial.margin and (shrunk([pair.gain for pair in trial.own]) or 0.0) < rule.min_effect


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
    level = WORSE_LEVEL / len(tasks) if trial.margin and tasks else WORSE_LEVEL
    return len([pairs for pairs in tasks if _is_worse(pairs, rule, level)])


def _is_worse(pairs: Sequence[Pair], rule: GateRule, level: float) -> bool:
    """Return whether a task got worse by more than `min_effect`, and more often than by chance."""
    losses = len([pair for pair in pairs if pair.gain < 0])
    gains = len([pair for pair in pairs if pair.gain > 0])
    return -_total_gain(pairs) / len(pairs) > rule.min_effect and sign_test(losses, gains) <= level


def numbers_of(trial: Trial) -> str:
    """Describe in a word how the candidate did, with the means before and after and the number of pairs.

    A lower mean is called worse only if the interval of the gain ends below 0.
    """
    total = math.fsum([lifted(pair.gain, trial.margin) for pair in trial.own])
    if total > 0:
        word = "no worse" if trial.margin else "better"
    elif total < 0 or trial.margin:
        interval = gain_interval(bets_of(trial.own), stakes=stakes_of(trial))
        word = "worse" if interval is not None and interval[1] < 0 else "lower"
    else:
        word = "no better"
    counts = solved(trial.own)
    if counts is None:
        return f"{word}: grade {trial.before:.2f} → {trial.after:.2f} on unseen requests ({trial.counted})"
    said = f"{word}: solved {counts.before} of {counts.n} before and {counts.after} of {counts.n} with the change"
    gain = _total_gain(trial.own)
    if gain and (counts.after - counts.before) * gain <= 0:
        said += f", grade {trial.before:.2f} → {trial.after:.2f}"
    return f"{said}, on {'1 unseen request' if counts.requests == 1 else f'{counts.requests} unseen requests'}"


def _verdict(decision: Decision, reason: str, rule: GateRule) -> Verdict:
    return Verdict(decision=decision, reason=reason, rule=f"{rule.name}, {rule.metric}")
