"""The daemon's schedule, as apscheduler holds it."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, time as time_of_day, timedelta, timezone
from queue import Empty, SimpleQueue

import pytest

from skillopt_sleep.daemon.jobs import Jobs, NightTrigger
from skillopt_sleep.daemon.schedule import Served, newest_slot

AT = time_of_day(4, 17)
NOW = datetime(2027, 5, 2, 9, tzinfo=UTC)
SLOT = newest_slot(NOW, AT, UTC)
DAY = timedelta(days=1)


def times(served: Served, *, now: datetime = NOW, number: int = 3) -> list[datetime]:
    trigger = NightTrigger(served, AT, UTC, now=now)
    found: list[datetime] = []
    for _ in range(number):
        found.append(trigger.get_next_fire_time(found[-1] if found else None, now))
    return found


def test_the_slots_are_one_a_day_and_begin_with_the_one_that_is_owed() -> None:
    yesterday = Served(slot=newest_slot(NOW - DAY, AT, UTC))
    assert times(yesterday) == [SLOT.at, SLOT.at + DAY, SLOT.at + 2 * DAY]
    assert times(Served(slot=SLOT)) == [SLOT.at + DAY, SLOT.at + 2 * DAY, SLOT.at + 3 * DAY]


def test_a_first_start_owes_no_night() -> None:
    assert times(Served())[0] == SLOT.at + DAY


class Held:
    """The jobs of a daemon that only notes when they run."""

    def __init__(self, every: float) -> None:
        self.looks: SimpleQueue[None] = SimpleQueue()
        self.slots: SimpleQueue[None] = SimpleQueue()
        self.jobs = Jobs(lambda: self.looks.put(None), lambda: self.slots.put(None), every=every)


@contextmanager
def held(every: float) -> Generator[Held]:
    found = Held(every)
    found.jobs.start()
    try:
        yield found
    finally:
        found.jobs.stop()


def test_it_looks_around_at_once_then_again_and_again_and_when_it_is_told_to() -> None:
    with held(0.05) as often:
        for _ in range(3):
            often.looks.get(timeout=30)
    with held(3600) as seldom:
        seldom.looks.get(timeout=30)
        seldom.jobs.look_now()
        seldom.looks.get(timeout=30)
    seldom.jobs.look_now()


def test_a_slot_that_went_by_on_many_days_comes_once() -> None:
    with held(3600) as found:
        long_ago = datetime.now(UTC) - 5 * DAY
        found.jobs.plan(NightTrigger(Served(slot=newest_slot(long_ago - DAY, AT, UTC)), AT, UTC, now=long_ago))
        found.slots.get(timeout=30)
        with pytest.raises(Empty):
            found.slots.get(timeout=0.3)


def test_a_look_that_a_clock_set_back_put_off_is_due() -> None:
    with held(3600) as found:
        found.looks.get(timeout=30)
        time.sleep(0.1)
        scheduler = found.jobs._scheduler
        scheduler.modify_job("look", next_run_time=datetime.now(UTC) + 2 * DAY)
        found.looks.get(timeout=30)


def test_it_stops_although_the_running_job_plans_another_and_runs_none_afterwards() -> None:
    begun, go_on = threading.Event(), threading.Event()
    ran: SimpleQueue[None] = SimpleQueue()

    def look() -> None:
        begun.set()
        go_on.wait(30)
        jobs.plan(NightTrigger(Served(slot=newest_slot(NOW - DAY, AT, UTC)), AT, UTC, now=NOW))

    jobs = Jobs(look, lambda: ran.put(None), every=0.05)
    jobs.start()
    assert begun.wait(30)
    stopping = threading.Thread(target=jobs.stop, daemon=True)
    stopping.start()
    time.sleep(0.2)
    go_on.set()
    stopping.join(30)
    assert not stopping.is_alive()
    with pytest.raises(Empty):
        ran.get(timeout=0.3)


@pytest.mark.slow
def test_a_slot_comes_at_its_time_of_day() -> None:
    # A zone in which the next minute begins in five seconds, so that no test waits for a minute.
    now = datetime.now(UTC)
    zone = timezone(timedelta(seconds=55 - now.second))
    at = (now.astimezone(zone) + timedelta(seconds=30)).time().replace(second=0, microsecond=0)
    with held(3600) as found:
        found.jobs.plan(NightTrigger(Served(slot=newest_slot(now - DAY, at, zone)), at, zone, now=now))
        found.slots.get(timeout=70)
        found.jobs.plan(NightTrigger(Served(slot=newest_slot(now, at, zone)), at, zone, now=now))
        found.slots.get(timeout=70)
