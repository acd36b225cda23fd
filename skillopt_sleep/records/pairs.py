"""Pair: one validation task attempted under the baseline and under the candidate, and the bets that pairs make."""

import math
from collections import defaultdict
from collections.abc import Sequence

from skillopt_sleep.records.record import Record


class Pair(Record, frozen=True, kw_only=True):
    """The metric of one validation task and sample under the baseline and under the candidate.

    `request` tells the task's request from others of its session, which may test several lessons; it is a digest.
    `answers` are digests of what both arms answered, by which a target that repeats itself is known. `solved` says
    whether each arm did all that was asked; older versions didn't keep it.
    """

    task: str
    lesson: str = ""
    session: str = ""
    request: str = ""
    sample: int
    before: float
    after: float
    answers: tuple[str, str] = ("", "")
    solved: tuple[bool, bool] | None = None

    @property
    def gain(self) -> float:
        """Return how much better the candidate did."""
        return self.after - self.before


def bets_of(pairs: Sequence[Pair]) -> tuple[float, ...]:
    """Return the mean gain of each session in each round, which is one bet: its tasks share their luck."""
    gains = defaultdict[tuple[int, str], list[float]](list)
    for pair in pairs:
        gains[pair.sample, pair.session or pair.task].append(pair.gain)
    return tuple(math.fsum(values) / len(values) for values in gains.values())
