"""A moment as the option `--since` takes it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.nights import moment
from skillopt_sleep.deciding.decide import LATER
from skillopt_sleep.errors import ConfigError
from tests.command import Home


def test_a_length_of_time_is_before_now_and_a_time_with_a_zone_is_that_moment() -> None:
    assert abs(datetime.now(UTC) - timedelta(days=7) - moment("7d")) < timedelta(minutes=1)
    assert moment("2026-11-01T02:00:00+02:00") == datetime(2026, 11, 1, tzinfo=UTC)
    assert moment("2026-11-01") == datetime(2026, 11, 1).astimezone(UTC)


@pytest.mark.parametrize("text", ["yesterday", "7w", "2026-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a time"):
        moment(text)


@pytest.mark.parametrize("command", ["pause LENGTH", "report --cost --since LENGTH"])
def test_a_length_of_time_is_written_in_one_way(tmp_path: Path, command: str) -> None:
    home = Home(tmp_path)

    def code(length: str) -> int:
        return home.command(*command.replace("LENGTH", length).split()).code

    assert [code(length) for length in ("30m", "36h", "90s", "99999d", "0d", "7w", "1.5h")] == [0, 0, 0, 0, 2, 2, 2]


@pytest.mark.slow
def test_later_is_one_day_wherever_it_is_said(home: Home) -> None:
    (until,) = re.findall(r"until \w+ ([\d-]+ [\d:]+)", home.command("review", "P-0001", "--later", LATER).out)
    assert abs(datetime.fromisoformat(until).astimezone() - datetime.now(UTC) - timedelta(days=1)) < timedelta(
        minutes=5
    )
    assert [home.command("review", "P-0001", "--later", length).code for length in ("30m", "0h")] == [0, 2]
