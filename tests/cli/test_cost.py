"""What the nights spent, as a person asks for it."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import CallState, Purpose, Usage
from tests.command import Home
from tests.fakes import FakeClock
from tests.stores.opening import open_at, seal

USAGE = Usage(input_tokens=1_000, output_tokens=50, cached_tokens=800)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def had_night(
    home: Home, *, usd: float | None, days_ago: int = 0, model: str = "m-1", usage: Usage | None = USAGE
) -> str:
    """A night with one rollout; its id."""
    clock = FakeClock(utc_now() - timedelta(days=days_ago))
    store = open_at(home.folder / "sleep" / "data", clock=clock)
    with store.open_night() as page:
        entry = store.ledger.reserve(Reservation(Purpose.ROLLOUT, model))
        store.ledger.settle(entry, CallState.DONE, usage=usage, usd=usd)
        seal(page)
    store.close()
    return page.night


def test_every_night_shows_purpose_model_tokens_and_dollars(home: Home) -> None:
    old, new = had_night(home, usd=0.25, days_ago=3), had_night(home, usd=0.5, model="m-2")

    done = home.command("report", "--cost")

    assert done.code == 0
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("#")] == [f"### {new}", f"### {old}"]
    first, *_ = (line for line in lines if line.startswith("| attempts"))
    assert first == "| attempts, m-2 | 1 | 1,000 tokens in and 50 out | $0.50 |"
    assert lines[-1].startswith("All: 2 calls, ")
    assert lines[-1].endswith("$0.75")


def test_an_unknown_price_is_no_zero_and_asked_for_until_it_is_set(home: Home) -> None:
    had_night(home, usd=0.25, days_ago=1)
    had_night(home, usd=None)

    *_, total, price = home.command("report", "--cost").out.splitlines()
    assert total.endswith("at least $0.25")
    assert price.startswith("No price was known for m-1. Set it: skillopt-sleep config set prices.m-1 ")
    assert "unpriced" not in home.command("report", "--cost").out
    assert home.command("report", "--cost", "--json").json["total"]["usd"] is None
    assert home.command("config", "set", "prices.m-1", "[0.2, 0.6]").code == 0
    assert home.command("report", "--cost").out.splitlines()[-1] == "No price was known for m-1."


def test_unknown_tokens_are_no_zero(home: Home) -> None:
    had_night(home, usd=0.0, usage=None)

    assert home.command("report", "--cost").out.splitlines()[-1].endswith("1 call, tokens unknown, $0.00")

    had_night(home, usd=0.0, days_ago=1)

    assert "2 calls, at least" in home.command("report", "--cost").out.splitlines()[-1]
    assert home.command("report", "--cost", "--json").json["total"]["unnamed"] == 1


@pytest.mark.parametrize(("since", "calls"), [("2d", 1), ("30d", 2), ("2020-01-01", 2)])
def test_since_leaves_out_what_was_earlier(home: Home, since: str, calls: int) -> None:
    had_night(home, usd=0.25, days_ago=3)
    had_night(home, usd=0.5)

    assert home.command("report", "--cost", "--since", since, "--json").json["total"]["calls"] == calls


def test_nothing_spent_says_so(home: Home) -> None:
    assert "no night has called a model yet" in home.command("report", "--cost").out
    assert home.command("report", "--cost", "--since", "1d").out.strip() == "Nothing was spent since 1d."


@pytest.mark.parametrize("since", ["yesterday", "d", "2026-13-01", "-3d"])
def test_what_is_no_time_is_named(home: Home, since: str) -> None:
    done = home.command("report", "--cost", f"--since={since}")

    assert done.code == 2
    assert since in done.err
