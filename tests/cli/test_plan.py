from pathlib import Path

from tests.command import Home


def test_a_plan_says_what_would_be_read_sent_and_spent(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    out = home.command("run", "--plan", "--backend", "openai", "--model", "m").out
    assert "would read 5 of 5 unread sessions" in out
    assert "https://api.openai.com/v1" in out
    assert "at most 300 calls" in out
    assert "Nothing was sent now." in out


def test_a_plan_counts_what_the_first_night_leaves_out_as_older(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([("create a run script", "no, use pnpm, never npm")], days_ago=40)
    answer = home.command("run", "--plan", "--json").json
    assert answer["sessions"] == {"seen": 1, "used": 0, "skipped": {"older": 1}}
    assert answer["sends_to"] == "nobody: no backend is named"
