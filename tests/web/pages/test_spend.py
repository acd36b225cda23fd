from pathlib import Path

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


@pytest.mark.parametrize(
    ("by", "names"), [("night", []), ("purpose", ["attempts", "finding corrections"]), ("model", ["simulated"])]
)
def test_one_table_says_calls_tokens_and_dollars_by_what_is_asked_for(
    dashboard: Dashboard, slept: Home, by: str, names: list[str]
) -> None:
    told = slept.command("report", "--cost", "--json").json["total"]
    text = dashboard.get(f"/spend?by={by}").text
    page = visible_text(text)
    assert text.count("<table") == 1
    summed = f"{told['calls']} {told['input_tokens']:,} tokens in and {told['output_tokens']:,} out $0.00"
    assert f"all {summed}" in page
    assert "$0.0000" not in page, "dollars are said as on the page of the nights"
    (night,) = slept.command("report", "--list", "--json").json["nights"]
    for name in names or [f"{night['night']} {summed}"]:
        assert name in page


def test_what_is_unknown_stays_unknown(home_after: Home) -> None:
    import sqlite3

    with sqlite3.connect(home_after.folder / "sleep" / "data" / "sleep.db") as database:
        database.execute("UPDATE ledger SET usd = NULL, input_tokens = NULL, output_tokens = NULL, model = 'odd-1'")
    database.close()
    with entered(home_after) as dashboard:
        page = visible_text(dashboard.get("/spend").text)
    assert page.count(" tokens unknown unknown") == 2, "tokens and dollars of the night, and of all"
    assert "No price was known for odd-1" in page
    assert "$0" not in page


def test_a_limit_of_the_month_is_shown_with_what_is_used(home_after: Home) -> None:
    assert home_after.command("config", "set", "budget.month_usd", "1000").code == 0
    with entered(home_after) as dashboard:
        assert "of $1,000.00 this month" in visible_text(dashboard.get("/spend").text)


def test_before_anything_was_spent_it_says_so(tmp_path: Path) -> None:
    with entered(Home(tmp_path)) as dashboard:
        page = visible_text(dashboard.get("/spend?span=all").text)
        assert "Nothing was spent: no night has called a model yet." in page
        for query in ("span=whatever", "by=whatever"):
            assert dashboard.get(f"/spend?{query}").status == 404
