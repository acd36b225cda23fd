from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.command import Home
from tests.sessions import Exchange, claude_session


def test_it_lists_every_session_with_what_was_typed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([("create a run script", "no, use pnpm, never npm")])
    answer = home.command("harvest", "--json").json
    (session,) = answer["sessions"]
    assert session["id"].startswith("claude_code:")
    assert session["project"] == str(home.project)
    assert [t["text"] for t in session["turns"] if t["origin"] == "user"] == [
        "create a run script",
        "no, use pnpm, never npm",
    ]
    assert (session["tools"], session["errors"]) == (1, 0)
    assert answer["skipped"] == {}


def test_what_a_program_started_is_counted_and_read_only_when_asked_for(tmp_path: Path) -> None:
    home = Home(tmp_path)
    started = datetime.now(UTC) - timedelta(hours=5)
    folder = tmp_path / ".claude" / "projects"
    claude_session(folder, cwd=str(home.project), started=started, exchanges=[Exchange("hi", "ho")], headless=True)
    assert home.command("harvest", "--json").json == {"sessions": [], "skipped": {"headless": 1}}
    assert len(home.command("harvest", "--include-headless", "--json").json["sessions"]) == 1
    assert "1  left out: headless" in home.command("harvest").out


def test_old_sessions_are_shown_although_the_first_night_would_not_read_them(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([("create a run script", "no, use pnpm, never npm")], days_ago=40)
    assert len(home.command("harvest", "--json").json["sessions"]) == 1
