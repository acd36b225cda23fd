import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


def test_what_was_read_and_left_out_is_listed(dashboard: Dashboard) -> None:
    page = visible_text(dashboard.get("/sessions").text)
    assert "5 of 5 files hold a session to learn from" in page
    assert "You typed 10 prompts." in page
    assert "shop-api" in page
    assert page.count("read by") == 5
    assert "create a run script Claude Code, ~/work/shop-api" in page
    assert "claude_code" not in page


def test_a_session_says_why_it_is_used_and_what_was_typed(dashboard: Dashboard, slept: Home) -> None:
    told = slept.command("harvest", "--json").json["sessions"][0]
    page = visible_text(dashboard.get(f"/sessions/one?id={quote(told['id'])}").text)
    assert f"Sessions {told['turns'][0]['text']} Used. A person typed" in page, "it is named by what was first asked"
    assert f"Agent: Claude Code Id: {told['id']} File:" in page
    assert "A person typed in it, it has ended, and nothing excludes it." in page
    assert told["turns"][0]["text"] in page
    assert "Turn 0 · request" in page
    assert "Turn 2 · correction of turn 0" in page
    assert "Lessons that came up in it Use pnpm, never npm" in page
    text = dashboard.get(f"/sessions/one?id={quote(told['id'])}").text
    for link in (r"/lessons/l-\w+", r"/nights/[\w-]+"):
        found = re.search(f'href="({link})"', text)
        assert found
        assert dashboard.get(found[1]).status == 200
    for other in ("", "?id=nothing", "?id=codex"):
        assert dashboard.get(f"/sessions/one{other}").status == 404


@pytest.mark.slow
def test_many_projects_are_shown_a_page_at_a_time(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for number in range(22):
        home.had_sessions_in(tmp_path / "work" / f"w{number:02}", (("fix the build", "use pnpm, not npm"),))
    with entered(home) as dashboard:
        dashboard.post("/sessions/look", {}, shown_on="/sessions")
        pages = [dashboard.get(address).text for address in ("/sessions", "/sessions?projects=20")]
    shown = [re.findall(r'<th scope="row">[^<]*(w\d\d)</th>', page) for page in pages]
    assert [len(names) for names in shown] == [20, 2]
    assert len({*shown[0], *shown[1]}) == 22
    assert "/sessions?projects=20" in pages[0]
    assert "/sessions?projects=0" in pages[1]


def test_only_those_of_one_reason_are_listed(dashboard: Dashboard) -> None:
    assert "read by" not in dashboard.get("/sessions?only=subagent").text
    assert dashboard.get("/sessions?only=used").text.count("read by") == 5
    assert dashboard.get("/sessions?only=whatever").status == 404


def test_new_sessions_are_looked_for_when_asked_and_not_before(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with entered(home) as dashboard:
        assert "Nothing has been read yet." in dashboard.get("/sessions").text
        assert not (home.folder / "sleep" / "data" / "sleep.db").exists()
        reply = dashboard.post("/sessions/look", {}, shown_on="/sessions")
        assert reply.status == 303
        page = visible_text(dashboard.get(reply.headers["location"]).text)
        assert "5 new sessions" in page
        assert "waits for a night" in page
        assert "5 new sessions" not in dashboard.get(reply.headers["location"]).text, "it is said once"
        assert dashboard.ask("POST", "/sessions/look", dashboard.form_headers(), b"").status == 403
