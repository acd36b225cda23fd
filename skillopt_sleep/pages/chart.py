"""Lay charts out in percent of their width and height, so that they fit any screen; chart.html.j2 draws them.

There are three: curves on two axes, a gain as a dot with its interval, and a row of bars.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from skillopt_sleep.pages.render import signed, span
from skillopt_sleep.records import Record

Points = tuple[tuple[float, float], ...]
X_TICKS = 5
Y_TICKS = 6


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


class Point(NamedTuple):
    """A value of a curve with its interval, and what a reader should know of it; it can be drawn hollow."""

    x: float
    y: float
    interval: tuple[float, float]
    title: str
    filled: bool = True


class Curve(NamedTuple):
    """One curve of a chart: its `kind` gives it a colour, `name` stands in the legend.

    Its points are marks of a shape, each with its interval, or with `band` one area of all intervals. With `stairs`
    there are no marks, and the line stays level until the next point and up to the end.
    """

    kind: str
    name: str
    points: Sequence[Point]
    shape: Literal["circle", "square", "diamond"] = "circle"
    line: bool = True
    band: bool = False
    stairs: bool = False


class PlacedPoint(NamedTuple):
    """A mark on the chart: its place and the ends of its interval."""

    x: float
    y: float
    top: float
    bottom: float
    filled: bool
    title: str


class Drawn(NamedTuple):
    """A curve as it is drawn: its marks, and lines through points from 0 to 100."""

    curve: Curve
    marks: tuple[PlacedPoint, ...]
    line: Points
    band: Points


class Chart(NamedTuple):
    """A chart: `told` says what it shows to whoever doesn't see it."""

    told: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    curves: tuple[Drawn, ...]


def chart(curves: Sequence[Curve], *, end: float, told: str) -> Chart:
    """Lay out curves from 0 to an end; those without a point are left out."""
    shown = [curve for curve in curves if curve.points]
    across = Scale(low=0, high=max(1, end))
    up = range_of([point.interval for curve in shown for point in curve.points])
    return Chart(
        told=told,
        across=tuple(Tick(at=across.share(at), label=f"{at:,.0f}") for at in ticks(0, across.high, X_TICKS)),
        up=tuple(Tick(at=100 - up.share(at), label=f"{at:.1f}") for at in ticks(up.low, up.high, Y_TICKS)),
        curves=tuple(_drawn(curve, across, up) for curve in shown),
    )


def range_of(intervals: Sequence[tuple[float, float]]) -> Scale:
    """Return the tenths between which all intervals lie."""
    low = min((low for low, _ in intervals), default=0.0)
    high = max((high for _, high in intervals), default=1.0)
    return Scale(low=math.floor(10 * low) / 10, high=max(math.ceil(10 * high), math.floor(10 * low) + 1) / 10)


def _drawn(curve: Curve, across: Scale, up: Scale) -> Drawn:
    middles = [(point.x, point.y) for point in curve.points]
    if curve.stairs:
        middles = _stairs([*middles, (across.high, middles[-1][1])])
    above = [(point.x, point.interval[1]) for point in curve.points]
    below = [(point.x, point.interval[0]) for point in reversed(curve.points)]
    return Drawn(
        curve=curve,
        marks=() if curve.stairs else tuple(_mark(point, across, up) for point in curve.points),
        line=_places(middles, across, up) if curve.line else (),
        band=_places([*above, *below], across, up) if curve.band else (),
    )


def _stairs(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of a line that stays level until the next point."""
    corners: list[tuple[float, float]] = []
    for x, y in points:
        if corners:
            corners.append((x, corners[-1][1]))
        corners.append((x, y))
    return corners


def _places(points: Sequence[tuple[float, float]], across: Scale, up: Scale) -> Points:
    return tuple((across.share(x), round(100 - up.share(y), 2)) for x, y in points)


def _mark(point: Point, across: Scale, up: Scale) -> PlacedPoint:
    low, high = point.interval
    return PlacedPoint(
        x=across.share(point.x),
        y=round(100 - up.share(point.y), 2),
        top=round(100 - up.share(high), 2),
        bottom=round(100 - up.share(low), 2),
        filled=point.filled,
        title=point.title,
    )


_GAINS = Scale(low=-1, high=1)  # from worse at everything to better at everything


class Dot(Record, frozen=True, kw_only=True):
    """A gain, its interval and where no difference stands, in percent of the line.

    `told` says the same in words, and `brief` in numbers alone.
    """

    at: float
    low: float
    high: float
    zero: float
    told: str
    brief: str


def dot(before: float, after: float, interval: tuple[float, float] | None, counted: str) -> Dot:
    """Lay out the gain between two mean grades with its interval, if there is one, and with what was `counted`."""
    gain = after - before
    low, high = interval or (gain, gain)
    grades = f"grade {before:.2f} → {after:.2f} ({signed(gain)})"
    told = f"{grades}, 90 % interval of the gain {span(interval)}, {counted}"
    if interval is None:
        told = f"{grades}, no interval, {counted}"
    return Dot(
        at=_GAINS.share(_within(gain)),
        low=_GAINS.share(_within(low)),
        high=_GAINS.share(_within(high)),
        zero=_GAINS.share(0),
        told=told,
        brief=f"{signed(gain)} ({span(interval)})" if interval else signed(gain),
    )


def _within(gain: float) -> float:
    return min(max(gain, _GAINS.low), _GAINS.high)


class Bar(NamedTuple):
    """One bar of a row of bars in percent of the drawing, with its number and what it says in words."""

    x: float
    width: float
    y: float
    height: float
    number: int
    told: str


class Bars(NamedTuple):
    """A row of bars, the places of marks above it and of lines across it, all of it in words, and its numbers."""

    bars: tuple[Bar, ...]
    told: str
    brief: str = ""
    marks: tuple[tuple[float, str], ...] = ()
    lines: tuple[tuple[float, str], ...] = ()
    kind = "bars"
