import pytest
from starlette.requests import Request

from skillopt_sleep.web.paging import skipped_in, stretch


@pytest.mark.parametrize(
    ("rows", "skipped", "numbers"),
    [
        (0, 0, (0, 0, None, None)),
        (0, 7, (0, 0, None, None)),
        (3, 0, (1, 3, None, None)),
        (7, 0, (1, 3, None, 3)),
        (7, 3, (4, 6, 0, 6)),
        (7, 6, (7, 7, 3, None)),
        (7, 999, (7, 7, 3, None)),
        (6, 6, (4, 6, 0, None)),
    ],
)
def test_a_long_list_is_shown_some_rows_at_a_time(rows: int, skipped: int, numbers: tuple[int | None, ...]) -> None:
    shown = stretch(rows, skipped=skipped, at_once=3)
    assert (shown.first, shown.last, shown.newer, shown.older) == numbers
    assert len(range(rows)[shown.rows]) == (shown.last - shown.first + 1 if rows else 0)


@pytest.mark.parametrize(
    ("query", "skipped"),
    [("", 0), ("skip=30", 30), ("skip=-1", 0), ("skip=x", 0), ("skip=" + "9" * 40, 0), ("skip=\u0663", 0)],
)
def test_what_an_address_skips(query: str, skipped: int) -> None:
    request = Request({"type": "http", "query_string": query.encode(), "headers": []})
    assert skipped_in(request) == skipped
