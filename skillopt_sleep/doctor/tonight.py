"""Find when the next night runs by itself, so that by day it can be told what will be missing then."""

from datetime import datetime, time as time_of_day, timedelta, tzinfo
from typing import NamedTuple

from skillopt_sleep.daemon.installed import installed
from skillopt_sleep.daemon.schedule import next_slot
from skillopt_sleep.settings import Paths, Settings


class Tonight(NamedTuple):
    """The next night that runs by itself: the local time at which it begins, and when it is over at the latest."""

    at: str
    until: datetime


def tonight(settings: Settings, paths: Paths, *, now: datetime, zone: tzinfo) -> Tonight | None:
    """Return the next night, or None if none runs by itself; raises SleepError if that can't be told."""
    if not installed(paths).service:
        return None
    at = settings.daemon.at
    begins = next_slot(now, time_of_day.fromisoformat(at), zone).at
    return Tonight(at, begins + timedelta(minutes=settings.budget.minutes))
