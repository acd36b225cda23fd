from datetime import UTC, datetime, timedelta

from skillopt_sleep.kit.clock import to_the_minute, utc_now


def test_now_is_in_utc() -> None:
    assert utc_now().utcoffset() == timedelta()


def test_a_moment_is_shown_to_the_minute_in_the_zone_of_who_reads_it() -> None:
    moment = datetime(2027, 5, 2, 10, 20, 31, 5, tzinfo=UTC)
    assert to_the_minute(moment) == f"{moment.astimezone():%a %Y-%m-%d %H:%M}"
