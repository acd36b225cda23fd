import base64
import hashlib
from pathlib import Path

import pytest
from starlette.requests import Request

from skillopt_sleep.example import MARKER
from skillopt_sleep.pages.blocks import Link
from skillopt_sleep.web.pages import GROUPS
from skillopt_sleep.web.site import Messages, file_at, key_of, paged, skipped_in, whole_page
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


def asking(query: str) -> Request:
    return Request({"type": "http", "path": "/rows", "query_string": query.encode(), "headers": []})


@pytest.mark.parametrize(
    ("rows", "skipped", "numbers"),
    [
        (0, 0, (0, 0, None, None)),
        (0, 7, (0, 0, None, None)),
        (3, 0, (1, 3, None, None)),
        (7, 0, (1, 3, None, 3)),
        (7, 3, (4, 6, 0, 6)),
        (7, 6, (7, 7, 3, None)),
        (7, 999, (7, 7, 3, None)),
        (6, 6, (4, 6, 0, None)),
    ],
)
def test_a_long_list_is_shown_some_rows_at_a_time(rows: int, skipped: int, numbers: tuple[int | None, ...]) -> None:
    part = paged(asking(f"skip={skipped}"), range(1, rows + 1), at_once=3).each(str)
    first, last, newer, older = numbers
    assert (part.first, part.last) == (first, last)
    assert part.newer == ("" if newer is None else f"/rows?skip={newer}")
    assert part.older == ("" if older is None else f"/rows?skip={older}")
    assert part.shown == [str(number) for number in range(part.first, part.last + 1) if rows]


def test_the_rest_of_a_list_is_asked_for_as_its_first_page_was_and_says_nothing_twice() -> None:
    part = paged(asking("words=a+b&rules=2&said=x&did=P-1&turn=9"), range(9), at_once=3, name="rules", path="/here")
    assert part.older == "/here?words=a+b&rules=5"


@pytest.mark.parametrize(
    ("query", "skipped"),
    [("", 0), ("skip=30", 30), ("skip=-1", 0), ("skip=x", 0), ("skip=" + "9" * 40, 0), ("skip=\u0663", 0)],
)
def test_what_an_address_skips(query: str, skipped: int) -> None:
    assert skipped_in(asking(query)) == skipped


def test_a_page_may_use_its_own_style_and_nothing_else() -> None:
    response = whole_page(b"<style>b{color:red}</style><script>alert(1)</script>")
    policy = response.headers["content-security-policy"]
    digest = base64.b64encode(hashlib.sha256(b"b{color:red}").digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "refresh" not in response.headers


def test_a_page_that_goes_on_is_loaded_again() -> None:
    assert whole_page(b"", again=10).headers["refresh"] == "10"


def test_a_file_is_named_by_its_path_and_not_shown_in_the_address() -> None:
    assert file_at(Path("/home/a/AGENTS.md")) == f"/documents/{key_of(Path('/home/a/AGENTS.md'))}"
    assert key_of(Path("/home/a/AGENTS.md")) != key_of(Path("/home/b/AGENTS.md"))
    assert "home" not in file_at(Path("/home/a/AGENTS.md"))


def test_a_turn_is_a_place_on_its_sessions_page_whatever_the_session_is_called() -> None:
    link = Link.to_turn("in its place", "codex:a b&c#d", 3)
    assert link.address == "/sessions/one?id=codex%3Aa%20b%26c%23d&turn=3#turn-3"


def test_a_message_is_shown_once_and_only_a_few_are_kept() -> None:
    messages = Messages()
    first = messages.keep("adopted P-0001")
    assert messages.take(first) == "adopted P-0001"
    assert messages.take(first) == ""
    names = [messages.keep(str(number)) for number in range(50)]
    assert messages.take(names[0]) == ""
    assert messages.take(names[-1]) == "49"
