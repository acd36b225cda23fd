"""The way back: undo, redo and the versions of a file."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.proposals.written import diff
from tests.cli.walked import adopted_whole, states, with_three_rules
from tests.command import Home
from tests.terminal import typed

RULE = b"- Use pnpm, never npm.\n"


def rules(home: Home) -> Path:
    return home.project / "CLAUDE.md"


def test_what_the_person_writes_elsewhere_blocks_neither_adopt_nor_undo(home: Home) -> None:
    before = rules(home).read_bytes()
    rules(home).write_bytes(b"mine, first\n" + before)
    assert home.command("adopt", "P-0001").code == 0
    rules(home).write_bytes(rules(home).read_bytes() + b"\n- mine, last\n")

    done = home.command("undo", "P-0001")

    assert (done.code, done.err) == (0, "")
    assert "no longer has it; all else in the file stays" in done.out
    assert rules(home).read_bytes() == b"mine, first\n" + before + b"\n- mine, last\n"


@pytest.mark.slow
def test_an_edit_of_our_block_is_merged_on_a_yes_only(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    edited = rules(home).read_bytes().replace(RULE, RULE + b"- mine\n")
    rules(home).write_bytes(edited)

    refused = home.command("undo", "P-0001")
    assert refused.code == 6
    assert "--yes" in refused.err
    looked = home.command("undo", "P-0001", "--dry-run")
    assert "-- Use pnpm, never npm." in looked.out
    assert rules(home).read_bytes() == edited

    done = home.command("undo", "P-0001", "--yes")
    assert done.code == 0
    assert "-- Use pnpm, never npm." in done.out
    assert rules(home).read_bytes() == before + b"\n- mine\n"


@pytest.mark.slow
def test_what_was_undone_while_the_file_was_away_is_undone_when_it_is_back(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    adopted = rules(home).read_bytes()
    for again in ("undo", "adopt"):
        rules(home).unlink()
        home.command("undo", "P-0001")
        rules(home).write_bytes(adopted)
        home.command(again, "P-0001")
        home.command("undo", "P-0001")
        assert rules(home).read_bytes() == before
        home.command("adopt", "P-0001")
    assert home.command("undo", "P-0001").code == 0
    assert home.command("undo", "P-0001").code == 2


@pytest.mark.slow
def test_undo_and_redo_without_a_name_ask_first(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    adopted = rules(home).read_bytes()
    asked = home.command("undo")
    assert asked.code == 2
    assert "undo P-0001" in asked.err
    assert rules(home).read_bytes() == adopted
    assert "Undid P-0001" in home.command("undo", "--yes").out
    assert rules(home).read_bytes() == before
    assert home.command("undo", "--redo").code == 2
    assert "Adopted P-0001" in home.command("undo", "--redo", "--yes").out
    assert rules(home).read_bytes() == adopted


@pytest.mark.slow
def test_a_file_goes_to_any_of_its_versions(home: Home) -> None:
    before = rules(home).read_bytes()
    assert home.command("undo", "--list", str(rules(home))).code == 2
    home.command("adopt", "P-0001")
    adopted = rules(home).read_bytes()
    home.command("undo", "P-0001")
    listed = home.command("undo", "--list", str(rules(home))).out.splitlines()
    assert [line[0] for line in listed[:-1]] == ["0", "1", "2"]
    assert "P-0001 adopted" in listed[1]
    assert "P-0001 undone" in listed[2]

    looked = home.command("undo", str(rules(home)), "--to", "1", "--dry-run")
    assert "+- Use pnpm, never npm." in looked.out
    assert rules(home).read_bytes() == before
    assert home.command("undo", str(rules(home)), "--to", "1").code == 0
    assert rules(home).read_bytes() == adopted
    assert home.command("undo", str(rules(home)), "--to", "0").code == 0
    assert rules(home).read_bytes() == before
    assert "Nothing to do" in home.command("undo", str(rules(home)), "--to", "0").out
    assert home.command("undo", str(rules(home)), "--to", "9").code == 2
    assert home.command("undo", "--to", "1").code == 2


def test_a_project_that_is_gone_is_one_line(home: Home) -> None:
    home.command("adopt", "P-0001")
    home.project.rename(home.project.with_name("moved"))
    done = home.command("undo", "P-0001")
    assert done.code == 6
    assert f"the folder {home.project} is gone" in done.err
    assert "Errno" not in done.err


@pytest.mark.slow
def test_on_a_terminal_the_merge_is_shown_and_taken_on_a_yes(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    edited = rules(home).read_bytes().replace(RULE, RULE + b"- mine\n")
    rules(home).write_bytes(edited)

    assert typed(home, "undo", answers=["n"]).code == 1
    refused = typed(home, "undo", "P-0001", answers=["n"])
    assert refused.code == 6
    assert "-- Use pnpm, never npm." in refused.out
    assert rules(home).read_bytes() == edited

    assert typed(home, "undo", answers=["y", "y"]).code == 0
    assert rules(home).read_bytes() == before + b"\n- mine\n"


@pytest.mark.slow
def test_a_version_with_a_rejected_proposal_is_refused_before_anything_is_written(home: Home) -> None:
    home.command("adopt", "P-0001")
    home.command("undo", "P-0001")
    home.command("reject", "P-0001")
    before = rules(home).read_bytes()
    for more in ((), ("--dry-run",)):
        done = home.command("undo", str(rules(home)), "--to", "1", *more)
        assert done.code == 2
        assert "P-0001 is rejected" in done.err
        assert rules(home).read_bytes() == before


@pytest.mark.slow
def test_a_proposal_that_was_taken_rule_by_rule_names_the_rules_that_can_be_undone(home: Home) -> None:
    with_three_rules(home)
    home.command("adopt", "P-0001.1")
    done = home.command("undo", "P-0001")
    assert done.code == 2
    assert "skillopt-sleep undo P-0001.1" in done.err
    told = home.command("report", "--list").out
    assert re.search(r"you adopted P-0001\.1 on \d+ \w+, P-0001\.2 waits for you, P-0001\.3 waits for you", told)
    assert "withdrawn" not in told


def test_the_wish_for_another_test_is_shown(home: Home) -> None:
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE proposals SET again = 1")
    assert "The next night tests it again, as you asked." in home.command("status").out
    assert "The next night tests it again" in home.command("review", "--show", "P-0001").out


@pytest.mark.slow
def test_a_dry_run_back_over_several_adoptions_shows_exactly_what_is_written(home: Home) -> None:
    with_three_rules(home)
    assert home.command("adopt", "P-0001.1", "P-0001.2").code == 0
    edited = rules(home).read_bytes().replace(RULE, RULE + b"- mine\n")
    rules(home).write_bytes(edited)

    for names in ((str(rules(home)), "--to", "0"), ("P-0001.2", "P-0001.1")):
        rules(home).write_bytes(edited)
        looked = home.command("undo", *names, "--dry-run")
        assert rules(home).read_bytes() == edited
        assert home.command("undo", *names, "--yes").code == 0
        undone = rules(home).read_bytes()
        assert b"skillopt-sleep" not in undone
        assert diff(str(rules(home)).lstrip("/"), edited, undone).strip() in looked.out
        assert home.command("undo", "--redo", "P-0001.1", "P-0001.2", "--yes").code == 0


@pytest.mark.slow
def test_a_rule_whose_words_the_person_changed_is_given_up_to_them_on_a_yes(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    edited = rules(home).read_bytes().replace(b"never npm", b"or npm")
    rules(home).write_bytes(edited)

    refused = home.command("undo", "P-0001")
    assert (refused.code, rules(home).read_bytes()) == (6, edited)
    assert states(home)["P-0001"] == "adopted"

    done = home.command("undo", "P-0001", "--yes")
    assert done.code == 0
    assert "-<!-- skillopt-sleep:begin -->" in done.out
    assert rules(home).read_bytes() == before + b"\n- Use pnpm, or npm.\n"
    assert states(home)["P-0001"] == "undone"


@pytest.mark.slow
def test_the_questions_name_the_rule_and_its_file(home: Home) -> None:
    home.command("adopt", "P-0001")
    for command in ("undo", "undo --redo"):
        done = typed(home, *command.split(), answers=["y"])
        assert done.code == 0
        question = " ".join(done.out.partition("[y/N]")[0].split())
        assert "Use pnpm, never npm." in question
        assert "~/work/shop-api/CLAUDE.md" in question


@pytest.mark.slow
def test_what_to_run_instead_of_a_question_is_the_same_command(home: Home) -> None:
    home.command("adopt", "P-0001")
    rules(home).write_bytes(rules(home).read_bytes().replace(RULE, RULE + b"- mine\n"))
    refused = home.command("undo", "P-0001")
    assert "skillopt-sleep undo P-0001 --dry-run" in refused.err
    assert "skillopt-sleep undo P-0001 --yes" in refused.err
    home.command("undo", "P-0001", "--yes")
    assert "skillopt-sleep undo --redo P-0001" in home.command("undo", "--redo").err


def test_a_file_that_is_named_without_a_version_leads_to_its_versions(home: Home) -> None:
    home.command("adopt", "P-0001")
    done = home.command("undo", "work/shop-api/CLAUDE.md")
    assert done.code == 2
    assert "skillopt-sleep undo --list work/shop-api/CLAUDE.md" in done.err
    assert "undo work/shop-api/CLAUDE.md --to 0" in done.err


def test_a_rejected_proposal_of_one_rule_is_named_plainly(home: Home) -> None:
    home.command("reject", "P-0001")
    refused = home.command("adopt", "P-0001.1")
    assert refused.code == 2
    assert "P-0001 is rejected" in refused.err


@pytest.mark.slow
def test_what_was_undone_adds_nothing(home: Home) -> None:
    home.command("adopt", "P-0001")
    home.command("undo", "P-0001")
    _, adopted, undone, _ = home.command("undo", "--list", str(rules(home))).out.splitlines()
    assert "Adds 1 rule" in adopted
    assert undone.endswith("P-0001 undone")


def bullets(home: Home) -> list[bytes]:
    return [line for line in rules(home).read_bytes().splitlines() if line.startswith(b"- ")]


@pytest.mark.slow
def test_one_rule_of_a_proposal_that_was_adopted_whole_is_undone(home: Home) -> None:
    before = rules(home).read_bytes()
    adopted_whole(home)
    pnpm, brief, english = bullets(home)
    adopted = rules(home).read_bytes()

    looked = home.command("undo", "P-0001.2", "--dry-run")
    assert f"-{brief.decode()}" in looked.out
    assert not re.search(f"^-{pnpm.decode()}", looked.out, re.MULTILINE)
    assert rules(home).read_bytes() == adopted
    assert states(home) == {"P-0001": "adopted"}

    done = home.command("undo", "P-0001.2")
    assert (done.code, done.err) == (0, "")
    assert bullets(home) == [pnpm, english]
    parts = {"P-0001.1": "adopted", "P-0001.2": "undone", "P-0001.3": "adopted"}
    assert states(home) == {"P-0001": "withdrawn", **parts}
    assert "P-0001.1 P-0001.3" in home.command("undo", "P-0001").err

    assert home.command("undo", "--redo", "P-0001.2").code == 0
    assert bullets(home) == [pnpm, english, brief]
    assert home.command("undo", "P-0001.1", "P-0001.3").code == 0
    assert bullets(home) == [brief]
    assert home.command("undo", str(rules(home)), "--to", "0").code == 0
    assert rules(home).read_bytes() == before
    assert home.command("undo", str(rules(home)), "--to", "1").code == 0
    assert rules(home).read_bytes() == adopted


@pytest.mark.slow
def test_two_rules_of_a_proposal_that_was_adopted_whole_are_undone_at_once(home: Home) -> None:
    adopted_whole(home)
    pnpm, brief, english = bullets(home)
    looked = home.command("undo", "P-0001.2", "P-0001.1", "--dry-run").out
    for line, goes in ((pnpm, True), (brief, True), (english, False)):
        assert (f"\n-{line.decode()}" in looked) is goes
    assert home.command("undo", "P-0001.2", "P-0001.1").code == 0
    assert bullets(home) == [english]


@pytest.mark.slow
def test_of_a_proposal_adopted_whole_no_rule_that_the_person_edited_gets_its_old_words_back(home: Home) -> None:
    adopted_whole(home)
    edited = rules(home).read_bytes().replace(b"never npm", b"or npm")
    rules(home).write_bytes(edited)
    refused = home.command("undo", "P-0001.2", "--yes")
    assert refused.code == 2
    assert "P-0001.1" in refused.err
    assert home.command("undo", "P-0001.9").code == 2
    assert rules(home).read_bytes() == edited
    assert states(home) == {"P-0001": "adopted"}


@pytest.mark.slow
def test_the_only_rule_of_a_proposal_is_undone_by_its_number(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    assert home.command("undo", "P-0001.1").code == 0
    assert rules(home).read_bytes() == before


@pytest.mark.slow
def test_a_file_is_found_by_the_name_it_is_shown_by(home: Home) -> None:
    before = rules(home).read_bytes()
    home.command("adopt", "P-0001")
    line = rules(home).read_bytes().splitlines().index(RULE.strip()) + 1
    name = "shop-api/CLAUDE.md"
    assert name in home.command("review", "--show", "P-0001").out

    assert "P-0001 adopted" in home.command("undo", "--list", name).out
    assert "Use pnpm, never npm." in home.command("why", name).out
    assert "P-0001" in home.command("why", f"{name}:{line}").out
    for command in ("undo", "undo --redo"):
        done = home.command(*command.split(), name)
        assert (done.code, f"skillopt-sleep undo --list {name}" in done.err) == (2, True)
    assert home.command("undo", name, "--to", "0").code == 0
    assert rules(home).read_bytes() == before


def test_a_file_that_isnt_here_is_not_said_to_be_without_rules(home: Home) -> None:
    home.command("adopt", "P-0001")
    for arguments in (("undo", "CLAUDE.md", "--to", "0"), ("undo", "--list", "CLAUDE.md")):
        done = home.command(*arguments)
        assert done.code == 2
        assert f"{home.folder}/CLAUDE.md doesn't exist" in done.err
        assert str(rules(home)) in done.err
