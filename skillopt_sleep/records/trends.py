"""Trend: how often a person had to say the same, week by week, with what changed meanwhile."""

from datetime import date

from skillopt_sleep.records.record import Record


class LessonTrend(Record, frozen=True, kw_only=True):
    """How often a person asked for one lesson in each week of a trend, by words or by deeds.

    A rule about it was adopted in each of the weeks `adopted`, counted from 0.
    """

    lesson: str
    wording: str
    project: str
    corrections: tuple[int, ...]
    adopted: tuple[int, ...] = ()


class ModelChange(Record, frozen=True, kw_only=True):
    """From this week on, counted from 0, nights ran with other models: in the words of a report."""

    week: int
    models: str


class Trend(Record, frozen=True, kw_only=True):
    """The last weeks, from Monday to Sunday; the first begins on `first`, and in each so many `sessions` ended.

    Lessons with the most corrections come first; so many more that came up are `left_out`.
    """

    first: date | None = None
    sessions: tuple[int, ...] = ()
    lessons: tuple[LessonTrend, ...] = ()
    left_out: int = 0
    models: tuple[ModelChange, ...] = ()
