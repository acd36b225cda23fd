"""Hold the daemon's schedule in apscheduler: the slots of the nights, and a look around every minute."""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial
from threading import Lock
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.interval import IntervalTrigger

from skillopt_sleep.daemon.schedule import Served, is_due, newest_slot, next_due

_LOOK = "look"
_NIGHT = "night"


class NightTrigger(BaseTrigger):
    """The slots of the nights, one a local day: first the newest one, if no night has run for it."""

    def __init__(self, served: Served, at: time, zone: tzinfo, *, now: datetime) -> None:
        self._served = served
        self._at = at
        self._zone = zone
        self._now = now

    def get_next_fire_time(  # pyright: ignore[reportIncompatibleMethodOverride] - untyped
        self,
        previous_fire_time: datetime | None,
        now: datetime,  # noqa: ARG002
    ) -> datetime:
        """Return the slot after the previous one."""
        if previous_fire_time is not None:
            previous = newest_slot(previous_fire_time, self._at, self._zone)
            return next_due(Served(slot=previous), previous.at, self._at, self._zone).at
        newest = newest_slot(self._now, self._at, self._zone)
        if is_due(self._served, newest, now=self._now):
            return newest.at
        return next_due(self._served, self._now, self._at, self._zone).at


class Jobs:
    """Two jobs, of which one runs at a time, in a thread: `look` again and again, and `slot_came` at each slot.

    After a suspend each runs once, however often its time came meanwhile.
    """

    def __init__(self, look: Callable[[], None], slot_came: Callable[[], None], *, every: float) -> None:
        self._slot_came = partial(self._run, slot_came)
        self._lock = Lock()
        self._stopped = False
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        interval: Any = IntervalTrigger  # the library is untyped
        self._scheduler: Any = BackgroundScheduler(
            jobstores={"default": _Store(timedelta(seconds=every))},
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"coalesce": True, "misfire_grace_time": None},
            timezone=UTC,
        )
        self._scheduler.add_job(
            partial(self._run, look), interval(seconds=every, timezone=UTC), id=_LOOK, next_run_time=datetime.now(UTC)
        )

    def start(self) -> None:
        """Start the thread, and look around at once."""
        self._scheduler.start()

    def stop(self) -> None:
        """Stop once the running job has ended; it may be planning another one, so that it needs the scheduler."""
        self._scheduler.shutdown(wait=False)
        with self._lock:
            self._stopped = True

    def look_now(self) -> None:
        """Look around at once; from any thread."""
        with suppress(JobLookupError):  # it was stopped
            self._scheduler.modify_job(_LOOK, next_run_time=datetime.now(UTC))

    def plan(self, trigger: NightTrigger) -> None:
        """Wait for these slots from now on."""
        self._scheduler.add_job(self._slot_came, trigger, id=_NIGHT, replace_existing=True)

    def _run(self, job: Callable[[], None]) -> None:
        with self._lock:
            if not self._stopped:
                job()


class _Store(MemoryJobStore):
    """Keep the jobs; a look that is further away than it can be is due: the clock was set back."""

    def __init__(self, every: timedelta) -> None:
        super().__init__()
        self._every = every
        self._untyped: Any = super()

    def get_due_jobs(self, now: datetime) -> list[Any]:
        """Return the jobs whose time has come."""
        look = self._untyped.lookup_job(_LOOK)
        if look is not None and look.next_run_time > now + self._every:
            look.next_run_time = now
            self._untyped.update_job(look)
        return self._untyped.get_due_jobs(now)
