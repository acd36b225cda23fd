from pathlib import Path

import pytest

from skillopt_sleep.cli.nights import rows
from skillopt_sleep.records import NightReport, Outcome
from skillopt_sleep.stores.sqlite import NightLine
from tests.builders import a_proposal, a_report
from tests.command import Home
from tests.fakes import NOON
from tests.reporters.reports import improved


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("home"))
    home.had_sessions()
    for _ in range(2):
        assert home.command("run", "--backend", "simulated").code == 0
    return home


def test_before_the_first_night_it_says_how_to_begin(tmp_path: Path) -> None:
    done = Home(tmp_path).command("report", "--list")
    assert done.code == 0
    assert "run --example" in done.out
    assert "what came of it" not in done.out, "a table without a line"
    assert Home(tmp_path / "other").command("report", "--list", "--json").json == {
        "schema_version": 1,
        "nights": [],
        "all": 0,
    }


@pytest.mark.slow
def test_nights_are_listed_newest_first_with_outcome_documents_gain_and_spend(home: Home) -> None:
    titles, newest, why, oldest, document = home.command("report", "--list").out.splitlines()
    assert titles.split() == ["night", "what", "came", "of", "it", "sessions", "calls", "tokens", "cost", "id"]
    assert newest.startswith("today ")
    assert newest.endswith("-2")
    assert "no new sessions" in why
    assert "found something to propose" in oldest
    assert "  5  " in oldest
    assert "shop-api/CLAUDE.md: proven, solved " in document
    assert document.endswith("P-0001 waits for you")
    assert "90 % interval" in home.command("report", "--list", "--verbose").out


def test_what_became_of_a_proposal_is_told(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    assert "you adopted P-0001" in home.command("report", "--list").out


def test_for_programs_it_is_one_document(home: Home) -> None:
    newest, oldest = home.command("report", "--list", "--json").json["nights"]
    assert (newest["verdict"], newest["documents"]) == ("nothing_new", [])
    (document,) = oldest["documents"]
    assert document["verdict"] == "accept"
    assert document["gain"] == pytest.approx(document["after"] - document["before"])
    assert document["n"] > 0
    assert len(document["interval"]) == 2
    assert oldest["spend"]["calls"] > 0
    assert oldest["proposals"][0]["id"] == "P-0001"


def test_only_the_last_are_shown_where_so_many_are_asked_for(home: Home) -> None:
    out = home.command("report", "--list", "--last", "1").out
    assert "nothing new" in out
    assert "found something" not in out
    assert "1 earlier: skillopt-sleep report --list --last 0" in out


def cells(night: NightLine, report: NightReport | None, *, running: bool = False) -> list[str]:
    """The second column of a night's rows: what came of it."""
    told: list[str] = []
    for row in rows(night, report, {}, now=NOON, running=running):
        told.append(row[1] if isinstance(row[1], str) else row[1][0])
    return told


def test_a_night_without_a_report_runs_or_was_cut_off() -> None:
    night = NightLine("2026-03-02", NOON, None, None)
    assert cells(night, None, running=True) == ["running now"]
    assert cells(night, None) == ["not over; the next run goes on with it"]


def test_a_night_that_failed_says_why() -> None:
    night = NightLine("2026-03-02", NOON, NOON, Outcome.BACKEND_FAILED)
    report = a_report(verdict=Outcome.BACKEND_FAILED, because="the key was refused")
    assert cells(night, report)[1] == "the key was refused"


def test_a_proposal_that_is_not_there_any_more_is_gone() -> None:
    night = NightLine("2026-03-02", NOON, NOON, Outcome.IMPROVED)
    report = a_report(documents=(improved(),), proposals=(a_proposal(document=improved().document.id),))
    assert any("P-0001 is gone" in cell for cell in cells(night, report))
