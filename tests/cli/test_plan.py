import re
import shlex
import sqlite3
from pathlib import Path

import pytest

from tests.agents_at_night import Person
from tests.command import Home
from tests.example_night import EXAMPLE
from tests.sweeps import thinned


def test_a_plan_says_what_would_be_read_sent_and_spent(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    out = home.command("run", "--plan", "--backend", "openai", "--model", "m").out
    assert "5 of 5 unread sessions" in out
    assert "https://api.openai.com/v1" in out
    assert "300 calls" in out
    assert "Nothing has been sent." in out


def test_a_plan_names_the_address_that_claude_is_pointed_to(tmp_path: Path) -> None:
    person = Person(tmp_path)
    person.had_sessions()
    plan = ("run", "--plan", "--json", "--backend", "claude")
    assert person.command(*plan).json["sends_to"] == "claude at its own login"
    person.added["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9"
    assert person.command(*plan).json["sends_to"] == "claude at http://127.0.0.1:9 (on this machine)"


@pytest.mark.parametrize("limit", thinned([5, 100_000], every=2))
@pytest.mark.slow
def test_a_plan_says_an_estimate_and_the_limit(tmp_path: Path, limit: int) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text(f"[budget]\ncalls = {limit}\n", encoding="utf-8")

    calls = home.command("run", "--plan", "--json").json["calls"]
    out = home.command("run", "--plan").out

    low, high = calls["likely"]
    assert 0 < low <= high <= calls["at_most"] == limit
    assert f"at most {limit:,}, the night's limit" in out
    assert re.search(rf"Calls +about {low:,}", out)


@pytest.mark.slow
def test_the_plan_of_a_night_without_anything_new_says_only_that(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    out = home.command("run", "--plan", "--backend", "openai", "--model", "m").out
    assert "nothing new: nights have read 5 sessions" in out
    assert "No call would be made" in out
    assert "Limit" not in out
    assert "openai" not in out


@pytest.mark.slow
def test_a_plan_says_how_many_calls_the_last_night_made(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--backend", "simulated")
    made = home.command("report", "--cost", "--json").json["total"]["calls"]
    home.had_sessions([("cut a release", "no - we always use pnpm here, never npm")], days_ago=1)
    assert f"the last night made {made}" in home.command("run", "--plan", "--backend", "simulated").out


@pytest.mark.slow
def test_a_plan_of_a_first_night_estimates_its_calls_by_the_corrected_requests(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for days_ago, asked in enumerate(("cut a release", "add a package for charts", "write the ci file"), start=1):
        home.had_sessions([(asked, "no - we always use pnpm here, never npm")], days_ago=days_ago)
    plan = ("run", "--plan", "--backend", "simulated")
    found = re.search(r"about (\d+) to (\d+).* 3 corrected requests", " ".join(home.command(*plan).out.split()))
    assert found

    limit = tmp_path / "sleep" / "config.toml"
    limit.parent.mkdir(exist_ok=True)
    limit.write_text("[budget]\ncalls = 3\n", encoding="utf-8")
    assert "about 3 (" in home.command(*plan).out
    limit.unlink()

    assert home.command("run", "--backend", "simulated").code == 0
    assert int(found[1]) <= home.command("report", "--cost", "--json").json["total"]["calls"] <= int(found[2])
    assert "corrected request" not in home.command(*plan, "--again").out


def test_a_plan_counts_what_the_first_night_leaves_out_as_older(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([("create a run script", "no, use pnpm, never npm")], days_ago=40)
    answer = home.command("run", "--plan", "--json").json
    assert answer["sessions"] == {"seen": 1, "used": 0, "skipped": {"older": 1}}
    assert answer["sends_to"] == "nobody: no backend is named"


@pytest.mark.slow
def test_looking_further_back_reads_what_was_older(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions(days_ago=40)
    first = home.command("run", "--backend", "simulated", "--json").json
    assert first["verdict"] == "nothing_new"
    assert "harvest.lookback" in first["remedy"]
    (tmp_path / "sleep" / "config.toml").write_text('[harvest]\nlookback = "90d"\n', encoding="utf-8")
    assert home.command("run", "--backend", "simulated", "--json").json["verdict"] == "improved"


@pytest.mark.slow
def test_tasks_written_by_hand_are_counted_and_a_broken_file_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "tasks.toml").write_bytes((EXAMPLE / "tasks.toml").read_bytes())
    (tmp_path / "bad.toml").write_text("[[task]]\nprompt = 3\n", encoding="utf-8")
    (tmp_path / "sleep").mkdir()
    config = f'[harvest]\ntasks_files = ["{tmp_path}/tasks.toml", "{tmp_path}/bad.toml"]\n'
    (tmp_path / "sleep" / "config.toml").write_text(config, encoding="utf-8")
    answer = home.command("run", "--plan", "--json").json
    assert answer["reviewed_tasks"] == 4
    assert "bad.toml" in answer["errors"][0]
    assert "4 tasks written by hand" in home.command("harvest").out


@pytest.mark.slow
def test_a_plan_counts_what_the_months_limits_leave(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    (tmp_path / "sleep").mkdir()
    config = tmp_path / "sleep" / "config.toml"
    config.write_text("[budget]\nmonth_usd = 20\n", encoding="utf-8")
    home.command("run", "--backend", "simulated")
    with sqlite3.connect(tmp_path / "sleep" / "data" / "sleep.db") as database:
        (calls,) = database.execute("SELECT count(*) FROM ledger").fetchone()
        database.execute("UPDATE ledger SET usd = ?", (5 / calls,))
    database.close()

    plan = home.command("run", "--plan", "--json").json
    assert plan["limits"]["usd"] == pytest.approx(15)
    home.had_sessions([("cut a release", "no - we always use pnpm here, never npm")], days_ago=1)
    out = home.command("run", "--plan").out
    assert "$15.00" in out
    assert "this month's limit" in out

    config.write_text("[budget]\nmonth_usd = 4\n", encoding="utf-8")
    nothing = home.command("run", "--plan", "--json").json
    assert (nothing["limits"]["calls"], nothing["limits"]["tokens"], nothing["calls"]["at_most"]) == (0, 0, 0)


@pytest.mark.slow
def test_a_plan_names_a_project_whose_settings_can_not_be_used_and_goes_on_without_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    seen = home.command("run", "--plan", "--json").json
    name, count = next(iter(seen["projects"].items()))
    settings = Path(name) / ".skillopt-sleep" / "project.toml"
    settings.parent.mkdir(exist_ok=True, parents=True)
    settings.unlink(missing_ok=True)
    settings.symlink_to("/dev/zero")

    answer = home.command("run", "--plan", "--json").json

    assert answer["sessions"]["used"] == seen["sessions"]["used"] - count
    assert name not in answer["projects"]
    assert any(str(settings) in error for error in answer["errors"])


@pytest.mark.slow
def test_what_the_budget_does_not_reach_waits_for_later_nights_and_is_counted(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for name in ("one", "two"):
        talks = [(f"create the run script {number} of {name}", "no, use pnpm, never npm") for number in range(5)]
        home.had_sessions_in(tmp_path / name, talks)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncalls = 4\n", encoding="utf-8")
    answer = home.command("run", "--plan", "--json").json
    assert answer["sessions"] == {"seen": 10, "used": 1, "skipped": {"later": 9}}
    assert "9 sessions wait for later nights: the newest were read first" in answer["errors"][0]

    (tmp_path / "sleep" / "config.toml").write_text('[mine]\nminer = "heuristic"\n', encoding="utf-8")
    assert home.command("run", "--plan", "--json").json["sessions"]["used"] == 10


@pytest.mark.slow
def test_the_next_step_of_a_plan_is_the_command_that_runs_what_was_planned(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    options = ("--backend", "simulated", "--project", str(home.project), "--again")
    (step,) = re.findall(r"Next step +skillopt-sleep (.+)", home.command("run", "--plan", *options).out)
    assert home.command(*shlex.split(step)).code == 0
    for option in options:
        assert option in step


@pytest.mark.slow
def test_the_next_step_of_a_plan_consents_to_the_backend_that_was_shown(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    (tmp_path / "sleep").mkdir()
    settings = '[backend]\nname = "openai"\nmodel = "m"\nbase_url = "http://llm.example/v1"\n'
    for more, consent in (("", " --backend openai"), ("confirmed = true\n", "")):
        (tmp_path / "sleep" / "config.toml").write_text(settings + more, encoding="utf-8")
        assert re.findall(r"Next step +skillopt-sleep (.+)", home.command("run", "--plan").out) == [f"run{consent}"]


@pytest.mark.parametrize(
    ("backend", "words", "unsaid"),
    [
        (("auto",), ("no agent that is logged in",), ("Next step", "Sends        redacted")),
        (("claude",), ("as Claude Code reports them",), ("prices.", "unknown")),
        (("codex",), ("no price is known",), ("prices.",)),
        (("openai", "--model", "of-mine"), ("prices.of-mine",), ("NAME",)),
    ],
)
def test_a_plan_promises_no_login_and_asks_for_no_price_that_can_not_be_set(
    tmp_path: Path, backend: tuple[str, ...], words: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    person = Home(tmp_path)
    person.had_sessions()
    out = person.command("run", "--plan", "--backend", *backend, PATH="/nowhere").out
    assert "Calls" in out
    assert [word for word in words if word not in out] == []
    assert [word for word in unsaid if word in out] == []
