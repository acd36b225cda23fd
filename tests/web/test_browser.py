"""Every page in a real browser: no console error, no sideways scrolling, nothing that keeps people out."""

import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from skillopt_sleep.web.pages import GROUPS
from tests.command import Home
from tests.web.browser import complaints_at_each_width, launched, tab
from tests.web.dashboard import Dashboard, opened as opened_by, served

pytestmark = pytest.mark.browser
PATHS = [page.path for group in GROUPS for page in group]


@pytest.mark.parametrize("path", [*PATHS, "/nowhere"])
def test_every_page_reads_well_at_each_width(chromium: Browser, axe: str, dashboard: Dashboard, path: str) -> None:
    found = list(complaints_at_each_width(chromium, axe, dashboard.home + path, dashboard=dashboard))
    assert [line for line in found if "404" not in line or path != "/nowhere"] == []


def test_a_night_reads_well_at_each_width(chromium: Browser, axe: str, dashboard: Dashboard, slept: Home) -> None:
    (night,) = slept.command("report", "--list", "--json").json["nights"]
    address = f"{dashboard.home}/nights/{night['night']}"
    assert list(complaints_at_each_width(chromium, axe, address, dashboard=dashboard)) == []


def test_before_the_first_night_it_reads_well(chromium: Browser, axe: str, tmp_path: Path) -> None:
    with served(Home(tmp_path)) as (dashboard, _):
        dashboard.enter()
        found = complaints_at_each_width(chromium, axe, dashboard.home + "/", dashboard=dashboard)
        assert list(found) == []


def test_the_printed_address_leads_in_and_no_token_stays_behind(chromium: Browser, slept: Home) -> None:
    with served(slept) as (dashboard, _), tab(chromium) as opened:
        opened.page.goto(dashboard.address)
        opened.page.wait_for_selector("nav")
        assert "token" not in opened.page.url
        opened.page.click("nav a >> nth=0")
        assert "token" not in opened.page.evaluate("document.referrer")
        assert opened.page.evaluate("document.cookie") == "", "scripts don't see the cookie"


@pytest.mark.parametrize("script", [True, False])
def test_the_page_in_a_file_leads_in_and_no_token_stays_behind(
    chromium: Browser, tmp_path: Path, script: bool
) -> None:
    with opened_by(Home(tmp_path)) as (_, address), tab(chromium, java_script_enabled=script) as opened:
        opened.page.goto(address)
        if not script:
            opened.page.click("button")
        opened.page.wait_for_selector("nav")
        assert "token" not in opened.page.url
        assert [error for error in opened.errors if "401" not in error] == [], "it asks for an icon, too, outside"
        opened.page.reload()
        opened.page.wait_for_selector("nav")
        if script:  # without, there is the page in the file that is gone
            opened.page.go_back()
            opened.page.go_forward()
            opened.page.wait_for_selector("nav")


def test_a_visit_from_another_page_arrives_too(chromium: Browser, slept: Home, tmp_path: Path) -> None:
    page = tmp_path / "elsewhere.html"
    with served(slept) as (dashboard, _), tab(chromium) as opened:
        opened.page.goto(dashboard.address)
        page.write_text(f'<a href="{dashboard.home}/nights">there</a>', encoding="utf-8")
        opened.page.goto(page.as_uri())
        opened.page.click("a")
        opened.page.wait_for_selector("nav")
        assert opened.page.url.startswith(dashboard.home)


def test_the_cookie_goes_to_no_other_server_of_the_machine(chromium: Browser, slept: Home) -> None:
    with served(slept) as (dashboard, _), socket.create_server(("127.0.0.1", 0)) as other, tab(chromium) as opened:
        opened.page.goto(dashboard.address)
        opened.page.wait_for_selector("nav")
        assert opened.page.context.cookies(opened.page.url) != []
        other.settimeout(20)
        for path in ("/", "/inbox"):
            opened.page.evaluate(
                "address => { window.open(address) }", f"http://127.0.0.1:{other.getsockname()[1]}{path}"
            )
            with other.accept()[0] as asked:
                assert b"cookie" not in asked.recv(65_536).lower()


def test_a_rebound_name_is_refused(chromium: Browser, slept: Home) -> None:
    """F108: a name of another site that suddenly means this machine."""
    with served(slept) as (dashboard, _):
        dashboard.enter()
        resolver = f"--host-resolver-rules=MAP evil.test 127.0.0.1:{dashboard.port}"
        rebound = launched(chromium.browser_type, resolver)
        try:
            page = rebound.new_page()
            for route in ("/", "/nights", "/static/look.css", "/enter?token=x"):
                answer = page.goto(f"http://evil.test:{dashboard.port}{route}")
                assert answer is not None
                assert answer.status == 421
        finally:
            rebound.close()
