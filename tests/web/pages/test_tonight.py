from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Browser, expect

from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.stores.running import name_running
from skillopt_sleep.stores.sqlite import open_store
from tests.cli.test_status import a_night
from tests.command import Home
from tests.fakes import NOON, FakeMeter
from tests.web.browser import tab
from tests.web.dashboard import Dashboard, entered, visible_text


def test_a_running_night_is_shown_with_its_stages_and_its_spending(tmp_path: Path) -> None:
    home = Home(tmp_path)
    paths = find_paths(home.environment)
    store = open_store(Settings(), paths)
    with entered(home) as dashboard, store.open_night() as page:
        name_running(paths.data, night=page.night, started=NOON, folder=page.folder, most_calls=300, most_minutes=60)
        log = EventLog(page.folder, spent=FakeMeter().spend, clock=lambda: NOON)
        for number in range(10):
            log.advance(f"rollout {number}/CLAUDE.md", 1, 4)
        until = monotonic() + 20
        while "and 2 more" not in (shown := dashboard.get("/tonight").text):
            assert monotonic() < until
        log.close()
    store.close()
    assert "A night is running" in visible_text(shown)
    assert "attempts: 9/CLAUDE.md 1 of 4" in visible_text(shown)
    assert 'class="done" width="25.0%"' in shown


def test_if_none_runs_it_says_when_the_next_is_and_how_the_last_one_went(dashboard: Dashboard) -> None:
    page = visible_text(dashboard.get("/tonight").text)
    assert "No night is running" in page
    assert "Next night: not scheduled" in page
    assert "found something to propose" in page
    assert "The night begins" not in page, "its own page says how it went"
    assert 'id="live" data-seconds="15"' in dashboard.get("/tonight").text, "a night that begins later is seen"


def test_before_the_first_night_it_says_how_to_run_one(tmp_path: Path) -> None:
    with entered(Home(tmp_path)) as dashboard:
        page = visible_text(dashboard.get("/tonight").text)
    assert "skillopt-sleep run --plan" in page
    assert "Last night" not in page


@pytest.mark.browser
@pytest.mark.slow
def test_a_running_night_is_followed_to_its_end(chromium: Browser, tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    home.had_sessions()
    with a_night(home) as (held, _), entered(home) as dashboard, tab(chromium, dashboard=dashboard) as opened:
        page = opened.page
        page.goto(f"{dashboard.home}/tonight")
        expect(page.locator("h1")).to_have_text("A night is running")
        expect(page.locator(".stages")).to_contain_text("trying edits: shop-api/CLAUDE.md")
        expect(page.locator("#live")).to_contain_text("of at most 300 calls")
        expect(page.locator("table")).to_contain_text("The night begins")
        held.go_on.set()
        expect(page.locator("h1")).to_have_text("No night is running", timeout=60_000)
        expect(page.locator("#live")).to_contain_text("found something to propose")
        assert opened.errors == []
