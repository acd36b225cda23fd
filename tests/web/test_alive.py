"""An open page says when the dashboard has ended, when it answers again, and when another one was started."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.command import Home
from tests.sweeps import sampled
from tests.web.browser import tab
from tests.web.dashboard import Dashboard, served, visible_text

ENDED = "The dashboard has ended"
RENEWED = "The dashboard was started again"


def test_alive_answers_who_was_let_in_and_nobody_else(dashboard: Dashboard) -> None:
    reply = dashboard.get("/alive")
    assert (reply.status, reply.body) == (204, b"")
    assert dashboard.ask("GET", "/alive").status == 401


def test_without_scripts_nothing_is_said_of_an_end(dashboard: Dashboard) -> None:
    page = dashboard.get("/inbox").text
    for line in ("ended", "renewed"):
        assert f'id="{line}" class="note careful" hidden' in page
    assert "skillopt-sleep web" in visible_text(page)


@pytest.mark.browser
@pytest.mark.parametrize("path", sampled(["/inbox", "/tonight", "/settings"], every=3))
def test_an_open_page_says_that_the_dashboard_ended_and_that_another_was_started(
    chromium: Browser, axe: str, slept: Home, path: str
) -> None:
    with tab(chromium) as opened:
        page = opened.page
        with served(slept) as (dashboard, _):
            page.goto(dashboard.address)
            page.goto(dashboard.home + path)
            shown = page.locator("h1").inner_text()
            expect(page.get_by_text(ENDED)).to_be_hidden()
            assert opened.complaints(axe) == []
        expect(page.get_by_text(ENDED)).to_be_visible(timeout=10_000)
        assert "skillopt-sleep web" in page.get_by_text(ENDED).inner_text()
        _stays(page, shown)
        with served(slept, "--port", str(dashboard.port)):
            expect(page.get_by_text(RENEWED)).to_be_visible(timeout=10_000)
            expect(page.get_by_text(ENDED)).to_be_hidden()
            _stays(page, shown)


@pytest.mark.browser
def test_what_was_typed_stays_if_the_dashboard_ended_and_the_line_goes_once_it_answers(
    chromium: Browser, dashboard: Dashboard
) -> None:
    with tab(chromium, dashboard=dashboard) as opened:
        page = opened.page
        page.goto(f"{dashboard.home}/inbox")
        page.get_by_label("Why not?").fill("not yet")
        page.context.set_offline(True)
        expect(page.get_by_text(ENDED)).to_be_visible(timeout=10_000)
        page.get_by_role("button", name="Reject").click()
        assert page.get_by_label("Why not?").input_value() == "not yet"
        page.context.set_offline(False)
        expect(page.get_by_text(ENDED)).to_be_hidden(timeout=10_000)


def _stays(page: Page, shown: str) -> None:
    """Wait for what the page asks for by itself, and check that it is still there."""
    page.wait_for_timeout(2_500)
    assert page.locator("h1").inner_text() == shown
