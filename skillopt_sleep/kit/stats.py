"""Small-sample statistics that say how little is known."""

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """The mean, or None of nothing."""
    return math.fsum(values) / len(values) if values else None


def gain_interval(differences: Sequence[float], *, level: float = 0.95) -> tuple[float, float] | None:
    """An interval for the mean of differences in [-1, 1] that needs no assumption on their shape.

    Hoeffding's inequality (1963): mean ± sqrt(2 ln(2 / (1 - level)) / n), cut to [-1, 1]; None of nothing. It is
    wide: with few pairs it says that nothing is excluded, which is true.
    """
    if not differences:
        return None
    middle = math.fsum(differences) / len(differences)
    half = math.sqrt(2 * math.log(2 / (1 - level)) / len(differences))
    return (max(-1.0, middle - half), min(1.0, middle + half))
