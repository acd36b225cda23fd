"""`why` answers with the person's own words, on a real home after a night."""

import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.why import rules_of
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import Proposal
from skillopt_sleep.stores.bank import WAITING, Decided
from tests.builders import a_proposal, an_edit
from tests.command import PROGRAM, Home


def told(home: Home, *arguments: str) -> str:
    done = home.command(*arguments)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.slow
def test_why_a_rule_was_proposed_and_adopted(home: Home) -> None:
    waiting = told(home, "why", "use", "pnpm")
    assert waiting.startswith("## Use pnpm, never npm.")
    assert "we always use pnpm here, never npm»" in waiting
    assert "without the rule 0 of" in " ".join(waiting.split())
    assert "It waits for you." in waiting
    assert home.command("adopt", "P-0001").code == 0
    adopted = told(home, "why", "P-0001")
    assert "You adopted it on " in adopted
    assert told(home, "why", "P-0001.1") == adopted


def test_the_rules_of_a_divided_proposal_are_told_each_by_itself() -> None:
    whole = a_proposal(edits=(an_edit("- Use pnpm."), an_edit("- Be brief.")))
    parts = [replace(whole, id=f"P-0001.{n}", edits=(edit,)) for n, edit in enumerate(whole.edits, start=1)]

    def rules(asked: str, *proposals: Proposal) -> list[tuple[str, str]]:
        known = list(origins([Decided(one, WAITING, "", "") for one in proposals], ()))
        return [(origin.proposed.proposal, origin.rule) for origin in rules_of(asked, known)]

    assert rules("p-0001.2", whole) == [("P-0001", "- Be brief.")]
    assert rules("P-0001.2", whole, *parts) == [("P-0001.2", "- Be brief.")]
    assert rules("P-0001", whole, *parts) == [("P-0001.1", "- Use pnpm."), ("P-0001.2", "- Be brief.")]


@pytest.mark.slow
def test_why_a_line_is_there(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    number = path.read_text().splitlines().index("- Use pnpm, never npm.") + 1
    assert "P-0001" in told(home, "why", f"{path}:{number}")
    theirs = home.command("why", f"{path}:1")
    assert theirs.code == 2
    assert f"skillopt-sleep why {path}" in theirs.err
    path.write_text(path.read_text().replace("- Use pnpm, never npm.", "- By hand."))
    by_hand = home.command("why", f"{path}:{number}")
    assert by_hand.code == 2
    assert "by hand" in by_hand.err


@pytest.mark.parametrize("asked", ["P-0099", "P-0001.7", "P-0001.x", "no-such-file.md"])
def test_what_is_neither_a_proposal_nor_a_file_is_an_error_that_leads_on(home: Home, asked: str) -> None:
    done = home.command("why", asked)
    assert done.code == 2
    assert "skillopt-sleep" in done.err


def test_why_in_json(home: Home) -> None:
    (rule,) = home.command("why", "--json", "pnpm").json["rules"]
    assert (rule["proposed"]["proposal"], rule["proposed"]["state"], rule["tested"]["solved"]["before"]) == (
        "P-0001",
        "waiting",
        0,
    )
    assert (rule["sessions"], len(rule["lessons"])) == (5, 1)
    (night,) = rule["nights"]
    assert night["e_value"] > 1
    assert (night["n"], night["models"], night["decision"]) == (rule["tested"]["n"], ["simulated"], "accept")
    assert len(rule["tasks"]) == rule["tested"]["solved"]["requests"]
    assert all(len(digest) == 32 for digest in rule["tasks"].values())


def test_a_passport_has_nothing_of_what_was_said(home: Home) -> None:
    said = home.command("why", "P-0001").out
    text = home.command("why", "--json", "P-0001").out
    quotes = re.findall(r"«(.+?)»", said)
    assert quotes
    assert not [quote for quote in quotes if quote in text]
    assert "claude_code:" not in text


def test_a_quote_is_opened_in_its_place(home: Home) -> None:
    text = told(home, "why", "P-0001", "--open")
    assert "→ turn" in text
    assert "the agent: " in text
    assert "File: " in text
    refused = home.command("why", "--open")
    assert (refused.code, "why RULE" in refused.err) == (2, True)


def test_why_something_said_is_no_rule(home: Home) -> None:
    assert "waits for you" in told(home, "why", "never", "npm")
    for said in ("stop, we always use pnpm here, never npm", "wrong, we always use pnpm here, never npm"):
        assert f"«{said}»" in told(home, "why", said).splitlines()[5]
    assert "not found" in str(home.command("why", "--json", "haiku").json["said"]["end"])
    assert "harvest" in told(home, "why", "haiku")


@pytest.mark.slow
def test_what_was_said_once_leads_to_a_second_time(tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    home.had_sessions([("write the release notes", "no, use bullets, never tables")])
    assert "No session has been read yet" in told(home, "why", "bullets")
    assert home.command("run", "--backend", "simulated").code == 0
    said = told(home, "why", "bullets")
    assert "«no, use bullets, never tables»" in said
    assert "waits for one more session" in said
    assert "say it in one more session" in said
    lesson = home.command("why", "--json", "bullets").json["said"]["lesson"]
    assert told(home, "why", lesson) == said
    assert ", task " in said
    with closing(sqlite3.connect(tmp_path / "ada" / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("DELETE FROM tasks")
    assert ", task " not in told(home, "why", "bullets"), "`tasks show` doesn't know it any more"


def test_a_report_in_another_format_is_an_error_that_says_so(home: Home) -> None:
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE nights SET report = '{}'")
    done = home.command("why", "haiku")
    assert done.code == 1
    assert "isn't in this version's format" in done.err
    assert "move" in done.err
    assert "a bug" not in done.err


def test_before_any_night_nothing_is_known(tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    assert "→" in told(home, "why", "pnpm")
    assert "No rule of ours stands now" in told(home, "why")


def test_on_a_terminal_it_keeps_to_the_width(home: Home) -> None:
    environment = {**home.environment, "FORCE_COLOR": "1", "COLUMNS": "60", "TERM": "xterm-256color"}
    done = subprocess.run(
        [str(PROGRAM), "why", "P-0001"], env=environment, capture_output=True, text=True, check=True
    )
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).splitlines()
    assert max(map(len, lines)) <= 60
    assert "\x1b[1mUse pnpm" in done.stdout


@pytest.mark.slow
def test_where_no_session_was_read_or_some_was_purged_it_says_so(tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    fresh = told(home, "why", "pnpm")
    assert "No session has been read yet" in fresh
    assert "skillopt-sleep harvest" in fresh
    home.had_sessions()
    home.command("harvest")
    assert "No night has read its session yet" in told(home, "why", "never", "npm")
    assert home.command("purge", "--text", "pnpm", "--yes").code == 0
    assert "what you purged" in told(home, "why", "never", "npm")


@pytest.mark.slow
def test_every_managed_line_is_told_and_no_other(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    lines = path.read_text().splitlines()
    number = lines.index("- Use pnpm, never npm.") + 1
    done = home.command("why", str(path))
    assert done.code == 0
    assert f"line {number}: - Use pnpm, never npm." in done.out
    for part in ("«", "without the rule 0 of", "you adopted it on ", "P-0001"):
        assert part in done.out
    assert "vitest" not in done.out
    assert str(number) in done.out
    (line,) = home.command("why", "--json", str(path)).json["files"][str(path)]
    proposed = line["origin"]["proposed"]
    assert (line["number"], proposed["proposal"], proposed["state"]) == (number, "P-0001", "adopted")


def test_without_a_name_every_file_with_adopted_rules_is_told(home: Home) -> None:
    assert "No rule of ours stands now" in home.command("why").out
    assert home.command("adopt", "P-0001").code == 0
    assert "CLAUDE.md: 1 line managed" in home.command("why").out


def test_what_stands_in_our_part_by_hand_is_said(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    path.write_text(path.read_text().replace("- Use pnpm, never npm.", "- Use pnpm, never npm.\n- By hand."))
    assert "no proposal is known that brought it" in home.command("why", str(path)).out


def test_a_file_without_managed_lines_or_none_at_all_is_said(home: Home) -> None:
    assert "no line managed" in home.command("why", str(home.project / "CLAUDE.md")).out
    assert home.command("why", "nope.md").code == 2


def test_a_line_of_the_person_is_counted_as_theirs_and_a_missing_file_leads_on(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    path.write_text(path.read_text().replace("- Use pnpm, never npm.", "- Use pnpm, never npm.\n- By hand."))
    assert "1 line managed by skillopt-sleep, and 1 of yours between" in home.command("why", str(path)).out
    missing = home.command("why", "CLAUDE.md")
    assert missing.code == 2
    assert missing.err.rstrip().endswith("skillopt-sleep why")
