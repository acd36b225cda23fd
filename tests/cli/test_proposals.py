import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Proposal, RuleWarning, WarningKind
from skillopt_sleep.reporters.rule_page import GONE
from tests.cli.walked import with_three_rules
from tests.command import ASKS, PROGRAM, Home


@pytest.mark.slow
def test_show_prints_the_exact_change_and_the_persons_words(home: Home) -> None:
    out = home.command("review", "--show", "p-0001").out
    parts = ["Use pnpm, never npm.", "in shop-api/CLAUDE.md", "You said so", "Asked", "did as you asked", "It costs"]
    parts += ["+- Use pnpm, never npm.", "It waits for you."]
    places = [out.index(part) for part in (*parts, "skillopt-sleep adopt P-0001")]
    assert places == sorted(places)
    assert "we always use pnpm here, never npm" in out
    assert not re.search("90 % interval|error rate|chance of accepting|claude_code:|turn ", out)
    out = home.command("review", "--show", "p-0001", "--verbose").out
    rate = (
        "The chance that the night proposed any rule that does nothing was at most 5 % (this judge, these requests)"
    )
    assert rate in out
    assert re.search(r"this one helped in \d of \d sessions", out)
    assert re.search(r"second trial: grade \d\.\d\d → \d\.\d\d .* 90 % interval of the gain .*, \d tries", out), out
    assert home.command("review", "--show", "P-0001", "--json").json[0]["id"] == "P-0001"
    assert "waiting" in home.command("review", "--show").out


@pytest.mark.slow
def test_adopt_prints_how_to_take_it_back_and_undo_does(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    done = home.command("adopt", "--all")
    assert "skillopt-sleep undo P-0001" in done.out
    assert "skillopt-sleep undo P-0001" in home.command("review", "--show", "P-0001").out
    assert b"pnpm" in (home.project / "CLAUDE.md").read_bytes()
    assert home.command("undo", "P-0001").code == 0
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert home.command("adopt", "P-0001").code == 0


@pytest.mark.slow
def test_what_was_undone_is_neither_turned_down_nor_tested_the_next_night(home: Home) -> None:
    home.command("adopt", "P-0001")
    home.command("undo", "P-0001")
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE proposals SET again = 1")

    out = home.command("review", "--show", "P-0001").out

    assert "skillopt-sleep adopt P-0001" in out
    assert "skillopt-sleep reject" not in out
    assert "The next night tests it again" not in out


def test_a_rejected_proposal_can_not_be_adopted(home: Home) -> None:
    assert home.command("reject", "P-0001").code == 0
    assert home.command("adopt", "P-0001").code == 2
    assert b"pnpm" not in (home.project / "CLAUDE.md").read_bytes()


def test_an_adopted_proposal_is_undone_before_it_is_rejected(home: Home) -> None:
    home.command("adopt", "P-0001")
    done = home.command("reject", "P-0001")
    assert done.code == 2
    assert "undo" in done.err


@pytest.mark.slow
def test_why_a_proposal_was_rejected_is_shown_and_stays(home: Home) -> None:
    home.command("reject", "P-0001", "--reason", "we moved to bun")
    home.command("reject", "P-0001")
    assert "«we moved to bun»" in home.command("review", "--show", "P-0001").out


@pytest.mark.parametrize("command", ["adopt", "reject"])
def test_all_and_a_name_are_not_both_meant(home: Home, command: str) -> None:
    done = home.command(command, "--all", "P-0001")
    assert done.code == 2
    assert "not both" in done.err
    assert home.command("status", "--json").json["waiting"]


@pytest.mark.parametrize("command", ["adopt", "reject", "review --show", "undo"])
def test_an_unknown_proposal_is_named(home: Home, command: str) -> None:
    done = home.command(*command.split(), "P-0099")
    assert done.code == 2
    assert "P-0099" in done.err


@pytest.mark.slow
def test_nothing_named_is_nothing_done(home: Home) -> None:
    assert home.command("adopt").code == 2
    assert home.command("reject").code == 2
    assert home.command("undo").code == 2
    assert home.command("undo", "--redo").code == 2


@pytest.mark.slow
def test_undo_takes_back_only_what_is_adopted(home: Home) -> None:
    home.command("adopt", "P-0001")
    home.command("undo", "P-0001")
    home.command("reject", "P-0001")
    done = home.command("undo", "P-0001")
    assert done.code == 2
    assert "is rejected, so it can't be undone" in done.err
    assert "rejected" in home.command("review", "--show").out


def test_adopting_twice_says_that_it_is_live_already(home: Home) -> None:
    home.command("adopt", "P-0001")
    assert "already adopted" in home.command("adopt", "P-0001").out


def test_the_list_is_json_too(home: Home) -> None:
    assert [row["id"] for row in home.command("review", "--show", "--json").json] == ["P-0001"]


@pytest.mark.slow
def test_adopting_all_goes_on_after_a_stale_one(home: Home) -> None:
    other = home.folder / "work" / "other"
    home.had_sessions_in(other, [(f"{ask} again", said.replace("pnpm", "yarn")) for ask, said in ASKS])
    home.command("run", "--backend", "simulated")
    (home.project / "CLAUDE.md").write_text("<<<<<<< mine\n", encoding="utf-8")
    done = home.command("adopt", "--all")
    assert done.code == 6
    assert "unfinished merge" in done.err
    assert "Adopted P-0002" in done.out
    assert "No proposals are waiting" not in done.out


def test_nothing_waiting_is_said(tmp_path: Path) -> None:
    assert "No proposals are waiting" in Home(tmp_path).command("adopt", "--all").out


def test_a_proposal_whose_night_is_gone_can_only_be_rejected_which_is_said(home: Home) -> None:
    (night,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    shutil.rmtree(night)
    done = home.command("review", "--show", "P-0001")
    assert done.code == 0
    assert "Look twice: a text of proposal P-0001 is missing" in done.out
    assert "reject it, and it is learned again" in done.out
    assert GONE in done.out
    assert "skillopt-sleep reject P-0001" in done.out


@pytest.mark.slow
def test_what_was_adopted_under_a_lost_store_keeps_its_number_and_its_undo(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    home.command("adopt", "P-0001")
    (home.folder / "sleep" / "data" / "sleep.db").write_bytes(b"not a database" * 1000)
    other = home.folder / "work" / "other"
    home.had_sessions_in(other, [(f"{ask} again", said.replace("pnpm", "yarn")) for ask, said in ASKS])
    assert home.command("run", "--backend", "simulated").code == 1
    assert "P-0002" in home.command("run", "--backend", "simulated").out
    assert [row["id"] for row in home.command("review", "--show", "--json").json] == ["P-0002"]
    assert home.command("adopt", "P-0002").code == 0
    done = home.command("undo", "P-0001")
    assert done.code == 0
    assert "adopt it again" not in done.out
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert [row["state"] for row in home.command("review", "--show", "--json").json] == ["adopted"]


@pytest.mark.slow
def test_the_last_adoption_is_undone_also_under_a_lost_store(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    home.command("adopt", "P-0001")
    (home.folder / "sleep" / "data" / "sleep.db").write_bytes(b"not a database" * 1000)
    assert home.command("run", "--backend", "simulated").code == 1
    assert "Undid P-0001" in home.command("undo", "--yes").out
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert home.command("undo").code == 2


@pytest.mark.slow
def test_what_a_rule_touches_is_told_wherever_the_rule_is_shown(home: Home) -> None:
    warning = RuleWarning(kind=WarningKind.TESTS, line="Skip the tests.")
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        ((body,),) = store.execute("SELECT body FROM proposals").fetchall()
        touched = replace(from_json(body, Proposal), warnings=(warning,))
        store.execute("UPDATE proposals SET body = ?", [to_json(touched)])

    shown = home.command("review", "--show", "P-0001").out
    assert shown.index("Look twice: «Skip the tests.» (tests)") < shown.index("You said")
    assert " Look twice (tests)." in home.command("review", "--show").out
    assert " Look twice (tests)." in home.command("status").out
    told = [{"kind": "tests", "line": "Skip the tests.", "because": ""}]
    assert home.command("review", "--show", "--json").json[0]["warnings"] == told
    assert home.command("review", "--show", "P-0001", "--json").json[0]["warnings"] == told
    assert home.command("status", "--json").json["waiting"][0]["warnings"] == told
    assert "Look twice: «Skip the tests.» (tests)" in home.command("adopt", "P-0001").out


@pytest.mark.slow
def test_a_proof_by_checks_in_code_is_not_called_graded_by_a_model(home: Home) -> None:
    said = "one model (simulated) wrote the rules"
    assert said not in home.command("review", "--show", "P-0001").out  # checks in code graded it
    assert said not in home.command("report").out.replace("\n", " ")
    assert home.command("report", "--json").json["proposals"][0]["tested"]["one_model"] == "simulated"


@pytest.mark.slow
def test_an_early_proposal_says_so_and_is_adopted_by_its_id_only(home: Home) -> None:
    other = home.folder / "work" / "other"
    home.had_sessions_in(other, [(f"{ask} again", said.replace("pnpm", "yarn")) for ask, said in ASKS[:2]])
    report = home.command("run", "--backend", "simulated", "--json").json
    assert [(row["id"], row["proof"]) for row in report["proposals"]] == [("P-0002", "early")]
    assert (
        "early: proven on one of the two sessions it takes" in home.command("review", "--show", "P-0002").out.lower()
    )
    assert (
        "2 proposals: 1 of this night (early: not proven yet) and 1 of other nights (P-0001)"
        in home.command("report").out
    )

    every = home.command("adopt", "--all")
    assert "Adopted P-0001" in every.out
    assert "Left out P-0002 (early" in every.out
    assert "Adopted P-0002" in home.command("adopt", "P-0002").out


@pytest.mark.slow
def test_a_withdrawn_proposal_says_why_and_when_and_can_not_be_adopted(home: Home) -> None:
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as connection, connection:
        connection.execute(
            "UPDATE proposals SET state = 'withdrawn', reason = 'you took it back: «npm is fine»', decided = '2026-03-04'"
        )
    assert (
        "It was withdrawn on 4 Mar: you took it back: «npm is fine»."
        in home.command("review", "--show", "P-0001").out
    )
    assert "P-0001 was withdrawn" in home.command("report", "--list").out
    assert "No proposals are waiting" in home.command("adopt", "--all").out
    refused = home.command("adopt", "P-0001")
    assert refused.code == 2
    assert "P-0001 is withdrawn (you took it back: «npm is fine»)" in refused.err


@pytest.mark.slow
def test_what_was_decided_rule_by_rule_is_split_in_the_list_and_by_itself(home: Home) -> None:
    with_three_rules(home)
    assert home.command("adopt", "P-0001.1").code == 0
    assert home.command("reject", "P-0001.2", "P-0001.3").code == 0
    for shown in (home.command("review", "--show").out, home.command("review", "--show", "P-0001").out):
        assert "plit into .1, .2, .3" in " ".join(shown.split())
    assert "(withdrawn)" not in shown


@pytest.mark.slow
def test_on_a_terminal_the_change_is_coloured(home: Home) -> None:
    coloured = subprocess.run(
        [str(PROGRAM), "review", "--show", "P-0001"],
        env={**home.environment, "FORCE_COLOR": "1", "TERM": "xterm-256color"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.search(r"\x1b\[\d+m- Use pnpm", coloured)
    assert "\x1b" not in home.command("review", "--show", "P-0001").out
