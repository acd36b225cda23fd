import re
from pathlib import Path

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


def test_calls_tokens_and_dollars_are_shown_by_purpose_model_and_night(dashboard: Dashboard, slept: Home) -> None:
    told = slept.command("cost", "--json").json["total"]
    page = visible_text(dashboard.get("/spend").text)
    assert f"in {told['calls']} calls" in page
    assert f"{told['input_tokens']:,} tokens in and {told['output_tokens']:,} out" in page
    assert "$0.00" in page
    assert "$0.0000" not in page, "dollars are said as on the page of the nights"
    assert "share of the tokens" in page
    (night,) = slept.command("history", "--json").json["nights"]
    assert re.search(rf'<text [^>]*text-anchor="middle">{night["night"]}</text>', dashboard.get("/spend").text)
    for words in ("attempts", "finding corrections", "simulated", "By night"):
        assert words in page


def test_what_is_unknown_stays_unknown(home_after: Home) -> None:
    import sqlite3

    with sqlite3.connect(home_after.folder / "sleep" / "data" / "sleep.db") as database:
        database.execute("UPDATE ledger SET usd = NULL, input_tokens = NULL, output_tokens = NULL, model = 'odd-1'")
    database.close()
    with entered(home_after) as dashboard:
        page = visible_text(dashboard.get("/spend").text)
    assert "unknown in" in page
    assert "tokens unknown" in page
    assert "No price was known for odd-1" in page
    assert "Calls of each night" in page, "what is known of all is drawn"
    assert "$0" not in page


def test_a_limit_of_the_month_is_shown_with_what_is_used(home_after: Home) -> None:
    assert home_after.command("config", "set", "budget.month_calls", "1000").code == 0
    with entered(home_after) as dashboard:
        assert "of 1,000 calls this month" in visible_text(dashboard.get("/spend").text)


def test_before_anything_was_spent_it_says_so(tmp_path: Path) -> None:
    with entered(Home(tmp_path)) as dashboard:
        page = visible_text(dashboard.get("/spend?span=all").text)
        assert "Nothing was spent: no night has called a model." in page
        assert dashboard.get("/spend?span=whatever").status == 404
