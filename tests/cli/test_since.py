"""A moment as the option `--since` takes it."""

from datetime import UTC, datetime, timedelta

import pytest

from skillopt_sleep.cli.since import moment
from skillopt_sleep.errors import ConfigError


def test_a_length_of_time_is_before_now_and_a_time_with_a_zone_is_that_moment() -> None:
    assert abs(datetime.now(UTC) - timedelta(days=7) - moment("7d")) < timedelta(minutes=1)
    assert moment("2026-11-01T02:00:00+02:00") == datetime(2026, 11, 1, tzinfo=UTC)
    assert moment("2026-11-01") == datetime(2026, 11, 1).astimezone(UTC)


@pytest.mark.parametrize("text", ["yesterday", "7w", "2026-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a time"):
        moment(text)
