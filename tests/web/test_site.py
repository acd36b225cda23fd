from pathlib import Path

import pytest

from skillopt_sleep.example import MARKER
from skillopt_sleep.web.pages import GROUPS
from tests.cli.walked import with_three_rules
from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text
from tests.web.forms import follow, send


def test_every_page_of_the_navigation_can_be_opened_and_says_where_it_is(dashboard: Dashboard) -> None:
    for group in GROUPS:
        for page in group:
            reply = dashboard.get(page.path)
            assert reply.status == 200, page.path
            assert f'<a href="{page.path}" aria-current="page">{page.title}' in reply.text
            assert reply.text.count("<h1") == 1


@pytest.mark.slow
def test_the_navigation_says_on_every_page_how_many_rules_wait(home: Home) -> None:
    with_three_rules(home)
    with entered(home) as dashboard:
        for path in ("/lessons", "/inbox", "/nowhere"):
            assert navigation(dashboard.get(path).text).startswith("Inbox 3 Tonight"), path
        page = dashboard.get("/inbox/P-0001.2").text
        assert navigation(follow(dashboard, send(dashboard, page, "/inbox/P-0001.2/adopt"))).startswith("Inbox 2 ")
        home.command("reject", "P-0001.1", "P-0001.3")
        assert navigation(dashboard.get("/inbox").text).startswith("Inbox Tonight"), "nothing waits"


def test_the_example_says_on_every_page_that_it_is_one_and_a_persons_own_nights_never(
    tmp_path: Path, dashboard: Dashboard
) -> None:
    home = Home(tmp_path)
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / MARKER).touch()
    said = "This is the example: its sessions are made up, and a simulated model answered."
    with entered(home) as example:
        assert said in visible_text(example.get("/sessions").text)
    assert said not in visible_text(dashboard.get("/sessions").text)


def navigation(page: str) -> str:
    return visible_text(page.partition("<nav")[2].partition("</nav>")[0].partition(">")[2])
