"""What the nights of the gate's worlds amount to: a row for each cell, and the figures that are claimed."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from bench.gate_nights import Staged, mean_gain
from bench.gate_worlds import World

Ends = Mapping[World, Sequence[Staged]]
LEVEL = 0.05
DOUBTFUL = 3  # cells of a measure that are run again
EACH = frozenset({"harmless_kept", "each_kept_beside_weak_others"})
FOUND = frozenset(
    {
        "useful_beside_useless",
        "useful_beside_overfit",
        "weak_beside_useless",
        "power_30_three_nights",
        "half_reach_three_nights",
        "useful_longer_found",
        "undoing_pair_staged",
        "accepted_at_one",
    }
)
ATTEMPTS, GAIN, PRINTED = "attempts_x_today", "gain_bias", "printed"
CLAIMED = (
    "false_accept",
    "repeats_accept",
    "repeats_more_rules",
    "repeats_12_documents",
    "harmful_accept",
    "riders_staged",
    "useful_beside_useless",
    "useful_beside_overfit",
    "weak_beside_useless",
    "harmless_kept",
    "power_30_three_nights",
    ATTEMPTS,
    "longer_judge",
    GAIN,
)


class Count(NamedTuple):
    """So many of so many, with Wilson's interval."""

    hits: int
    of: int

    @property
    def rate(self) -> float:
        """The share, or NaN of nothing."""
        return self.hits / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; of nothing, all is possible."""
        return self.within(LEVEL)

    def within(self, level: float) -> tuple[float, float]:
        """Return Wilson's interval that is wrong with a probability of `level`."""
        if not self.of:
            return 0.0, 1.0
        z = NormalDist().inv_cdf(1 - level / 2)
        n, p = self.of, self.rate
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits:6} of {self.of:<6} {self.rate:7.2%} [{low:6.2%}, {high:6.2%}]"


def counted(world: World, ends: Sequence[Staged]) -> Count:
    """Count the nights with what a world is about: what should be staged is, or what shouldn't."""
    numbers = range(len(world.rules))
    useful = frozenset(number for number in numbers if world.rules[number].useful)
    if world.bar.measure in EACH:
        kept = [number for number in useful if not world.rules[number].harms]
        return Count(sum(number in end.rules[0] for end in ends for number in kept), len(ends) * len(kept))
    if world.bar.measure in FOUND or (world.bar.measure in {PRINTED, ATTEMPTS, GAIN} and useful):
        return Count(sum(all(useful <= rules for rules in end.rules) for end in ends), len(ends))
    return Count(sum(any(rules - useful for rules in end.rules) for end in ends), len(ends))


def shrunk(counts: Sequence[Count]) -> list[float]:
    """Return the rate of each cell, drawn to the mean of all by as much as their differences are chance.

    The worst of many noisy rates looks worse than any cell is. How much the cells truly differ is what their spread
    has beyond that of as many equal cells (a beta prior by its moments): if nothing, each has the mean.
    """
    total = Count(sum(count.hits for count in counts), sum(count.of for count in counts))
    if not total.of:
        return [math.nan for _ in counts]
    alike = total.rate * (1 - total.rate)
    spread = math.fsum(count.of * (count.rate - total.rate) ** 2 for count in counts if count.of)
    weight = total.of - math.fsum(count.of**2 for count in counts) / total.of
    differ = (spread - (len(counts) - 1) * alike) / weight if weight else 0.0
    if differ <= 0:
        return [total.rate if len(counts) > 1 else count.rate for count in counts]
    strength = max(0.0, alike / differ - 1)
    return [(count.hits + strength * total.rate) / (count.of + strength) for count in counts]


def of_measure(ends: Ends) -> dict[str, dict[World, Sequence[Staged]]]:
    """Return the cells of each measure."""
    found: dict[str, dict[World, Sequence[Staged]]] = defaultdict(dict)
    for world, of in ends.items():
        found[world.bar.measure][world] = of
    return found


def doubtful(ends: Ends) -> list[World]:
    """Return the cells to run again: of each measure with many cells those that are worst for sure."""
    found: list[World] = []
    for measure, cells in of_measure(ends).items():
        if len(cells) <= DOUBTFUL or measure in {ATTEMPTS, GAIN, PRINTED}:
            continue
        low = {world: counted(world, of).interval[0] for world, of in cells.items()}
        found += sorted(low, key=lambda world, low=low: -low[world])[:DOUBTFUL]
    return found


def figure(measure: str, cells: Ends, again: Ends) -> float:
    """Return the figure of a measure: the worst of its cells, or of those that were run again."""
    if measure == ATTEMPTS:
        today = sum(len(of) * (world.today or 0) for world, of in cells.items())
        return sum(end.attempts for of in cells.values() for end in of) / today
    if measure == GAIN:
        return max((abs(bias(world, of)) for world, of in cells.items()), default=math.nan)
    cells = {world: of for world, of in again.items() if world.bar.measure == measure} or cells
    rates = shrunk([counted(world, of) for world, of in cells.items()])
    at_most = next(iter(cells)).bar.at_most
    return max(rates) if at_most else min(rates)


def bias(world: World, ends: Sequence[Staged]) -> float:
    """Return by how much the gain beside what was staged is more than the true one."""
    mean = mean_gain(ends)
    return math.nan if mean is None else mean - (world.rules[0].after - world.rules[0].before)


def figures(ends: Ends, again: Ends) -> dict[str, float]:
    """Return the figures that are claimed, under the names of the goals."""
    measures = of_measure(ends)
    return {name: round(figure(name, measures[name], again), 4) for name in CLAIMED if name in measures}


def rows(ends: Ends, again: Ends) -> list[str]:
    """Return a line for each cell, for each that was run again, and for each measure."""
    measures = of_measure(ends)
    lines = [f"{'cell':86} {'measure':28} {'nights':>6}"]
    for cells in measures.values():
        lines += [_row(world, of, cells=len(cells)) for world, of in cells.items()]
    lines += ["", "run again, with other seeds:"]
    lines += [_row(world, of, cells=DOUBTFUL) for world, of in again.items()]
    lines += ["", f"{'measure':30} {'cells':>5} {'figure':>8}  bar"]
    for measure, cells in measures.items():
        if measure == PRINTED:
            continue
        bar = next(iter(cells)).bar
        value = figure(measure, cells, again)
        said = "printed only"
        if bar.limit is not None:
            kept = value <= bar.limit if bar.at_most else value >= bar.limit
            side = "at most" if bar.at_most else "at least"
            whose = "" if bar.issue else " (the author's)"
            said = f"{side} {bar.limit:g}{whose}: {'kept' if kept else 'NOT KEPT'}"
        lines.append(f"{measure:30} {len(cells):5} {value:8.4f}  {said}")
    return lines


def _row(world: World, ends: Sequence[Staged], *, cells: int) -> str:
    count = counted(world, ends)
    note = ""
    attempts = sum(end.attempts for end in ends) / max(1, len(ends))
    if world.today:
        note = f", today {world.today}: x {attempts / world.today:.2f}"
    if world.bar.measure == GAIN:
        note = f", told {bias(world, ends):+.3f} too much"
    return f"{world.name[:86]:86} {world.bar.measure:28} {count} {_kept(world, count, cells)}, {attempts:.0f} attempts{note}"


def _kept(world: World, count: Count, cells: int) -> str:
    """Say whether a cell keeps its bar; a miss that chance explains, of so many cells, isn't called one."""
    bar = world.bar
    if bar.limit is None or bar.measure == ATTEMPTS:
        return "printed"
    low, high = count.within(LEVEL / cells)
    said = f"{'≤' if bar.at_most else '≥'} {bar.limit:g}"
    if count.rate <= bar.limit if bar.at_most else count.rate >= bar.limit:
        return f"{said} kept"
    missed = low > bar.limit if bar.at_most else high < bar.limit
    return f"{said} {'NOT KEPT' if missed else 'within chance'}"
