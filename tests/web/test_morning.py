"""A whole morning in a real browser, and the files on disk afterwards; and each page of it at every width."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Evidence, Lesson, Proposal, Task
from tests.builders import changed
from tests.cli.walked import rules, states, with_three_rules
from tests.command import Home
from tests.web.browser import HEIGHT, WIDTHS, Tab, complaints_at_each_width, tab
from tests.web.dashboard import Dashboard, entered

pytestmark = pytest.mark.browser
HOSTILE = (
    "<img src=x onerror=document.title='owned'></textarea><script>document.title='owned'</script>\"'>\x1b[31m\u202e"
)


@pytest.fixture
def morning(home: Home) -> Generator[Dashboard]:
    """The dashboard after a night that proposes three rules for one file."""
    with_three_rules(home)
    with entered(home) as dashboard:
        yield dashboard


def decide(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()


def follow(page: Page, link: str) -> None:
    page.get_by_role("link", name=link).click()
    page.wait_for_load_state()


def heading(page: Page) -> str:
    return page.locator("h1").inner_text()


@pytest.mark.parametrize("script", [True, False])
def test_a_whole_morning(chromium: Browser, axe: str, home: Home, morning: Dashboard, script: bool) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_bytes()
    with tab(chromium, dashboard=morning, java_script_enabled=script) as opened:
        page = opened.page
        page.goto(f"{morning.home}/inbox")
        assert heading(page) == "3 rules wait for you"
        assert page.locator("article h2").inner_text() == "Use pnpm, never npm."
        decide(page, "Adopt")
        assert heading(page) == "2 rules wait for you"
        assert rules(home) == ["- Use pnpm, never npm."]

        assert page.locator("article h2").inner_text() == "Be brief."
        page.get_by_text("Put it into your own words").click()
        page.get_by_label("The rule").fill("- Be brief, in one line.")
        decide(page, "Keep my words")
        assert "P-0001.2.1, untested" in page.get_by_role("status").inner_text()

        follow(page, "Answer in English.")
        page.get_by_label("Why not?").fill("I write German")
        decide(page, "Reject")
        assert "Rejected P-0001.3" in page.get_by_role("status").inner_text()
        assert heading(page) == "One rule waits for you"

        page.goto(f"{morning.home}/inbox/P-0001.1")
        assert "You adopted it" in page.locator("article").inner_text()
        page.goto(f"{morning.home}/inbox?did=P-0001.1")
        decide(page, "Undo")
        assert "P-0001.1 is taken back" in page.get_by_role("status").inner_text()
        assert path.read_bytes() == before

        follow(page, "Look at the rule")
        decide(page, "Adopt")
        decide(page, "Adopt")
        assert heading(page) == "Nothing waits for you"
        assert opened.errors == []
        if script:
            assert opened.complaints(axe) == []
    assert rules(home) == ["- Use pnpm, never npm.", "- Be brief, in one line."]
    assert states(home) == {
        "P-0001": "withdrawn",
        "P-0001.1": "adopted",
        "P-0001.2": "withdrawn",
        "P-0001.2.1": "adopted",
        "P-0001.3": "rejected",
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_a_rule_is_decided_on_without_scrolling_and_with_the_keyboard(
    chromium: Browser, home: Home, morning: Dashboard, width: int
) -> None:
    with tab(chromium, dashboard=morning, width=width) as opened:
        page = opened.page
        page.goto(f"{morning.home}/inbox")
        for name in ("Adopt", "Later", "Reject"):
            box = page.get_by_role("button", name=name, exact=True).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= HEIGHT, name
        page.get_by_role("link", name="All that was said, answered, measured and changed").focus()
        _is_seen(page)
        for name in ("Adopt", "Later", "Reject"):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.textContent") == name
        page.keyboard.press("Tab")
        page.keyboard.type("we moved on")
        page.keyboard.press("Enter")
        page.wait_for_load_state()
        assert "Rejected P-0001.1" in page.get_by_role("status").inner_text()
    assert states(home)["P-0001.1"] == "rejected"


def _is_seen(page: Page) -> None:
    """Check that the bar with the buttons doesn't lie over what has the focus."""
    page.wait_for_timeout(100)
    assert page.evaluate(
        """() => {
            const box = document.activeElement.getBoundingClientRect();
            return box.bottom <= document.querySelector('.decide').getBoundingClientRect().top + 1 && box.top >= 0;
        }"""
    )


def test_a_diff_that_is_stale_in_a_second_tab_is_refused_with_how_it_is_now(
    chromium: Browser, home: Home, morning: Dashboard
) -> None:
    with tab(chromium, dashboard=morning) as opened:
        second = opened.page.context.new_page()
        for page in (opened.page, second):
            page.goto(f"{morning.home}/inbox/P-0001.1")
        decide(opened.page, "Adopt")
        with second.expect_response("**/adopt") as answered:
            decide(second, "Adopt")
        assert answered.value.status == 409
        assert "decided on in the meantime" in second.get_by_role("alert").inner_text()
        assert "You adopted it" in second.locator("article").inner_text()
    assert rules(home) == ["- Use pnpm, never npm."]


def test_a_way_back_is_seen_and_taken_on_the_page_of_the_file(
    chromium: Browser, axe: str, home: Home, morning: Dashboard
) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_bytes()
    home.command("adopt", "P-0001.1")
    with tab(chromium, dashboard=morning, width=390) as opened:
        page = opened.page
        page.goto(f"{morning.home}/documents")
        follow(page, "~/work/shop-api/CLAUDE.md")
        assert opened.complaints(axe) == []
        follow(page, "See the way to this version")
        assert path.read_bytes() != before
        assert opened.complaints(axe) == []
        decide(page, "Go to version 0")
        assert "Nothing of ours is in it now" in page.locator("main").inner_text()
    assert path.read_bytes() == before


def test_a_task_is_changed_on_the_page_of_its_lesson(chromium: Browser, axe: str, morning: Dashboard) -> None:
    with tab(chromium, dashboard=morning) as opened:
        page = opened.page
        page.goto(f"{morning.home}/lessons")
        page.get_by_label("Words").fill("pnpm")
        decide(page, "Search")
        follow(page, "Use pnpm, never npm")
        page.get_by_text("Change this task").first.click()
        page.get_by_label("The request").first.fill("add a start script")
        page.get_by_role("button", name="Keep my version").first.click()
        assert "Your version is kept" in page.get_by_role("status").inner_text()
        page.get_by_text("Change this task").first.click()
        page.get_by_role("button", name="Drop", exact=True).first.click()
        page.wait_for_load_state()
        page.get_by_text("Change this task").first.click()
        assert page.get_by_role("button", name="Restore", exact=True).count() == 1
        assert opened.complaints(axe) == []


def test_each_page_of_it_reads_well_at_every_width(
    chromium: Browser, axe: str, home: Home, morning: Dashboard
) -> None:
    home.command("adopt", "P-0001.1")
    with tab(chromium, dashboard=morning) as opened:
        opened.page.goto(f"{morning.home}/documents")
        document = (
            opened.page.get_by_role("link", name="~/work/shop-api/CLAUDE.md").get_attribute("href") or ""
        ).removeprefix(morning.root)
        opened.page.goto(f"{morning.home}/lessons")
        lesson = (
            opened.page.get_by_role("link", name="Use pnpm, never npm").get_attribute("href") or ""
        ).removeprefix(morning.root)
    for address in ("/inbox?did=P-0001.1", "/inbox/P-0001.1", "/inbox/decided", document, f"{document}/to/0", lesson):
        found = complaints_at_each_width(chromium, axe, f"{morning.home}{address}", dashboard=morning)
        assert list(found) == [], address


def test_hostile_text_in_every_field_runs_nothing_and_breaks_no_page(
    chromium: Browser, axe: str, home: Home, morning: Dashboard
) -> None:
    _poison(home)
    with tab(chromium, dashboard=morning) as opened:
        opened.page.goto(f"{morning.home}/lessons")
        lesson = (opened.page.locator(".queue a").first.get_attribute("href") or "").removeprefix(morning.root)
    for address in ("/inbox", "/lessons", lesson):
        with tab(chromium, dashboard=morning, width=390) as opened:
            opened.page.goto(f"{morning.home}{address}")
            _is_inert(opened, axe)


def _is_inert(opened: Tab, axe: str) -> None:
    assert opened.page.evaluate("document.title") != "owned"
    assert opened.page.locator("main img, main script").count() == 0
    assert opened.complaints(axe) == []


def _poison(home: Home) -> None:
    """Put hostile text into everything that came from a transcript or a model."""
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        for table in ("proposals", "lessons", "tasks"):
            for name, body in store.execute(f"SELECT id, body FROM {table}").fetchall():  # noqa: S608
                poisoned = to_json(_poisoned(table, body))
                store.execute(f"UPDATE {table} SET body = ? WHERE id = ?", [poisoned, name])  # noqa: S608


def _poisoned(table: str, body: bytes) -> Proposal | Lesson | Task:
    if table == "lessons":
        lesson = from_json(body, Lesson)
        quotes = tuple(replace(quote, quote=HOSTILE) for quote in lesson.quotes)
        return replace(lesson, wording=HOSTILE, project=HOSTILE, quotes=quotes)
    if table == "tasks":
        return replace(from_json(body, Task), prompt=HOSTILE, context=HOSTILE)
    proposal = from_json(body, Proposal)
    said = tuple(Evidence(session=HOSTILE, turn=1, quote=HOSTILE) for _ in proposal.evidence)
    edits = tuple(replace(edit, content=f"- {HOSTILE}", reason=HOSTILE) for edit in proposal.edits)
    return changed(proposal, document=HOSTILE, summary=HOSTILE, evidence=said, edits=edits, one_model=HOSTILE)
