from pathlib import Path

import pytest

from tests.command import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--now", "--backend", "simulated")
    return home


def test_status_says_how_to_begin(tmp_path: Path) -> None:
    done = Home(tmp_path).command("status")
    assert done.code == 0
    assert "none yet" in done.out
    assert "run --now --example" in done.out


def test_status_says_the_last_night_and_what_waits(home: Home) -> None:
    out = home.command("status").out
    assert "improved" in out
    assert "P-0001" in out
    answer = home.command("status", "--json").json
    assert answer["last_night"]["verdict"] == "improved"
    assert [p["id"] for p in answer["waiting"]] == ["P-0001"]
    assert home.command("status", "--exit-code").code == 10


def test_report_prints_the_last_night_or_a_named_one(home: Home) -> None:
    last = home.command("report")
    assert last.out.startswith("# Night of ")
    night = home.command("report", "--json").json["night"]
    assert home.command("report", night).out == last.out


def test_a_night_that_is_not_there_is_named(home: Home) -> None:
    done = home.command("report", "1999-01-01")
    assert done.code == 2
    assert "1999-01-01" in done.err
