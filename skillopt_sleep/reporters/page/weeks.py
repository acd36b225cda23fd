"""Lay out how often each lesson had to be said, as bars by week."""

from datetime import date, timedelta
from typing import NamedTuple

from skillopt_sleep.pages.axis import Scale
from skillopt_sleep.records import LessonTrend, Trend

_BAR = 0.6  # of a week's width


class Bar(NamedTuple):
    """One week's bar in percent of the chart, with its number and what it says in words."""

    x: float
    width: float
    y: float
    height: float
    middle: float
    number: int
    told: str


class Line(NamedTuple):
    """A lesson's bars, the middles of the weeks in which a rule about it was adopted, and all of it in words."""

    name: str
    bars: list[Bar]
    adopted: list[float]
    total: int
    told: str


class Weeks(NamedTuple):
    """The chart: a line of bars for each lesson, the sessions below them, and where models changed."""

    lessons: list[Line]
    sessions: Line
    models: list[tuple[float, str]]
    first: str
    last: str
    left_out: int


def weeks(trend: Trend) -> Weeks | None:
    """Lay out a trend; None if nothing was said in its weeks."""
    if trend.first is None or not trend.lessons:
        return None
    count = len(trend.lessons[0].corrections)
    across = Scale(low=0, high=count)
    days = [trend.first + timedelta(weeks=number) for number in range(count)]
    most = max(max(lesson.corrections) for lesson in trend.lessons)
    sessions = _line("your sessions", trend.sessions, days, most=max([*trend.sessions, 1]))
    return Weeks(
        lessons=[_of_lesson(lesson, days, most=most) for lesson in trend.lessons],
        sessions=sessions,
        models=[(across.share(change.week), change.models) for change in trend.models],
        first=_day(days[0]),
        last=_day(days[-1]),
        left_out=trend.left_out,
    )


def _of_lesson(lesson: LessonTrend, days: list[date], *, most: int) -> Line:
    across = Scale(low=0, high=len(days))
    line = _line(lesson.wording, lesson.corrections, days, most=most)
    told = line.told
    for week in lesson.adopted:
        told += f"; a rule about it was adopted in the week of {_day(days[week])}"
    return line._replace(adopted=[across.share(week + 0.5) for week in lesson.adopted], told=told)


def _line(name: str, counts: tuple[int, ...], days: list[date], *, most: int) -> Line:
    across, up = Scale(low=0, high=len(counts)), Scale(low=0, high=most)
    bars: list[Bar] = []
    for week, count in enumerate(counts):
        height = up.share(count)
        bars.append(
            Bar(
                x=across.share(week + (1 - _BAR) / 2),
                width=across.share(_BAR),
                y=round(100 - height, 2),
                height=height,
                middle=across.share(week + 0.5),
                number=count,
                told=f"week of {_day(days[week])}: {count}",
            )
        )
    said = [f"{bar.number} in the {bar.told.partition(':')[0]}" for bar in bars if bar.number]
    return Line(name, bars, [], sum(counts), f"{name}: {', '.join(said) or 'none'}")


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"
