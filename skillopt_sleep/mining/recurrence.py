"""How often a wish came back."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import NamedTuple

from skillopt_sleep.records import Task


class Recurrence(NamedTuple):
    """How often a wish came up: in how many sessions, on how many days, and when first and last."""

    sessions: int
    days: int
    first: datetime
    last: datetime


def recurrence(tasks: Iterable[Task], *, zone: tzinfo | None = None) -> Recurrence:
    """How often these tasks of one cluster came back; days are those of the `zone`, or of this machine's."""
    told = sorted(tasks, key=lambda task: task.at)
    return Recurrence(
        sessions=len({task.session for task in told}),
        days=len({task.at.astimezone(zone).date() for task in told}),
        first=told[0].at,
        last=told[-1].at,
    )
