"""A real browser for tests marked `browser`: it opens pages at each width, light and dark, and says what is wrong."""

import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.npm import installed
from tests.web.dashboard import Dashboard

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserType, ConsoleMessage, Error, Page

AXE = "4.14.1"
PROGRAM = "SKILLOPT_SLEEP_TEST_CHROMIUM"
WIDTHS = (390, 820, 1440)
HEIGHT = 900
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_FINDINGS = """() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(
    rule => `${rule.id}: ${rule.help}: ` + rule.nodes.map(node => `${node.html} ${node.any.map(one => one.message)}`).join(' | ')
))"""


@pytest.fixture(scope="session")
def chromium() -> "Generator[Browser]":
    """The browser; a test that wants it is skipped where there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        yield browser
        browser.close()


def launched(kind: "BrowserType", *arguments: str) -> "Browser":
    """Start the browser that is installed."""
    program = os.environ.get(PROGRAM) or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip(f"no Chromium is installed (or name one in {PROGRAM})")
    return kind.launch(executable_path=program, args=["--no-sandbox", *arguments])


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that finds what keeps people out of a page."""
    folder = installed(f"axe-{AXE}", {"axe-core": AXE})
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


class Tab:
    """A tab of the browser, and what its console said in anger."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", self._failed)

    def _heard(self, message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            self.errors.append(message.text)

    def _failed(self, error: "Error") -> None:
        self.errors.append(str(error))

    def complaints(self, axe: str) -> list[str]:
        """Return everything that is wrong with the page: console errors, sideways scrolling, and findings of axe."""
        found = [f"console: {error}" for error in self.errors]
        over: Any = self.page.evaluate(_OVERFLOW)
        if over > 0:
            found.append(f"{over} px too wide: {self.page.evaluate(_WIDEST)}")
        if self.page.evaluate("typeof axe") == "undefined":
            self.page.evaluate(axe)
        findings: list[str] = self.page.evaluate(_FINDINGS)
        return [*found, *findings]


_WIDEST = """() => [...document.querySelectorAll('body *')].filter(
    one => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).slice(0, 3).map(one => one.outerHTML.slice(0, 120)).join(' | ')"""


@contextmanager
def tab(
    browser: "Browser",
    *,
    width: int = 1440,
    scheme: Scheme = "light",
    dashboard: Dashboard | None = None,
    **more: Any,
) -> Generator[Tab]:
    """Open a tab of this width and colour scheme, that a dashboard already knows if one is named."""
    context = browser.new_context(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, **more)
    if dashboard is not None:
        name, _, value = dashboard.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": dashboard.home, "sameSite": "Strict"}])
    try:
        yield Tab(context.new_page())
    finally:
        context.close()


def complaints_at_each_width(
    browser: "Browser", axe: str, address: str, *, dashboard: Dashboard | None = None, shots: Path | None = None
) -> Iterator[str]:
    """Yield what is wrong with a page at each width, light and dark; pictures of it are left in `shots`.

    Also used for pages in files, by an address such as `file:///…/report.html`.
    """
    with tab(browser, dashboard=dashboard) as opened:
        opened.page.goto(address, wait_until="load")
        for scheme in SCHEMES:
            opened.page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                opened.page.set_viewport_size({"width": width, "height": HEIGHT})
                for complaint in opened.complaints(axe):
                    yield f"{width} {scheme}: {complaint}"
                opened.errors.clear()
                if shots is not None:
                    shots.mkdir(parents=True, exist_ok=True)
                    name = address.rstrip("/").rpartition("/")[2] or "home"
                    opened.page.screenshot(path=shots / f"{name}-{width}-{scheme}.png", full_page=True)
