"""What a person decides, and takes back again."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Edit, EditOp, Proposal
from tests.cli.walked import staged_whole, states
from tests.command import Home


def test_a_dry_run_shows_the_change_and_writes_nothing(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    done = home.command("adopt", "--all", "--dry-run")
    assert done.code == 0
    assert "Would adopt P-0001" in done.out
    assert "+- Use pnpm, never npm." in done.out
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert home.command("review", "--show", "--json").json[0]["state"] == "waiting"


def test_adopting_again_what_is_adopted_makes_it_no_newer(home: Home) -> None:
    home.command("adopt", "P-0001")
    database = home.folder / "sleep" / "data" / "sleep.db"
    decided = "SELECT decided FROM proposals"
    with closing(sqlite3.connect(database)) as store:
        before = store.execute(decided).fetchall()
        home.command("adopt", "P-0001")
        assert store.execute(decided).fetchall() == before


@pytest.mark.slow
def test_a_rejection_is_taken_back(home: Home) -> None:
    assert home.command("reject", "--undo", "P-0001").code == 2
    done = home.command("reject", "P-0001")
    assert "reject --undo P-0001" in done.out
    refused = home.command("adopt", "P-0001")
    assert "reject --undo P-0001" in refused.err
    assert "waits for you again" in home.command("reject", "--undo", "P-0001").out
    assert home.command("adopt", "P-0001").code == 0


@pytest.mark.slow
def test_a_rejection_of_what_was_undone_is_taken_back_to_that(home: Home) -> None:
    for command in ("adopt", "undo", "reject"):
        assert home.command(command, "P-0001").code == 0
    said = home.command("reject", "--undo", "P-0001").out
    assert "waits" not in said
    assert "undone" in said
    assert "undo --redo P-0001" in said
    assert states(home) == {"P-0001": "undone"}
    assert home.command("undo", "--redo", "P-0001").code == 0


@pytest.mark.slow
def test_what_is_put_off_waits_unseen(home: Home) -> None:
    assert home.command("review", "P-0001", "--later", "soon").code == 2
    assert "isn't shown until" in home.command("review", "P-0001", "--later", "2d").out
    assert home.command("status", "--json").json["waiting"] == []
    assert "No proposals are waiting" in home.command("adopt", "--all").out
    assert "put it off until" in home.command("review", "--show").out
    count = next((home.folder / "sleep").rglob("proposals_waiting.json"))
    assert json.loads(count.read_bytes())["waiting"] == 0
    home.command("adopt", "P-0001")
    assert home.command("review", "P-0001", "--later", "2d").code == 2


def test_undo_of_what_was_rejected_names_the_command_that_takes_it_back(home: Home) -> None:
    home.command("reject", "P-0001")
    assert "reject --undo P-0001" in home.command("undo", "P-0001").err


@pytest.mark.slow
def test_reject_undo_without_a_name_lists_what_was_rejected_and_all_takes_all_back(home: Home) -> None:
    assert "nothing is rejected" in home.command("reject", "--undo", "--all").out.lower()
    home.command("reject", "P-0001")
    assert "rejected: P-0001" in home.command("reject", "--undo").err
    assert "waits for you again" in home.command("reject", "--undo", "--all").out


@pytest.mark.slow
def test_status_names_what_sleeps_and_until_when(home: Home) -> None:
    home.command("review", "P-0001", "--later", "7d")
    out = home.command("status").out
    assert re.search(r"put it off until .*\(P-0001\)", out)
    home.command("adopt", "P-0001")
    assert "put it off" not in home.command("status").out


def test_what_was_adopted_while_it_was_put_off_is_not_called_so(home: Home) -> None:
    home.command("review", "P-0001", "--later", "2d")
    home.command("adopt", "P-0001")
    assert "put off" not in home.command("review", "--show").out


def with_two_rules(home: Home) -> None:
    """The proposal gets a second edit."""
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        ((body,),) = store.execute("SELECT body FROM proposals").fetchall()
        proposal = from_json(body, Proposal)
        more = Edit(op=EditOp.APPEND, content="- Be brief.")
        store.execute("UPDATE proposals SET body = ?", [to_json(replace(proposal, edits=(*proposal.edits, more)))])


@pytest.mark.slow
def test_one_rule_is_taken_by_itself_and_the_others_wait_on(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    with_two_rules(home)
    assert "untested" in home.command("review", "--show", "P-0001.2").out.lower()
    assert "+- Be brief." in home.command("adopt", "P-0001.2", "--dry-run").out
    assert [row["id"] for row in home.command("review", "--show", "--json").json] == ["P-0001"]

    assert "Adopted P-0001.2" in home.command("adopt", "p-0001.2").out

    assert b"- Be brief." in (home.project / "CLAUDE.md").read_bytes()
    assert b"pnpm" not in (home.project / "CLAUDE.md").read_bytes()
    states = {row["id"]: row["state"] for row in home.command("review", "--show", "--json").json}
    assert states == {"P-0001": "withdrawn", "P-0001.1": "waiting", "P-0001.2": "adopted"}
    assert "Adopted P-0001.1" in home.command("adopt", "P-0001").out
    home.command("undo", "P-0001.1", "P-0001.2")
    assert (home.project / "CLAUDE.md").read_bytes() == before
    refused = home.command("adopt", "P-0001.7")
    assert refused.code == 2
    assert "P-0001" in refused.err


@pytest.mark.slow
def test_a_rejection_of_a_whole_proposals_rules_is_taken_back_by_its_name(home: Home) -> None:
    staged_whole(home)
    home.command("adopt", "P-0001.2")
    home.command("reject", "P-0001")
    assert home.command("reject", "--undo", "P-0001").code == 0
    known = states(home)
    assert (known["P-0001.1"], known["P-0001.2"], known["P-0001.3"]) == ("waiting", "adopted", "waiting")
