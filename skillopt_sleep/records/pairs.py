"""Pair: one validation task attempted under the baseline and under the candidate, and what pairs say in numbers."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum

from skillopt_sleep.records.record import Record, counted


class Pair(Record, frozen=True, kw_only=True):
    """The metric of one validation task and sample under the baseline and under the candidate.

    `request` tells the task's request from others of its session, which may test several lessons; it is a digest.
    `answers` are digests of what both arms answered, by which a target that repeats itself is known. `solved` says
    whether each arm did all that was asked.
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


class Solved(Record, frozen=True, kw_only=True):
    """The number of `n` attempts at the `requests` that did all that was asked, without the change and with it."""

    before: int
    after: int
    n: int
    requests: int


def solved(pairs: Iterable[Pair]) -> Solved | None:
    """Count the attempts that did all that was asked; None without pairs, or if one of them doesn't say it."""
    before = after = n = 0
    requests: set[tuple[str, str]] = set()
    for pair in pairs:
        if pair.solved is None:
            return None
        before += pair.solved[0]
        after += pair.solved[1]
        n += 1
        requests.add((pair.session, pair.request) if pair.request else ("", pair.task))
    if not n:
        return None
    return Solved(before=before, after=after, n=n, requests=len(requests))


def bets_of(pairs: Sequence[Pair]) -> tuple[float, ...]:
    """Return the mean gain of each session in each round, which is one bet: its tasks share their luck."""
    gains = defaultdict[tuple[int, str], list[float]](list)
    for pair in pairs:
        gains[pair.sample, pair.session or pair.task].append(pair.gain)
    return tuple(math.fsum(values) / len(values) for values in gains.values())


def mean_of(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return math.fsum(values) / len(values) if values else None


class Effect(StrEnum):
    """The effect of a single edit."""

    HELPED = "helped"
    NEUTRAL = "neutral"
    HARMFUL = "harmful"
    UNDECIDED = "undecided"


MIN_EFFECT = 0.05  # the smallest gain that is worth an edit, by default


def effect_of(interval: tuple[float, float] | None, *, min_effect: float = MIN_EFFECT) -> Effect:
    """Return what an interval of the mean gain shows: harm or help only if it leaves out 0.

    An edit is neutral only if a gain of more than `min_effect` is ruled out. What is neither isn't decided: that no
    gain was seen doesn't show that there is none.
    """
    if interval is None:
        return Effect.UNDECIDED
    low, high = interval
    if high < 0:
        return Effect.HARMFUL
    if low > 0:
        return Effect.HELPED
    if high <= min_effect:
        return Effect.NEUTRAL
    return Effect.UNDECIDED


def in_words(effect: Effect, *, n: int, gain: float | None = None) -> str:
    """Say an effect in plain words, with the number of paired tries if they decided nothing.

    `gain` is the mean gain that was seen: one that isn't proven is told apart from none.
    """
    words = {
        Effect.HELPED: "helped",
        Effect.NEUTRAL: "useless",
        Effect.HARMFUL: "harmful",
    }
    if effect in words:
        return words[effect]
    if not n:
        return "not tried"
    if gain is not None and gain > 0:
        return f"a gain seen but not proven ({tries(n)})"
    return f"no gain seen ({tries(n)})"


def tries(n: int) -> str:
    """Return a number of tries; each is a pair of attempts at one request, without the change and with it."""
    return counted(n, "try", "tries")
