"""Measure evidence that may be read at any time: bet that the paired differences are positive.

A stake λ multiplies its wealth by 1 + λd for every difference d in [-1, 1]; all pairs of a round are bet on with the
same stakes, and the wealth is read at round ends only. If the mean of the differences isn't positive, no wealth grows
in expectation, whatever was seen before, so the mean over the stakes ever reaches 1/α with probability α at most
(Ville). Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024).

Few and large stakes: trials are short, and small stakes only win in long ones. On binary scores at α = .05, 7 tasks
and 5 rounds these three accept .5 → .8 on 55 % of nights (10 stakes from .1 to .95: 53 %, predictable aGRAPA stakes:
52 %), within 15 rounds on 98 % (97, 94), and 0 → .9 after one round on 85 % (46, 85).

A bet that nothing is lost wins little with each pair, and one loss costs a large stake what many pairs won, so its
stakes are smaller. With a margin of .1 and 128 pairs, of which a tenth lose and a tenth gain by chance, they win in
44 of 100 trials (.03 each: 79); if the mean loss is .05 in 9, if it is .1 in fewer than 1.

Not taken: half of α spent on exact sign flips in the first night (O'Brien-Fleming, 8 rounds), half on this bet.
On 4,000 chains at .05 it finds +.3 on 57.4 / 85.2 % of first nights (4 / 7 tasks; the bet 49.5 / 76.5), but within
three on 76.3 / 89.9 (77.8 / 90.8), and +.15 on 22.7 / 35.2 (25.9 / 37.1), as candidates wait. If .75 is spent,
evenly, edits of ±.3 by the toss of a coin pass on 9.1 % of first nights at 4 tasks (6.3). Flips of whole sessions
don't find +.3 more often. More stakes (.1, .2) make the interval wider up to 40 pairs, and no narrower at 60.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

STAKES = (0.4, 0.65, 0.95)
NO_LOSS_STAKES = (0.1, 0.2, 0.4)
_LARGEST_LOG = 700.0  # e to a larger power isn't a float
_HALVINGS = 20
_TOO_MANY_PAIRS = 1_000_000


def start(stakes: Sequence[float]) -> tuple[float, ...]:
    """Return the logarithms of the wealth that each of the stakes begins with."""
    return (0.0,) * len(stakes)


def bet(
    wealth: Sequence[float], differences: Iterable[float], *, stakes: Sequence[float] = STAKES
) -> tuple[float, ...]:
    """Return the logarithms of the wealth of each stake after a round, given those before it."""
    round_differences = list(differences)
    after: list[float] = []
    for log_wealth, stake in zip(wealth, stakes, strict=True):
        after.append(log_wealth + math.fsum(math.log1p(stake * difference) for difference in round_differences))
    return tuple(after)


def lifted(difference: float, margin: float) -> float:
    """Return the difference as it is bet on if the claim is that its mean isn't below -margin; at least -1."""
    return (difference + margin) / (1 - margin)


def statistic(wealth: Sequence[float]) -> float:
    """Return the e-value: what a start of 1 has become, as the mean over the stakes."""
    return math.fsum(math.exp(min(log_wealth, _LARGEST_LOG)) for log_wealth in wealth) / len(wealth)


def rounds_to_win(
    wealth: Sequence[float], *, bets: int, alpha: float, stakes: Sequence[float] = STAKES, gain: float = 1.0
) -> int | None:
    """Return in how many rounds of so many bets the bet is won if each gains so much; None if it can't be."""
    if not bets:
        return None
    best = [bets * math.log1p(stake * gain) for stake in stakes]
    rounds = 0
    while statistic(wealth) < 1 / alpha:
        wealth = [log_wealth + more for log_wealth, more in zip(wealth, best, strict=True)]
        rounds += 1
    return rounds


def gain_interval(
    differences: Sequence[float], *, alpha: float = 0.05, stakes: Sequence[float] = STAKES
) -> tuple[float, float] | None:
    """Return bounds for the mean difference that hold at any stopping time, or None if there are no differences.

    Each bound is wrong with probability alpha at most. The lower one is the largest mean that the same bet refutes at
    1/alpha, so it is above 0 exactly if the bet against 0 has been won, and above -margin if that on the `lifted`
    differences has; the upper one is that of the reversed differences.
    """
    if not differences:
        return None
    counts = Counter(differences)
    reversed_counts = {-difference: count for difference, count in counts.items()}
    return _lower_bound(counts, alpha, stakes), -_lower_bound(reversed_counts, alpha, stakes)


def _lower_bound(counts: Mapping[float, int], alpha: float, stakes: Sequence[float]) -> float:
    low, high = -1.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if statistic(_wealth_against(counts, middle, stakes)) >= 1 / alpha:
            low = middle
        else:
            high = middle
    return low


def _wealth_against(counts: Mapping[float, int], mean: float, stakes: Sequence[float]) -> tuple[float, ...]:
    """Return the wealth of a bet that the mean difference is above this one."""
    wealth: list[float] = []
    for stake in stakes:
        logs = [count * math.log1p(stake * lifted(difference, -mean)) for difference, count in counts.items()]
        wealth.append(math.fsum(logs))
    return tuple(wealth)


def pairs_to_go(wealth: Sequence[float], *, pairs: int, alpha: float) -> int | None:
    """Return about how many more pairs like those so far would win the bet, or None if they never would."""
    best = max(wealth, default=0.0)
    # All but the best stake lose in the long run, so only its share of the start grows.
    missing = math.log(max(1, len(wealth)) / alpha) - best
    if not pairs or best * _TOO_MANY_PAIRS < missing * pairs:
        return None
    return max(1, math.ceil(missing / (best / pairs)))
