"""Compute statistics of small samples."""

import math
from collections.abc import Sequence
from statistics import NormalDist

_USUAL_GAIN = 0.4  # standard deviation of the prior: how far gains of edits are from zero, before any is seen


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None if there are no values."""
    return math.fsum(values) / len(values) if values else None


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
