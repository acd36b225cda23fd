import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ASKS, Home


def holding(home: Home, words: str) -> list[str]:
    """Every file of ours that holds these words."""
    return sorted(
        file.name
        for file in (home.folder / "sleep").rglob("*")
        if file.is_file() and words.encode() in file.read_bytes().lower()
    )


@pytest.fixture
def session(home: Home) -> str:
    """The id of the session that asked for a run script."""
    for file in (home.folder / ".claude" / "projects").rglob("*.jsonl"):
        if ASKS[0][0] in file.read_text(encoding="utf-8"):
            return file.stem
    raise AssertionError("no session asked for it")


@pytest.mark.slow
def test_a_text_is_purged_with_every_byte_of_it(home: Home) -> None:
    assert home.command("adopt", "--all").code == 0
    words = ASKS[0][0]
    assert "sleep.db" in holding(home, words)

    done = home.command("purge", "--text", words.upper(), "--yes")

    assert done.code == 0
    assert "skillopt-sleep undo P-0001" in done.out
    assert "Purged 1 session" in done.out.splitlines()[-1]
    assert holding(home, words) == []
    assert "pnpm" in (home.project / "CLAUDE.md").read_text(encoding="utf-8")
    after = home.command("run", "--backend", "simulated", "--json")
    assert (after.code, after.json["sessions"]["used"]) == (0, 4)
    assert holding(home, words) == []
    assert home.command("purge", "--text", words, "--yes").out.strip() == "Nothing is kept of that."


@pytest.mark.slow
def test_a_rule_whose_record_was_purged_is_still_ours_and_can_be_taken_out(home: Home) -> None:
    file = home.project / "CLAUDE.md"
    before = file.read_bytes()
    assert home.command("adopt", "--all").code == 0
    adopted = file.read_bytes()
    assert home.command("purge", "--text", ASKS[0][0], "--yes").code == 0

    blamed = home.command("why", str(file)).out
    assert "1 line managed by skillopt-sleep" in blamed
    assert "its record was purged" in blamed
    assert "yours" not in blamed
    assert "why FILE" in home.command("why").out
    assert f"undo {file} --to 0" in home.command("undo", "--list", str(file)).out.replace("~", str(home.folder))
    assert "-- Use pnpm, never npm." in home.command("undo", str(file), "--to", "0", "--dry-run").out
    unasked = home.command("undo", str(file), "--to", "0")
    assert (unasked.code, "--to 0 --yes" in unasked.err) == (2, True)
    assert file.read_bytes() == adopted

    assert home.command("undo", str(file), "--to", "0", "--yes").code == 0

    assert file.read_bytes() == before
    assert "nothing was ever adopted" in home.command("undo", str(file), "--to", "0", "--yes").err


@pytest.mark.slow
def test_a_rule_taken_back_whose_files_hold_the_words_stays_listed_without_them_and_no_undo_is_named(
    home: Home,
) -> None:
    assert home.command("adopt", "--all").code == 0
    assert home.command("undo", "P-0001", "--yes").code == 0
    data = home.folder / "sleep" / "data"
    texts = [file for file in data.glob("adoptions/P-0001/*") if file.suffix != ".json"]
    assert texts
    for file in (*data.glob("nights/*/proposals/P-0001/base*"), *texts):
        file.write_text("Prices are in zanzibar cents.\n", encoding="utf-8")

    done = home.command("purge", "--text", "zanzibar cents", "--yes")

    assert done.code == 0
    (told,) = (line for line in done.out.splitlines() if "P-0001" in line)
    assert "Withdrawn" in told
    assert "sessions will be read again" in told
    shown = home.command("review", "--show", "P-0001").out + home.command("why", "P-0001").out
    assert "withdrawn" in shown
    assert "zanzibar" not in shown
    assert holding(home, "zanzibar") == []
    assert home.command("adopt", "P-0001").code == 2


@pytest.mark.slow
def test_a_project_is_purged_with_its_name(home: Home) -> None:
    home.had_sessions_in(home.project, (("a later request", "no - a later correction"),), days_ago=1)
    assert home.command("purge", "--project", str(home.project), "--yes").code == 0
    assert holding(home, "shop-api") == []
    assert holding(home, "pnpm") == []
    assert home.command("run", "--backend", "simulated", "--json").json["sessions"]["seen"] == 0
    assert holding(home, "shop-api") == []


@pytest.mark.slow
@pytest.mark.parametrize("typed", [8, None], ids=["beginning", "whole"])
def test_a_purged_session_is_read_again_only_if_it_is_asked_for(home: Home, session: str, typed: int | None) -> None:
    assert home.command("purge", "--session", session[:8], "--yes").code == 0
    assert holding(home, session) == []
    assert session not in home.command("harvest", "--json").out
    assert home.command("purge", "--session", session[:typed], "--yes").code == 0
    assert home.command("run", "--session", "ffffffff", "--backend", "simulated").code == 2

    assert home.command("run", "--session", session[:typed], "--backend", "simulated").code == 0

    assert session in home.command("harvest", "--json").out


def test_a_dry_run_and_a_no_delete_nothing(home: Home) -> None:
    def tree() -> dict[Path, bytes]:
        return {
            file: file.read_bytes()
            for file in (home.folder / "sleep" / "data" / "nights").rglob("*")
            if file.is_file()
        }

    before = tree()
    dry = home.command("purge", "--text", ASKS[0][0], "--dry-run")
    assert (dry.code, "1 session" in dry.out, "dry run" in dry.out) == (0, True, True)
    # Without a terminal, the question has no answer.
    asked = home.command("purge", "--text", ASKS[0][0])
    assert (asked.code, "--yes" in asked.err, "1 session" in asked.out) == (2, True, True)
    assert tree() == before


def test_one_thing_is_purged_at_a_time(home: Home) -> None:
    assert home.command("purge").code == 2
    assert home.command("purge", "--text", " ").code == 2
    assert home.command("purge", "--text", "a", "--session", "b").code == 2


def test_a_running_night_is_named_and_nothing_purged(home: Home) -> None:
    data = home.folder / "sleep" / "data"
    script = (
        "import filelock, sys, time; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); "
        "print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(data / "night.lock")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    (data / "night.holder").write_text(json.dumps({"pid": holder.pid, "since": "2026-03-02T10:00:00+00:00"}))

    done = home.command("purge", "--text", ASKS[0][0], "--yes")

    holder.kill()
    holder.communicate()
    assert done.code == 11
    assert f"a night is already running (process {holder.pid}" in done.err
    assert "sleep.db" in holding(home, ASKS[0][0])


def test_a_folder_that_is_gone_took_its_rules_with_it(home: Home) -> None:
    assert home.command("adopt", "--all").code == 0
    home.project.rename(home.project.with_name("elsewhere"))
    looked = home.command("purge", "--project", str(home.project), "--dry-run")
    assert f"{home.project} is gone, and with it the rule of P-0001" in looked.out
    assert "skillopt-sleep undo" not in looked.out


def test_an_unknown_project_is_told_with_the_known_ones(home: Home) -> None:
    done = home.command("purge", "--project", "shop", "--dry-run")
    assert done.code == 0
    assert f"Nothing is known of a project in {home.folder / 'shop'}" in done.out
    assert f"Known projects: {home.project}" in done.out
