import re
from html import unescape

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


def shown(page: str) -> str:
    """The file that the page shows."""
    found = re.search(r'<pre class="config"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found
    return unescape(re.sub("<[^>]*>", "", found[1].replace("</span>", "\n")))


def test_the_commented_file_is_shown_with_every_key_and_nothing_to_fill_in(dashboard: Dashboard, slept: Home) -> None:
    page = dashboard.get("/settings").text
    assert shown(page).split() == slept.command("config", "show").out.split()
    assert "# A month's dollars" in shown(page)
    assert "skillopt-sleep config set budget.calls 200" in visible_text(page)
    assert "<form" not in page
    assert dashboard.post("/settings", {"key": "budget.calls", "value": "1"}, shown_on="/inbox").status == 405
    assert dashboard.post("/settings/ask", {}, shown_on="/inbox").status == 404


def test_what_was_set_is_named_with_the_place_where_it_is_set(home_after: Home) -> None:
    assert home_after.command("config", "set", "budget.calls", "120").code == 0
    with entered(home_after) as dashboard:
        page = dashboard.get("/settings").text
    assert re.search(
        "What you set key set in budget.calls [^ ]*/config.toml notify.when SKILLOPT_SLEEP_NOTIFY_WHEN",
        visible_text(page),
    )
    assert "calls = 120" in shown(page)


def test_a_file_that_is_wrong_is_said_and_the_defaults_are_shown(home_after: Home) -> None:
    (home_after.folder / "sleep" / "config.toml").write_text('[budget]\ncalls = "few"\n', encoding="utf-8")
    with entered(home_after) as dashboard:
        page = dashboard.get("/settings").text
    assert "Your settings can't be read" in visible_text(page)
    assert "calls = 300" in shown(page)
