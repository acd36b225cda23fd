from datetime import UTC, datetime, time, timedelta, timezone
from queue import SimpleQueue

import pytest

from skillopt_sleep.daemon.timer import Timer


@pytest.mark.slow
def test_the_timer_wakes_at_the_time_of_day_and_is_set_anew() -> None:
    woken: SimpleQueue[None] = SimpleQueue()
    timer = Timer(lambda: woken.put(None))
    timer.start()
    try:
        timer.set(time(4, 17), UTC)
        # A zone in which the next minute begins in five seconds, so that no test waits for a minute.
        now = datetime.now(UTC)
        zone = timezone(timedelta(seconds=55 - now.second))
        timer.set((now.astimezone(zone) + timedelta(seconds=30)).time(), zone)
        woken.get(timeout=70)
    finally:
        timer.stop()
