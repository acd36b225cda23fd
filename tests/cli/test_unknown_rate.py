"""Whatever shows the result of a gate's rule without a known error rate says so beside it."""

import sqlite3
from contextlib import closing

import pytest

from tests.command import Home

SAID = {
    "error rate unknown": "rror rate unknown",
    "unverified": "aken untested, error rate unknown",
}
COMMANDS = tuple(
    line.split()
    for line in (
        "review --show",
        "review --show P-0001",
        "status",
        "why P-0001",
        "review --json",
        "report --list",
    )
)


def judged_by(home: Home, claim: str) -> None:
    """What was accepted was accepted by a rule that claims this of its error rate."""
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE proposals SET body = json_set(CAST(body AS TEXT), '$.tested.error_rate', ?)", [claim])
        store.execute(
            "UPDATE nights SET report = json_set(CAST(report AS TEXT), '$.documents[0].verdict.error_rate', ?,"
            " '$.proposals[0].tested.error_rate', ?)",
            [claim, claim],
        )


@pytest.mark.slow
@pytest.mark.parametrize("claim", SAID)
def test_a_rule_of_an_unknown_error_rate_is_labelled_wherever_its_result_is_shown(home: Home, claim: str) -> None:
    judged_by(home, claim)
    for command in (*COMMANDS, ["report"], ["adopt", "P-0001"], ["why"]):
        assert SAID[claim] in home.command(*command).out, command


@pytest.mark.slow
def test_a_known_error_rate_needs_no_label(home: Home) -> None:
    for command in COMMANDS:
        assert "rror rate unknown" not in home.command(*command).out


def test_what_was_taken_untested_is_called_so_in_the_report_and_is_not_adopted_with_all(home: Home) -> None:
    judged_by(home, "unverified")
    report = home.command("report").out
    assert "Taken untested, error rate unknown" in report
    assert "Left out P-0001 (taken untested" in home.command("adopt", "--all").out
