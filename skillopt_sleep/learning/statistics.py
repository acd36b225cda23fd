"""Statistics of paired differences: means and noise of few values, and a bet that may be read at any time.

The bet is that the differences are positive. A stake λ multiplies its wealth by 1 + λd for every difference d in
[-1, 1]. If the mean of the differences isn't positive, no wealth grows in expectation, so the mean over the stakes
ever reaches 1/α with probability α at most (Ville). Waudby-Smith & Ramdas, "Estimating means of bounded random
variables by betting", JRSS B 86 (2024). Trials are short, so the stakes are few and large; those of a bet that
nothing is lost are smaller, because one loss costs a large stake what many pairs won.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist

_USUAL_GAIN = 0.4  # standard deviation of the prior: how far gains of edits are from zero, before any is seen


def noise(values: Sequence[float]) -> float:
    """Return the standard deviation of the sum of such values, were each as likely to have the other sign."""
    squares = [value * value for value in values]
    return math.sqrt(math.fsum(squares))


def sign_test(wins: int, losses: int) -> float:
    """Return the probability of at least so many wins if wins and losses are as likely (one-sided, exact)."""
    n = wins + losses
    return sum(math.comb(n, k) for k in range(wins, n + 1)) / 2**n


def shrunk(differences: Sequence[float]) -> float | None:
    """Return the mean difference corrected for selection, or None if there are no differences.

    The posterior mean under a normal prior around no gain: a mean far above its noise hardly moves, any other shrinks
    towards 0 (van Zwet & Cator, "The significance filter, the winner's curse and the need to shrink", 2021).
    """
    if not differences:
        return None
    n = len(differences)
    average = math.fsum(differences) / n
    # One more difference, a whole 1 off the mean, keeps equal ones from looking certain.
    variance = (math.fsum((difference - average) ** 2 for difference in differences) + 1) / n
    return average * _USUAL_GAIN**2 / (_USUAL_GAIN**2 + variance / n)


def wilson(share: float, n: int, *, level: float) -> tuple[float, float]:
    """Return Wilson's interval of a share that was seen in `n` draws; the share itself is always in it."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


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
