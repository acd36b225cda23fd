import json
import re

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


@pytest.mark.slow
def test_nights_are_listed_with_what_came_of_them(dashboard: Dashboard) -> None:
    page = visible_text(dashboard.get("/nights").text)
    assert "Today " in page
    assert "found something to propose" in page
    assert "shop-api/CLAUDE.md: proven, solved " in page
    assert "P-0001 waits for you" in page
    assert "90 % interval" in page
    assert "5 sessions" in page
    assert "$0.00" in page


def test_a_night_shows_its_report_and_its_files(dashboard: Dashboard, slept: Home) -> None:
    (night,) = slept.command("report", "--list", "--json").json["nights"]
    place = f"/nights/{night['night']}"
    page = visible_text(dashboard.get(place).text)
    assert "Use pnpm, never npm." in page
    assert "we always use pnpm here, never npm" in page, "the person's own words"
    assert "this report as a page by itself" in page
    assert page.index("What was tried") < page.index("What happened") < page.index("report.json")
    assert re.search(r"What happened .*\d\d:\d\d:\d\d The night begins", page)
    assert "The night ends" in page
    assert dashboard.get("/nights/2020-01-01").status == 404
    report = dashboard.get(f"{place}/report.json")
    assert report.headers["content-type"] == "application/json"
    assert json.loads(report.body)["night"] == night["night"]
    assert dashboard.get(f"{place}/diagnostics.json").status == 200
    for other in ("calls.jsonl", "report.md", "proposals", "nothing"):
        assert dashboard.get(f"{place}/{other}").status == 404


def test_a_page_of_a_night_may_use_its_own_style_and_nothing_else(home_after: Home) -> None:
    with entered(home_after) as dashboard:
        (folder,) = (home_after.folder / "sleep" / "data" / "nights").iterdir()
        (folder / "report.html").write_text("<style>b{}</style><script>alert(1)</script>", encoding="utf-8")
        policy = dashboard.get(f"/nights/{folder.name}/report.html").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "style-src 'sha256-" in policy
        assert "unsafe" not in policy

        (folder / "report.html").unlink()
        (folder / "report.html").symlink_to(home_after.folder / ".claude")
        assert dashboard.get(f"/nights/{folder.name}/report.html").status == 404


def test_only_some_nights_are_on_one_page(home_after: Home) -> None:
    with entered(home_after) as dashboard:
        assert "Next" not in dashboard.get("/nights").text
        for odd in ("x", "-3", "9" * 40, "%00", "999999"):
            reply = dashboard.get(f"/nights?skip={odd}")
            assert reply.status == 200
            assert "found something to propose" in reply.text


def parts(page: str) -> list[str]:
    """Return the headings of a page and the names of its charts, answers and changes, in their order."""
    return re.findall(
        r'<h[2345][^>]*>[^<]*|<article[^>]*>|<svg class="dot"[^>]*>|<div class="answer">|<pre[^>]*>', page
    )


def test_a_night_has_the_very_parts_of_its_report(dashboard: Dashboard, slept: Home) -> None:
    (night,) = slept.command("report", "--list", "--json").json["nights"]
    page = dashboard.get(f"/nights/{night['night']}").text.partition("What happened")[0]
    report = (slept.folder / "sleep" / "data" / "nights" / night["night"] / "report.html").read_text(encoding="utf-8")
    assert len(parts(report)) > 5
    assert parts(page)[: len(parts(report))] == parts(report)


@pytest.mark.slow
def test_a_proposal_is_decided_on_in_the_inbox_and_not_by_a_command(home_after: Home) -> None:
    with entered(home_after) as dashboard:
        (night,) = home_after.command("report", "--list", "--json").json["nights"]
        place = f"/nights/{night['night']}"
        page = dashboard.get(place).text
        assert '<a href="/inbox/P-0001">Decide on it</a>' in page
        assert "skillopt-sleep adopt" not in page
        assert dashboard.get("/inbox/P-0001").status == 200

        home_after.command("reject", "P-0001", "--reason", "we moved to bun")
        page = visible_text(dashboard.get(place).text)
        assert "You rejected it on" in page
        assert "«we moved to bun»" in page
        assert "Decide on it" not in page
