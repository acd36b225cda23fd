"""F110: hostile text in every field that comes from elsewhere is shown as text, on every page."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from skillopt_sleep.web.pages import GROUPS
from tests.command import Home
from tests.web.browser import tab
from tests.web.dashboard import Dashboard, entered

HOSTILE = (
    "<img src=x onerror=window.pwned=1><script>window.pwned=1</script><svg onload=window.pwned=1>"
    "<a href=javascript:window.pwned=1>x</a></textarea></title>' onmouseover='window.pwned=1' {{7*7}} \u202e=cmd|x"
)
LINK = re.compile(r'href="(/[^"#]+)"')
ALIEN = """() => [...document.querySelectorAll(
    'img, iframe, object, embed, base, svg script, [onerror], [onload], [onmouseover], a[href^="javascript:"]'
)].map(one => one.outerHTML).concat([...document.scripts].filter(one => !one.src).map(one => one.outerHTML))"""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home after a night over hostile sessions, in which everything that the night kept was made hostile too."""
    home = Home(tmp_path_factory.mktemp("hostile") / "ada")
    project = home.folder / "work" / "shop<img src=x onerror=window.pwned=1>"
    said = (f"create a script {HOSTILE}", f"no - we always use pnpm here, never npm. {HOSTILE}")
    home.had_sessions_in(project, (said,) * 4)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    data = home.folder / "sleep" / "data"
    shutil.copytree(data / "nights", home.folder / "kept")
    with closing(sqlite3.connect(data / "sleep.db")) as database, database:
        for table, column in (("nights", "report"), ("proposals", "body"), ("tasks", "body"), ("lessons", "body")):
            database.execute(
                f"UPDATE {table} SET {column} = CAST(replace(CAST({column} AS TEXT), 'npm', ?) AS BLOB)",  # noqa: S608
                (HOSTILE,),
            )
        database.execute("UPDATE ledger SET model = ?", (HOSTILE,))
        database.execute("UPDATE sessions SET project = ?, cwd = ?", (f"/{HOSTILE}", f"/{HOSTILE}"))
    for file in (data / "nights").rglob("*.jsonl"):
        file.write_text(file.read_text(encoding="utf-8").replace("CLAUDE.md", HOSTILE), encoding="utf-8")
    return home


def _places(dashboard: Dashboard) -> list[str]:
    """Return every page that can be reached from the navigation within two clicks."""
    found = [page.path for group in GROUPS for page in group]
    for path in list(found):
        for link in LINK.findall(dashboard.get(path).text):
            place = link.replace("&amp;", "&")
            if place not in found and not place.startswith(("/static", "/nights/..")):
                found.append(place)
    return found


@pytest.mark.slow
def test_nothing_hostile_becomes_a_tag(attacked: Home) -> None:
    with entered(attacked) as dashboard:
        places = _places(dashboard)
        assert len(places) > 15
        shown = 0
        for place in places:
            reply = dashboard.get(place)
            if "json" in reply.headers["content-type"]:
                continue
            assert "<img" not in reply.text, place
            assert "<script>window" not in reply.text, place
            assert "\u202e" not in reply.text, "what turns the text around is spelled out"
            assert ">49 " not in reply.text
            shown += "&lt;img src=x" in reply.text
        assert shown > 5, "the text is there, as text"


@pytest.mark.browser
def test_nothing_hostile_runs_in_a_browser(chromium: Browser, attacked: Home, tmp_path: Path) -> None:
    with entered(attacked) as dashboard, tab(chromium, dashboard=dashboard) as opened:
        for place in _places(dashboard):
            if place.endswith(".json"):
                continue
            opened.page.goto(dashboard.home + place)
            assert opened.page.evaluate(ALIEN) == [], place
            assert opened.page.evaluate("window.pwned") is None, place
        refused = [line for line in opened.errors if "Content Security Policy" in line]
        assert refused == []
