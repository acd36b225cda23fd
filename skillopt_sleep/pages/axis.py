"""Lay out an axis: its range of values, and few round values that are labelled on it."""

import math

from skillopt_sleep.records import Record


class Tick(Record, frozen=True, kw_only=True):
    """A labelled place on an axis."""

    at: float
    label: str


class Scale(Record, frozen=True, kw_only=True):
    """A range of values that fills an axis."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Return the place of a value in percent of the axis, from its low end."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most so many round values from `low` to `high`, as far apart as 1, 2 or 5 times a power of ten."""
    span = high - low
    if span <= 0:
        return [low]
    power = 10 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10, 20, 50):
        gap = power * factor
        first, last = math.ceil(low / gap - 1e-9), math.floor(high / gap + 1e-9)
        if last - first < most:
            return [round(number * gap, 10) for number in range(first, last + 1)]
    return [low]
