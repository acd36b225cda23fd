from pathlib import Path

import pytest

from skillopt_sleep.pages.blocks import Sentence
from skillopt_sleep.records import NightReport, Outcome, Spend
from skillopt_sleep.reporters.past_nights import in_short, outcome
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
    assert Home(tmp_path / "other").command("report", "--list", "--json").json == {
        "schema_version": 1,
        "nights": [],
        "all": 0,
    }


@pytest.mark.slow
def test_nights_are_listed_newest_first_with_outcome_documents_gain_and_spend(home: Home) -> None:
    listed = [line.strip() for line in home.command("report", "--list").out.splitlines() if line.strip()]
    newest, why, _, oldest, document, numbers, spent = listed
    assert newest.startswith("### today ")
    assert newest.endswith("-2)")
    assert "no new sessions" in why
    assert "found something to propose" in oldest
    assert "shop-api/CLAUDE.md: proven, solved " in document
    assert document.endswith("P-0001 waits for you")
    assert "90 % interval" in numbers
    assert spent.startswith("5 sessions, ")
    assert "$" in spent


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


def told(report: NightReport | None) -> list[str]:
    """What is said of a night."""
    return [block.text for block in in_short(report, {}) if isinstance(block, Sentence)]


def test_a_night_without_a_report_runs_or_was_cut_off() -> None:
    night = NightLine("2026-03-02", NOON, None, None)
    assert outcome(night, running=True)[0] == "running now"
    assert outcome(night, running=False)[0] == "not over; the next run goes on with it"
    assert told(None) == []


def test_a_night_that_failed_says_why() -> None:
    assert told(a_report(verdict=Outcome.BACKEND_FAILED, because="the key was refused"))[0] == "the key was refused"


def test_a_proposal_that_is_not_there_any_more_is_gone() -> None:
    report = a_report(documents=(improved(),), proposals=(a_proposal(document=improved().document.id),))
    assert any("P-0001 is gone" in line for line in told(report))


@pytest.mark.parametrize(
    ("spend", "words"),
    [
        (Spend(), "0 calls, 0 tokens, $0.00"),
        (Spend(calls=1, tokens=900, usd=0.004), "1 call, 900 tokens, $0.0040"),
        (Spend(calls=1200, tokens=None), "1,200 calls, an unknown number of tokens, dollars unknown"),
        (Spend(calls=2, tokens=10, unnamed=1, usd=1.5), "2 calls, at least 10 tokens, $1.50"),
    ],
)
def test_what_is_not_known_of_the_spend_is_said_to_be_unknown(spend: Spend, words: str) -> None:
    assert told(a_report(spend=spend))[-1].endswith(words)
