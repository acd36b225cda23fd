"""Each file with rules says what its lines rest on and how it was, and goes back there as it was shown."""

from html import unescape
from pathlib import Path

import pytest

from tests.cli.walked import rules, states
from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text
from tests.web.forms import follow, send


def document(home: Home) -> Path:
    return home.project / "CLAUDE.md"


def page_of(dashboard: Dashboard, name: str = "shop-api/CLAUDE.md") -> str:
    """The address of a file's page."""
    listed = dashboard.get("/documents").text
    before = listed.partition(f"{name}</a>")[0]
    return before.rpartition('href="')[2].partition('"')[0]


def said(page: str) -> str:
    return unescape(visible_text(page))


def test_before_the_first_adoption_there_is_no_file_and_it_says_where_to_look(home: Home) -> None:
    with entered(home) as dashboard:
        assert "Nothing was adopted yet" in visible_text(dashboard.get("/documents").text)


@pytest.mark.slow
def test_each_line_has_the_words_behind_it_its_trial_and_the_decision(home: Home) -> None:
    home.command("adopt", "P-0001")
    with entered(home) as dashboard:
        listed = said(dashboard.get("/documents").text)
        assert "~/work/shop-api/CLAUDE.md 1 line 1 version" in listed
        text = dashboard.get(page_of(dashboard)).text
        for words in ("P-0001", "1 · P-0001 adopted, as it is now"):
            assert f'<a href="/inbox/P-0001">{words}</a>' in text, "the line and the version lead to it"
        page = said(text)
    for words in (
        "- Use pnpm, never npm.",
        "we always use pnpm here, never npm",
        "It was tried: without the rule",
        "You adopted it on",
        "P-0001",
        "1 · P-0001 adopted",
        "0 · nothing of ours is in it",
        "What it changed",
    ):
        assert words in page, words
    assert "vitest" not in page, "the person's own lines are no business of this page"


@pytest.mark.slow
def test_a_line_is_taken_out_on_its_page_and_the_file_is_as_before(home: Home) -> None:
    before = document(home).read_bytes()
    home.command("adopt", "P-0001")
    with entered(home) as dashboard:
        address = page_of(dashboard)
        page = dashboard.get(address).text
        after = follow(dashboard, send(dashboard, page, "/inbox/P-0001/undo"))
        assert "P-0001 is taken back" in said(after)
        assert "Nothing of ours is in it now" in said(after)
        assert send(dashboard, page, "/inbox/P-0001/undo").status == 409, "another tab still shows it"
        away = send(dashboard, page, "/inbox/P-0001/undo", back="//evil.example/")
        assert away.status == 409
    assert document(home).read_bytes() == before


@pytest.mark.slow
def test_a_file_goes_to_a_version_only_as_it_was_shown(home: Home) -> None:
    before = document(home).read_bytes()
    home.command("adopt", "P-0001")
    with entered(home) as dashboard:
        address = f"{page_of(dashboard)}/to/0"
        way = dashboard.get(address).text
        assert "undo P-0001" in said(way)
        assert states(home) == {"P-0001": "adopted"}, "looking changes nothing"
        document(home).write_bytes(document(home).read_bytes() + b"A line of mine.\n")
        stale = send(dashboard, way, address)
        assert stale.status == 409
        assert rules(home) == ["- Use pnpm, never npm."]
        after = said(follow(dashboard, send(dashboard, stale.text, address)))
        assert "is as it was in version 0" in after
        assert document(home).read_bytes() == before + b"A line of mine.\n"
        back = f"{page_of(dashboard)}/to/1"
        follow(dashboard, send(dashboard, dashboard.get(back).text, back))
    assert rules(home) == ["- Use pnpm, never npm."]


@pytest.mark.slow
def test_rules_edited_by_hand_are_named_before_the_way_is_taken(home: Home) -> None:
    home.command("adopt", "P-0001")
    text = document(home).read_text(encoding="utf-8")
    document(home).write_text(text.replace("never npm.", "never npm.\n- A rule of mine."), encoding="utf-8")
    with entered(home) as dashboard:
        address = f"{page_of(dashboard)}/to/0"
        way = dashboard.get(address).text
        assert "you edited our lines in ~/work/shop-api/CLAUDE.md by hand" in said(way)
        follow(dashboard, send(dashboard, way, address))
    assert rules(home) == ["- A rule of mine."]


def test_only_files_with_rules_have_a_page(home: Home) -> None:
    with entered(home) as dashboard:
        for address in ("/documents/..%2f..%2fetc%2fpasswd", "/documents/0123456789ab", "/documents/x/to/0"):
            assert dashboard.get(address).status == 404
