"""Estimate by how much the best skill's mean on val is too high because val chose that skill.

Each text that val was asked about has a mean gain over the initial skill, which nothing chose. Gains that differ by
luck alone spread as far as their errors say; what they spread beyond that is real. So the best gain is moved towards
the mean of all of them, by the share of luck in the spread (Efron & Morris, "Data analysis using Stein's estimator
and its generalizations", Journal of the American Statistical Association 70, 1975). An estimate of this kind is as
right for the best of many as for any (Efron, "Tweedie's formula and selection bias", the same journal 106, 2011).
"""

import math
from collections.abc import Iterable, Mapping
from statistics import fmean, variance
from typing import NamedTuple

from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.parts import CONFIRMING, Held, Parts

Grades = dict[str, list[float]]  # of one text: a val item, and the grades of the attempts at it
_LEAST = 2  # a spread needs as many values


class Gain(NamedTuple):
    """A text's mean gain over the initial skill, with the variance of this mean.

    Of that variance, `noise` is what comes from answers that differ from one time to the next; the rest comes from
    which items val has.
    """

    mean: float
    variance: float
    noise: float


def luck_of(parts: Parts, best: Held, initial: Held) -> float:
    """Return by how much the mean that is reported of the best skill is expected to be above its true quality.

    Passes that chose nothing repeat the luck that comes from val's items, but not that of answers which differ from
    one time to the next.
    """
    chosen, again = _grades(parts)
    return luck(chosen, again.get(best.document.sha, {}), best=best.document.sha, initial=initial.document.sha)


def luck(chosen: Mapping[str, Grades], again: Grades, *, best: str, initial: str) -> float:
    """Return the luck in the best text's mean.

    `chosen` are the grades of all texts that may have chosen the best one, `again` others of that one.
    """
    together = _together(chosen.get(best, {}), again)
    differing = _differing({**chosen, best: together}.values())
    gains: dict[str, Gain] = {}
    for text, grades in chosen.items():
        gain = _gain(grades, chosen.get(initial, {}), differing)
        if gain is not None and text != initial:
            gains[text] = gain
    own = gains.get(best)
    if own is None or len(gains) < _LEAST or not own.variance:
        return 0.0
    means = [gain.mean for gain in gains.values()]
    real = max(0.0, variance(means) - fmean(gain.variance for gain in gains.values()))
    too_high = (own.mean - fmean(means)) * own.variance / (real + own.variance)
    if again:
        too_high *= max(0.0, 1 - own.noise / own.variance)
    return max(0.0, too_high)


def _gain(grades: Grades, initial: Grades, differing: float) -> Gain | None:
    """Return a text's gain on the items that both have a grade of, None if these are too few to tell an error."""
    gains: list[float] = []
    shares: list[float] = []
    for item, own in grades.items():
        before = initial.get(item)
        if before:
            gains.append(fmean(own) - fmean(before))
            shares.append(1 / len(own) + 1 / len(before))
    if len(gains) < _LEAST:
        return None
    n = len(gains)
    return Gain(fmean(gains), variance(gains) / n, differing * fmean(shares) / n)


def _differing(texts: Iterable[Grades]) -> float:
    """Return the variance of grades of one text at one item, 0 if none was attempted twice."""
    squares: list[float] = []
    free = 0
    for grades in texts:
        for own in grades.values():
            middle = fmean(own)
            squares += [(grade - middle) ** 2 for grade in own]
            free += len(own) - 1
    return math.fsum(squares) / free if free else 0.0


def _together(some: Grades, others: Grades) -> Grades:
    """Return the grades of both."""
    both: Grades = {}
    for grades in (some, others):
        for item, own in grades.items():
            both.setdefault(item, []).extend(own)
    return both


def _grades(parts: Parts) -> tuple[dict[str, Grades], dict[str, Grades]]:
    """Return each text's grades on val: those that may have chosen it, and those of passes that chose nothing."""
    chosen: dict[str, Grades] = {}
    again: dict[str, Grades] = {}
    nothing = range(CONFIRMING, CONFIRMING + parts.config.evaluation.samples)
    for made in parts.attempts.made([item.id for item in parts.items[Split.VAL]]):
        rollout = made.rollout
        if rollout.score is None:
            continue
        texts = again if rollout.sample in nothing else chosen
        grades = texts.setdefault(rollout.document_sha, {})
        grades.setdefault(rollout.task, []).append(measure(rollout.score, parts.rule))
    return chosen, again
