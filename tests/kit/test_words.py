from datetime import UTC, datetime, timedelta

import pytest

from skillopt_sleep.kit.words import WIDTH, ago, counted, home_path, span
from tests.fakes import NOON


@pytest.mark.parametrize(("count", "text"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (1200, "1,200 tasks")])
def test_a_count_agrees_with_its_noun(count: int, text: str) -> None:
    assert counted(count, "task") == text


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ((2026, 11, 22), (2026, 11, 22), "22 Nov"),
        ((2026, 11, 4), (2026, 11, 22), "4–22 Nov"),
        ((2026, 10, 28), (2026, 11, 3), "28 Oct – 3 Nov"),
        ((2025, 12, 30), (2026, 1, 2), "30 Dec 2025 – 2 Jan 2026"),
        ((2025, 11, 4), (2025, 11, 22), "4–22 Nov 2025"),
    ],
)
def test_days_are_told_shortly_with_a_year_that_is_not_this_one(
    first: tuple[int, int, int], last: tuple[int, int, int], text: str
) -> None:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert span(datetime(*first, 12, tzinfo=UTC), datetime(*last, 12, tzinfo=UTC), now) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=-5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=20), "20 days ago"),
        (timedelta(days=21), "3 weeks ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_a_time_is_told_in_the_unit_that_suits_it(passed: timedelta, text: str) -> None:
    assert ago(NOON - passed, NOON) == text


def test_days_are_counted_by_the_calendar() -> None:
    late = datetime(2026, 11, 25, 23, 20, tzinfo=UTC).astimezone()
    assert ago(late - timedelta(days=2, hours=23, minutes=55), late) == "3 days ago"


def test_the_home_folder_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert home_path("/home/me") == "~"
    assert home_path("/home/me/shop") == "~/shop"
    assert home_path("/home/mean/shop") == "/home/mean/shop"


def test_of_a_long_path_the_end_is_shown() -> None:
    shown = home_path("/a" * 100 + "/shop")
    assert shown.startswith("…")
    assert shown.endswith("/a/shop")
    assert len(shown) == WIDTH - 2
