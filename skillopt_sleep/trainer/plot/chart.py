"""Lay curves out on a chart: places in percent of its width and height, so that it fits any screen."""

import math
from collections.abc import Iterable, Sequence

from skillopt_sleep.pages.axis import Scale, Tick, ticks
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.plot.curves import Curves, Mark

Points = tuple[tuple[float, float], ...]
X_TICKS = 5
Y_TICKS = 6


class Place(Record, frozen=True, kw_only=True):
    """A mark on the chart: its place, the ends of its interval, and what a reader should know of it."""

    x: float
    y: float
    top: float
    bottom: float
    kept: bool
    title: str


class Chart(Record, frozen=True, kw_only=True):
    """The curves as they are drawn: marks, and lines through points from 0 to 100.

    Train has a mark for each step, so its intervals are drawn as one `train_band`.
    """

    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    train: tuple[Place, ...]
    val: tuple[Place, ...]
    test: tuple[Place, ...]
    reported: Place | None
    train_line: Points
    train_band: Points
    val_line: Points
    test_line: Points
    best_line: Points


class Bar(Record, frozen=True, kw_only=True):
    """A step's edit budget and how many edits were applied; heights in percent, None if there was no budget.

    The step takes the place from `left` to `right`, and its bar a part of that.
    """

    left: float
    right: float
    x: float
    width: float
    budget: float | None
    applied: float
    title: str


class Bars(Record, frozen=True, kw_only=True):
    """The edit budget by step."""

    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    bars: tuple[Bar, ...]


def chart(curves: Curves) -> Chart:
    """Lay out the curves of a training."""
    across = Scale(low=0, high=max(1, curves.calls))
    reported = [curves.reported] if curves.reported else []
    marks = [*curves.train, *curves.val, *curves.test, *reported]
    up = range_of([mark.interval for mark in marks])
    best = [(calls, mean) for calls, mean in curves.best]
    if best:
        best.append((curves.calls, best[-1][1]))
    return Chart(
        across=tuple(Tick(at=across.share(at), label=f"{at:,.0f}") for at in ticks(0, across.high, X_TICKS)),
        up=tuple(Tick(at=100 - up.share(at), label=f"{at:.1f}") for at in ticks(up.low, up.high, Y_TICKS)),
        train=_places(curves.train, across, up),
        val=_places(curves.val, across, up),
        test=_places(curves.test, across, up),
        reported=_place(curves.reported, across, up) if curves.reported else None,
        train_line=_line(_means(curves.train), across, up),
        train_band=_band(curves.train, across, up),
        val_line=_line(_means(curves.val), across, up),
        test_line=_line(_means(curves.test), across, up),
        best_line=stairs(best, across, up),
    )


def bars(steps: Sequence[tuple[int, int | None, int]]) -> Bars:
    """Lay out steps, each with its number, its budget (None if there is none) and how many edits were applied."""
    most = max([1, *(max(budget or 0, applied) for _, budget, applied in steps)])
    up = Scale(low=0, high=most)
    across = Scale(low=0, high=max(1, len(steps)))
    drawn: list[Bar] = []
    for place, (number, budget, applied) in enumerate(steps):
        of = "no budget" if budget is None else f"budget {budget}"
        drawn.append(
            Bar(
                left=across.share(place),
                right=across.share(place + 1),
                x=across.share(place + 0.15),
                width=across.share(0.7),
                budget=None if budget is None else up.share(budget),
                applied=up.share(applied),
                title=f"step {number}: {of}, {applied} applied",
            )
        )
    numbers = [at for at in ticks(1, max(1, len(steps)), X_TICKS) if at == int(at)]
    return Bars(
        across=tuple(Tick(at=across.share(at - 0.5), label=f"{at:.0f}") for at in numbers),
        up=tuple(Tick(at=100 - up.share(at), label=f"{at:.0f}") for at in ticks(0, most, 3) if at == int(at)),
        bars=tuple(drawn),
    )


def stairs(points: Iterable[tuple[int, float]], across: Scale, up: Scale) -> Points:
    """Return the points of a line that stays level until the next point."""
    corners: list[tuple[int, float]] = []
    for calls, mean in points:
        if corners:
            corners.append((calls, corners[-1][1]))
        corners.append((calls, mean))
    return _line(corners, across, up)


def range_of(intervals: Sequence[tuple[float, float]]) -> Scale:
    """Return the tenths between which all intervals lie."""
    low = min((low for low, _ in intervals), default=0.0)
    high = max((high for _, high in intervals), default=1.0)
    return Scale(low=math.floor(10 * low) / 10, high=max(math.ceil(10 * high), math.floor(10 * low) + 1) / 10)


def _means(marks: Sequence[Mark]) -> list[tuple[int, float]]:
    return [(mark.calls, mark.mean) for mark in marks]


def _line(points: Sequence[tuple[int, float]], across: Scale, up: Scale) -> Points:
    return tuple((across.share(calls), round(100 - up.share(mean), 2)) for calls, mean in points)


def _band(marks: Sequence[Mark], across: Scale, up: Scale) -> Points:
    """Return the outline of all intervals: along their upper ends, and back along the lower ones."""
    above = [(mark.calls, mark.interval[1]) for mark in marks]
    below = [(mark.calls, mark.interval[0]) for mark in reversed(marks)]
    return _line([*above, *below], across, up)


def _places(marks: Sequence[Mark], across: Scale, up: Scale) -> tuple[Place, ...]:
    return tuple(_place(mark, across, up) for mark in marks)


def _place(mark: Mark, across: Scale, up: Scale) -> Place:
    low, high = mark.interval
    return Place(
        x=across.share(mark.calls),
        y=round(100 - up.share(mark.mean), 2),
        top=round(100 - up.share(high), 2),
        bottom=round(100 - up.share(low), 2),
        kept=mark.kept,
        title=f"{mark.what}, after {mark.calls:,} calls: {mark.mean:.3f}, {low:.3f} to {high:.3f} (n={mark.n})",
    )
