"""Count how often a wish came up."""

from collections.abc import Iterable
from datetime import date, datetime, tzinfo
from typing import NamedTuple

from skillopt_sleep.records import Task


class Recurrence(NamedTuple):
    """The occurrences of a wish: number of sessions and days, first and last time."""

    sessions: int
    days: int
    first: datetime
    last: datetime


def recurrence(tasks: Iterable[Task], *, zone: tzinfo | None = None) -> Recurrence:
    """Count the sessions and days of one lesson's tasks; days are those of `zone`, by default of this machine."""
    ordered = sorted(tasks, key=lambda task: task.at)
    sessions: set[str] = set()
    days: set[date] = set()
    for task in ordered:
        sessions.add(task.session)
        days.add(task.at.astimezone(zone).date())
    return Recurrence(len(sessions), len(days), first=ordered[0].at, last=ordered[-1].at)
