"""Wake the daemon at a local time of day."""

from collections.abc import Callable
from datetime import time, tzinfo
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger


class Timer:
    """Call `wake` from another thread, only once if the machine slept through several days."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        # Any: the library is untyped.
        self._scheduler: Any = BackgroundScheduler(executors={"default": ThreadPoolExecutor(1)}, timezone="UTC")

    def start(self) -> None:
        """Start the thread; `wake` isn't called before a time is set."""
        self._scheduler.start()

    def stop(self) -> None:
        """Stop without waiting."""
        self._scheduler.shutdown(wait=False)

    def set(self, at: time, zone: tzinfo) -> None:
        """Wake at this time in this zone from now on; call it again after the clock was set."""
        trigger = CronTrigger(hour=at.hour, minute=at.minute, timezone=zone)
        self._scheduler.add_job(
            self._wake, trigger, id="night", coalesce=True, misfire_grace_time=None, replace_existing=True
        )
