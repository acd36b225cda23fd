"""Accept a candidate that isn't better as a saving: it is proven to reach the same with fewer tokens.

The bet is on the share of tokens that a pair of sealed attempts saves, measured by the dearer of both. If an edit
changes nothing, both attempts of a pair take as much in distribution, so the share is symmetric around 0 however far
tokens scatter, and the bet is as fair as that on grades (kit/betting.py). An attempt that does worse, fails or isn't
scored is a pair lost: giving up early is no saving.

- A SHARE of the trial's error rate is the saving's, fixed before anything is seen, the rest is left for showing that
  the candidate is better: a useless edit passes either way with the trial's own rate at most.
- The bet must be won without whichever session saved most, so one task alone, however large, never carries it. Where
  only one session saves, the others' bet is fair: that passes as rarely as what saves nothing.
- The mean of the others must be a saving of LEAST, and neither turns nor tokens may have grown in sum. Seconds depend
  on what else the machine does, so they are shown and decide nothing.
- Grades must be proven not to lose NO_LOSS_MARGIN on the mean. That is another claim with an error rate of its own: a
  candidate that loses as much is taken for no worse with LOSS_LEVEL at most. No task may get worse beyond chance.

A bet that the saving is above LEAST, not above 0, finds 30 % in 3 of 100 nights instead of about half (7 tasks,
attempts that scatter by a factor of 1.65). So it is proven that something is saved, and estimated that it is worth an
edit, as for a gain.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.betting import STAKES, bet, gain_interval, lifted, pairs_to_go, start, statistic
from skillopt_sleep.kit.stats import mean, noise, shrunk
from skillopt_sleep.learning.gate import FAR, NO_LOSS_MARGIN, count_worse, gate, is_narrow, numbers_of
from skillopt_sleep.records import (
    WORST,
    Decision,
    Effort,
    GateRule,
    Pair,
    Rollout,
    Trial,
    Verdict,
    savings_of,
)

SHARE = 0.2
LEAST = 0.1
LOSS_LEVEL = 0.01
_UNSCORED = ""
_Bets = Mapping[str, Sequence[float]]


def saving_alpha(rule: GateRule, first_round: Iterable[Rollout]) -> float:
    """Return the part of a trial's error rate for a saving: none if its first round was made in words."""
    if rule.name != "sequential" or rule.margin:
        return 0.0
    sealed = any(attempt.trajectory.seal for attempt in first_round)
    return SHARE * rule.alpha if sealed else 0.0


def either_way(trial: Trial, rule: GateRule, *, last: bool) -> Verdict | None:
    """Return the gate's verdict on the grades, or on what the attempts took if the grades don't show a gain."""
    verdict = gate(trial, rule, last=last)
    if not trial.saving_alpha or is_narrow(trial):
        return verdict
    if verdict is None or verdict.decision not in {Decision.REJECT, Decision.UNDECIDED}:
        return verdict
    bets = _bets(trial)
    if _is_proven(bets, trial) and _is_no_worse(trial, rule):
        taken = effort(trial.staked)
        if taken is not None and taken.is_less:
            return _accepted(verdict, taken, trial, rule)
    if not _is_hopeful(bets, trial, rule):
        return verdict
    if not last:
        return None
    more = _pairs_to_go(bets, trial)
    if verdict.decision is Decision.UNDECIDED or more is None or more > FAR:
        return verdict
    because = (
        f"{numbers_of(trial, rule)}, with fewer tokens so far;"
        f" about {more} more tries like these would show whether it reaches the same with less"
    )
    return replace(verdict, decision=Decision.UNDECIDED, reason=because)


def effort(pairs: Sequence[Pair]) -> Effort | None:
    """Return what both versions took in these pairs; None if no pair of sealed attempts was scored."""
    known = [pair for pair in pairs if pair.took is not None and pair.took[1].tokens]
    taken = [pair.took for pair in known if pair.took is not None]
    bets = [share for shares in savings_of(pairs).values() for share in shares]
    interval = gain_interval(bets)
    if not taken or interval is None:
        return None
    return Effort(
        turns=_both([old.turns for old, _ in taken], [new.turns for _, new in taken]),
        tokens=_both([old.tokens for old, _ in taken], [new.tokens for _, new in taken]),
        seconds=_both([old.seconds for old, _ in taken], [new.seconds for _, new in taken]),
        saved=mean(bets) or 0.0,
        interval=interval,
        n=len(known),
        requests=len({pair.task for pair in known}),
    )


def _both(before: Sequence[float], after: Sequence[float]) -> tuple[float, float]:
    return mean(before) or 0.0, mean(after) or 0.0


def _bets(trial: Trial) -> _Bets:
    """Return the shares saved in each round, by session; a candidate's attempt that wasn't scored lost its own."""
    unscored = trial.lost_after - len(trial.lost_attempts)
    return savings_of(trial.staked) | {_UNSCORED: (WORST,) * unscored}


def _without_each(bets: _Bets) -> list[list[float]]:
    """Return the bets without those of each session in turn."""
    others: list[list[float]] = []
    for left_out in bets:
        if left_out != _UNSCORED:
            others.append([share for session, shares in bets.items() if session != left_out for share in shares])
    return others


def _is_proven(bets: _Bets, trial: Trial) -> bool:
    """Return whether tokens are saved whichever session is left out, and by enough."""
    without_each = _without_each(bets)
    for others in without_each:
        won = statistic(bet(start(STAKES), others)) >= 1 / trial.saving_alpha
        if not won or (shrunk(others) or 0.0) < LEAST:
            return False
    return bool(without_each)


def _is_no_worse(trial: Trial, rule: GateRule) -> bool:
    """Return whether it is proven that the candidate doesn't lose the margin, and no task got worse beyond chance."""
    return statistic(_no_loss_wealth(trial)) >= 1 / LOSS_LEVEL and not count_worse(trial, rule)


def _no_loss_wealth(trial: Trial) -> tuple[float, ...]:
    """Return the wealth of the bet that nothing is lost. Mostly no pair differs, so its stakes are large."""
    return bet(start(STAKES), [lifted(gain, NO_LOSS_MARGIN) for gain in trial.bets])


def _is_hopeful(bets: _Bets, trial: Trial, rule: GateRule) -> bool:
    """Return whether the tokens saved are beyond chance and may be enough, at no loss; ending costs power at most."""
    shares = [share for each in bets.values() for share in each]
    total, spread, gained = math.fsum(shares), noise(shares), trial.bets
    if math.fsum(gained) < -noise(gained) or count_worse(trial, rule):
        return False
    if total + spread < LEAST * len(shares):
        return False
    return total > 0 and (trial.rounds == 1 or total > spread)


def _pairs_to_go(bets: _Bets, trial: Trial) -> int | None:
    """Return about how many more pairs like these would prove the saving, None if they never would."""
    needed = pairs_to_go(_no_loss_wealth(trial), pairs=len(trial.bets), alpha=LOSS_LEVEL)
    n = sum(map(len, bets.values()))
    for others in _without_each(bets):
        more = pairs_to_go(bet(start(STAKES), others), pairs=len(others), alpha=trial.saving_alpha)
        if more is None or needed is None:
            return None
        needed = max(needed, math.ceil(more * n / len(others)))
    return needed


def _accepted(verdict: Verdict, taken: Effort, trial: Trial, rule: GateRule) -> Verdict:
    points = f"{100 * NO_LOSS_MARGIN:.3g} points"
    return replace(
        verdict,
        decision=Decision.ACCEPT,
        saving=True,
        reason=f"{taken.as_saving}; {numbers_of(trial, rule)}",
        error_rate=(
            f"{verdict.error_rate}; if it lost {points} on them, the chance of taking it for no worse"
            f" was at most {100 * LOSS_LEVEL:.3g} %"
        ),
    )
