"""The page of a night in a real browser: at each width, light and dark, printed, and by keyboard."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from tests.builders import changed
from tests.reporters.reports import REPORTS, page as render
from tests.web.browser import complaints_at_each_width, tab

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLE = Path(__file__).parents[2] / ".skillopt-sleep.example" / "nights" / "example" / "report.html"
PRINTED = 640  # CSS pixels between the margins of a page of A4
LONG = "a" * 400

pytestmark = pytest.mark.browser


def written(tmp_path: Path, name: str) -> str:
    report = REPORTS[name]
    if name == "improved":
        (proposal,) = report.proposals
        report = replace(report, proposals=(changed(proposal, document=f"{LONG}/CLAUDE.md", summary=LONG),))
    path = tmp_path / "report.html"
    path.write_text(render(report, folder=tmp_path), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("name", ["improved", "nothing new", "nasty", "backend failed"])
def test_no_night_has_anything_to_complain_about(name: str, chromium: "Browser", axe: str, tmp_path: Path) -> None:
    assert list(complaints_at_each_width(chromium, axe, written(tmp_path, name))) == []


def test_the_example_night_has_nothing_to_complain_about(chromium: "Browser", axe: str) -> None:
    assert list(complaints_at_each_width(chromium, axe, EXAMPLE.as_uri())) == []


def test_printed_nothing_is_wider_than_the_paper_and_no_row_or_card_head_is_cut(chromium: "Browser") -> None:
    with tab(chromium, width=PRINTED) as opened:
        opened.page.goto(EXAMPLE.as_uri())
        opened.page.emulate_media(media="print")
        over: Any = opened.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0
        inside: Any = opened.page.evaluate(
            "[...document.querySelectorAll('tr, .proposal, figure')].map(one => getComputedStyle(one).breakInside)"
        )
        assert inside
        assert set(inside) == {"avoid"}


CUT = """() => [...document.querySelectorAll('body *')].filter(one => {
    const style = getComputedStyle(one);
    const clips = style.overflowX !== 'visible' && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1;
    const box = one.getBoundingClientRect();
    const outside = box.width > 0 && box.right > document.documentElement.clientWidth + 1;
    return !one.closest('svg') && (clips || outside);
}).map(one => one.outerHTML.slice(0, 120))"""
UNSEEN = """() => [...document.querySelectorAll('table, dl, pre, li, details > p')].filter(
    one => !one.checkVisibility({contentVisibilityAuto: true}) || one.getBoundingClientRect().height === 0
).map(one => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", ["example", "improved", "nasty"])
def test_printed_to_pdf_no_table_is_cut_and_nothing_folded_is_left_out(
    name: str, chromium: "Browser", tmp_path: Path
) -> None:
    address = EXAMPLE.as_uri() if name == "example" else written(tmp_path, name)
    with tab(chromium, width=PRINTED) as opened:
        opened.page.goto(address)
        assert opened.page.locator("details:not([open])").count() > 0
        assert opened.page.evaluate(UNSEEN) != [], "on the screen it is folded"
        opened.page.emulate_media(media="print")
        assert opened.page.evaluate(CUT) == []
        assert opened.page.evaluate(UNSEEN) == []
        printed = opened.page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 1
    assert len(printed) > 10_000


def test_the_statistics_open_by_keyboard_alone(chromium: "Browser") -> None:
    with tab(chromium) as opened:
        opened.page.goto(EXAMPLE.as_uri())
        for _ in range(20):
            opened.page.keyboard.press("Tab")
            if opened.page.evaluate("document.activeElement.tagName") == "SUMMARY":
                break
        opened.page.keyboard.press("Enter")
        assert opened.page.locator("details[open]").count() == 1
