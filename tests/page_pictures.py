"""Take the pictures of pages that the documentation shows, in a real browser: `python -m tests.page_pictures`.

Each is taken of the example night. Beside it stands what the page says, by which a test tells that it is out of date.
"""

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillopt_sleep.records import PAGE, Spend
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.stores.running import name_running
from tests.documented import masked
from tests.example_home import MORNING, ExampleHome, example_home
from tests.web.browser import launched
from tests.web.dashboard import Dashboard, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SHOWN = "~/.local/share/skillopt-sleep"
WIDTH, HEIGHT = 1100, 1500
SCALE = 1.5  # pixels of the picture for each of the page
STAGES = (("rollout invoices/CLAUDE.md", 3, 8), ("trial shop-api/CLAUDE.md", 12, 16))


class Picture(NamedTuple):
    """A picture of a page, and what the page says."""

    name: str
    png: bytes
    words: str


def main() -> None:
    """Write each picture with its words."""
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for picture in pictures(browser):
            (PICTURES / f"{picture.name}.png").write_bytes(picture.png)
            (PICTURES / f"{picture.name}.txt").write_text(picture.words, encoding="utf-8")
        browser.close()


def pictures(browser: "Browser") -> Iterator[Picture]:
    """Take each picture: the report, what waits, the lessons, and a night that runs."""
    with example_home() as home:
        yield _report(browser, home)
        with served(home) as (dashboard, _):
            dashboard.enter()
            yield _of_dashboard(browser, home, dashboard, "inbox", "/inbox")
            yield _of_dashboard(browser, home, dashboard, "lessons", "/lessons")
            with _running(home):
                yield _of_dashboard(browser, home, dashboard, "tonight", "/tonight")


def _report(browser: "Browser", home: ExampleHome) -> Picture:
    """Take the first screen of the report."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE)
    (path,) = (home.store / "data" / "nights").glob(f"*/{PAGE}")
    copied = home.folder / PAGE
    copied.write_text(path.read_text(encoding="utf-8").replace("~/data", SHOWN), encoding="utf-8")
    page.goto(copied.as_uri())
    end = page.locator("main").bounding_box()
    assert end is not None
    return _taken(page, "report", min(end["y"] + end["height"] + 20, HEIGHT), "main")


def _of_dashboard(browser: "Browser", home: ExampleHome, dashboard: Dashboard, name: str, path: str) -> Picture:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE)
    cookie, _, value = dashboard.cookie.partition("=")
    context.add_cookies([{"name": cookie, "value": value, "url": dashboard.home, "sameSite": "Strict"}])
    page = context.new_page()
    page.goto(dashboard.home + path)
    page.evaluate(
        """([was, shown]) => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) walk.currentNode.data = walk.currentNode.data.split(was).join(shown); }""",
        [str(home.folder / "data"), SHOWN],
    )
    bottom = page.locator("main").bounding_box()
    assert bottom is not None
    return _taken(page, name, min(bottom["y"] + bottom["height"] + 20, HEIGHT), "main")


def _taken(page: "Page", name: str, height: float, shown: str) -> Picture:
    """Take a picture down to a height, with the words of what is `shown` in it."""
    png = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
    words = " ".join(page.locator(shown).all_inner_texts())
    return Picture(name, png, masked(words) + "\n")


@contextmanager
def _running(home: ExampleHome) -> Generator[None]:
    """Let this process look like one that runs the next night of the home."""
    data = home.store / "data"
    night = data / "nights" / f"{MORNING:%Y-%m-%d}-2"
    night.mkdir()
    started = MORNING - timedelta(minutes=7)
    log = EventLog(night, spent=lambda: Spend(calls=118, tokens=52_100, usd=0.31), clock=lambda: started)
    for label, done, total in STAGES:
        log.advance(label, done, total)
    name_running(data, night=night.name, started=started, folder=night, most_calls=300, most_minutes=60)
    try:
        yield
    finally:
        log.close()
        shutil.rmtree(night)


if __name__ == "__main__":
    main()
