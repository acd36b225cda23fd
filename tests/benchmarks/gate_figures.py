"""What the ends of the chains amount to: rows with their interval, and the figures that are claimed."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import NamedTuple

from tests.benchmarks.gate_cells import NULL, WORDS
from tests.benchmarks.gate_nights import GATE, Cell, Ended, named
from tests.benchmarks.gate_sprt import paired_sprt

Ends = Mapping[Cell, Sequence[Ended]]
Z = 1.959964
RIDERS = tuple(WORDS)[1:]
SPRT_TESTS = 4_000
TRUE_GAIN = 0.2


class Count(NamedTuple):
    """So many of so many, with Wilson's 95 % interval."""

    hits: int
    of: int

    @property
    def rate(self) -> float:
        """The share, or NaN of nothing."""
        return self.hits / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval; of nothing, all is possible."""
        if not self.of:
            return 0.0, 1.0
        n, p = self.of, self.rate
        middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits:6} of {self.of:<6} {self.rate:7.2%} [{low:6.2%}, {high:6.2%}]"


def staged(cell: Cell, ends: Sequence[Ended]) -> Count:
    """Count the chains on which anything was staged; where each of several documents has a lesson, the documents."""
    if cell.group == "decisive 3":
        return Count(sum(end.documents for end in ends), len(ends) * cell.documents)
    return Count(sum(bool(end.documents) for end in ends), len(ends))


def riders_staged(ends: Sequence[Ended]) -> Count:
    """Count the acceptances that hold a useless rule."""
    return Count(named(RIDERS, ends), sum(bool(end.documents) for end in ends))


def useful_kept(ends: Sequence[Ended]) -> Count:
    """Count the nights on which the useful rule is staged."""
    return Count(named(["first"], ends), len(ends))


def second_kept(ends: Sequence[Ended]) -> Count:
    """Count the acceptances that hold the weaker one of two useful rules."""
    return Count(named(["second"], ends), sum(bool(end.documents) for end in ends))


def mean_told(ends: Sequence[Ended]) -> float:
    """Return the mean of the gains that stand beside what was accepted; NaN where nothing was."""
    gains = [end.told for end in ends if end.told is not None]
    return fmean(gains) if gains else math.nan


@cache
def sprt(val: int) -> tuple[float, float]:
    """Return the power and the mean calls of the paired test that knows of the +30, over three nights."""
    draw = random.Random(f"sprt {val}")
    tests = [
        paired_sprt(0.5, 0.8, val=val, fresh=2, nights=3, rounds=GATE.rounds, draw=draw) for _ in range(SPRT_TESTS)
    ]
    return fmean(test.accepted for test in tests), fmean(test.calls for test in tests)


def rows(ends: Ends, *, curves: bool) -> list[str]:
    """Return a line for each cell, of the curves or of the others, and more where one count doesn't tell all."""
    lines = [f"{'cell':52} {'val':>3} {'staged':>6}    {'nights':<6} {'share':>6}  {'95 %':^16} {'calls':>6}"]
    for cell, of in ends.items():
        if cell.group.endswith("curve") == curves:
            lines += _lines(cell, of)
    return lines


def _lines(cell: Cell, of: Sequence[Ended]) -> list[str]:
    note = ""
    if cell.group.startswith(("gain", "power")):
        note = f"  told {mean_told(of):+.2f}"
    lines = [f"{cell.title:52} {cell.val:3} {staged(cell, of)} {fmean(end.calls for end in of):6.0f}{note}"]
    if cell.group.startswith("riders"):
        lines.append(f"{'  of them with a rider':52} {cell.val:3} {riders_staged(of)}")
        lines.append(f"{'  nights with the useful rule':52} {cell.val:3} {useful_kept(of)}")
    if cell.group == "second":
        lines.append(f"{'  of them with the weaker rule':52} {cell.val:3} {second_kept(of)}")
        lines.append(f"{'  of them with the rider':52} {cell.val:3} {Count(named(['third'], of), hits(of))}")
    return lines


def hits(ends: Sequence[Ended]) -> int:
    """Count the chains on which anything was staged."""
    return sum(bool(end.documents) for end in ends)


def figures(ends: Ends) -> dict[str, float]:
    """Return the figures that are claimed, under the names of the goals."""

    def worst(group: str, of: Callable[[Cell, Sequence[Ended]], float], *, val: int | None = None) -> float:
        found = [of(cell, e) for cell, e in ends.items() if cell.group == group and val in {None, cell.val}]
        return round(max(found, default=math.nan), 4)

    def least(group: str, of: Callable[[Cell, Sequence[Ended]], float], *, val: int | None = None) -> float:
        return -worst(group, lambda cell, e: -of(cell, e), val=val)

    def rate(cell: Cell, e: Sequence[Ended]) -> float:
        return staged(cell, e).rate

    def upper(cell: Cell, e: Sequence[Ended]) -> float:
        return staged(cell, e).interval[1]

    def with_rider(_cell: Cell, e: Sequence[Ended]) -> float:
        return riders_staged(e).rate

    def bias(_cell: Cell, e: Sequence[Ended]) -> float:
        return abs(mean_told(e) - TRUE_GAIN)

    def dear(cell: Cell, e: Sequence[Ended]) -> float:
        return fmean(end.trial_calls for end in e) / sprt(cell.val)[1]

    return {
        "false_accept": worst(NULL, upper),
        "uneven_accept": worst("uneven", rate),
        "riders_staged_7": worst("riders", with_rider, val=7),
        "riders_staged_4": worst("riders", with_rider, val=4),
        "useful_kept": least("riders", lambda _cell, e: useful_kept(e).rate),
        "weaker_kept_7": least("second", lambda _cell, e: second_kept(e).rate, val=7),
        "mixed_accept": worst("mixed", rate),
        "harmful_accept": worst("harmful", upper),
        "decisive_power": min(least(group, rate) for group in ("decisive .9", "decisive 3")),
        "decisive_power_half": least("decisive .5", rate),
        "decisive_power_learned": least("decisive learned", rate),
        "power_30_three_nights_4": least("power 30", rate, val=4),
        "power_30_three_nights_7": least("power 30", rate, val=7),
        "calls_x_paired_sprt": worst("power 30", dear, val=7),
        "gain_bias": worst("gain", bias),
    }
