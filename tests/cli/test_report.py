"""Test that a report can be read in each form, and opened as a page."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.records import PAGE
from tests.cli.walked import staged_whole
from tests.command import Home


def test_report_prints_the_last_night_or_a_named_one(home: Home) -> None:
    last = home.command("report")
    assert last.out.startswith("# Night of ")
    report = home.command("report", "--json").json
    assert report == json.loads((Path(report["run"]["folder"]) / "report.json").read_bytes())
    assert home.command("report", report["night"]).out == last.out


@pytest.mark.slow
def test_the_last_report_does_not_hide_what_waits_from_earlier_nights(home: Home) -> None:
    first = home.command("report", "--json").json["night"]
    home.command("run", "--backend", "simulated")

    last = home.command("report").out.splitlines()

    assert last[0].endswith("nothing new learned")
    assert last[2].startswith("Nothing new to decide; 1 proposal of other nights waits: P-0001.")
    assert "What to do: decide on what waits: skillopt-sleep review." in last
    assert "other nights" not in home.command("report", first).out


@pytest.mark.slow
def test_a_report_tells_of_each_rule_that_was_decided_on_by_itself(home: Home) -> None:
    staged_whole(home)
    assert home.command("adopt", "P-0001.2").code == 0

    report = home.command("report").out

    assert "To decide: 2 proposals" in report
    assert [f"P-0001{part}, in " in report for part in ("", ".1", ".2", ".3")] == [False, True, True, True]
    assert "skillopt-sleep adopt P-0001.2" not in report
    assert home.command("report", "--json").json["proposals"][0]["id"] == "P-0001"
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE nights SET report = json_set(report, '$.proposals', json('[]'))")  # as a purge may
    assert "of other nights" not in home.command("report").out


def test_a_night_that_is_not_there_is_named(home: Home) -> None:
    done = home.command("report", "1999-01-01")
    assert done.code == 2
    assert "1999-01-01" in done.err


def test_for_other_programs_it_is_markdown_or_json(home: Home) -> None:
    assert home.command("report").out.startswith("# Night of ")
    assert home.command("report", "--json").json["proposals"][0]["id"] == "P-0001"


def browsing(home: Home, folder: Path, line: str) -> dict[str, str]:
    """A browser that does this with its address, and the only one there is."""
    browser = folder / "browser"
    browser.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    browser.chmod(0o755)
    return {"BROWSER": f"{browser} %s", "PATH": "/nonexistent"}


def test_the_page_is_opened_as_things_are_now_or_its_path_is_said(home: Home, tmp_path: Path) -> None:
    night = Path(home.command("report", "--json").json["run"]["folder"])
    assert "adopt P-0001" in (night / PAGE).read_text()
    assert home.command("reject", "P-0001").code == 0
    done = home.command("report", "--open", **browsing(home, tmp_path, f'echo "$1" > {tmp_path}/opened'))
    assert (done.code, done.out) == (0, ""), done.err
    assert (tmp_path / "opened").read_text().strip() == (night / PAGE).as_uri()
    page = (night / PAGE).read_text()
    assert "adopt P-0001" not in page
    assert "You rejected it on" in page
    none = home.command("report", "--open", **browsing(home, tmp_path, "exit 1"))
    assert none.code == 0, none.err
    assert str(night / PAGE) in none.out.replace("\n", "")


def test_a_page_of_a_night_without_files_is_refused(home: Home) -> None:
    night = Path(home.command("report", "--json").json["run"]["folder"])
    shutil.rmtree(night)
    done = home.command("report", "--open")
    assert done.code == 2
    assert f"skillopt-sleep report {night.name}" in done.err
    assert home.command("report", "--open", "--json").code == 2


@pytest.mark.parametrize(
    "words",
    ["report --last 3", "report --since 3d", "report --list --cost", "report --cost 2026-03-02", "review --verbose"],
)
def test_an_option_that_would_do_nothing_is_refused(tmp_path: Path, words: str) -> None:
    done = Home(tmp_path).command(*words.split())
    assert done.code == 2
    assert "leave " in done.err
