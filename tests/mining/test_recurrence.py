from datetime import UTC, datetime, timedelta, timezone

from skillopt_sleep.mining.recurrence import Recurrence, recurrence
from tests.builders import a_task

LATE = datetime(2027, 1, 1, 23, 30, tzinfo=UTC)
TASKS = [
    a_task(id="d", session="s3", at=LATE + timedelta(hours=1)),
    a_task(id="a", session="s1", at=LATE),
    a_task(id="b", session="s1", at=LATE),
    a_task(id="c", session="s2", at=LATE.astimezone(timezone(timedelta(hours=9)))),
]


def test_a_wish_recurs_in_sessions_and_on_days() -> None:
    assert recurrence(TASKS, zone=UTC) == Recurrence(sessions=3, days=2, first=LATE, last=LATE + timedelta(hours=1))


def test_days_are_those_of_the_zone() -> None:
    assert recurrence(TASKS, zone=timezone(timedelta(hours=9))).days == 1
