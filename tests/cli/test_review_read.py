"""What waits is read rule by rule, and reading changes nothing."""

import pytest

from skillopt_sleep.cli.proposals import names_of_rules, read_rule
from tests.cli.walked import MORE, states, with_three_rules
from tests.command import Home


@pytest.fixture
def at_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    return home


def test_each_rule_of_a_proposal_is_read_by_itself_the_proven_one_first(at_home: Home) -> None:
    with_three_rules(at_home)
    assert names_of_rules([]) == ["P-0001.1", "P-0001.2", "P-0001.3"]
    proven, untested = read_rule("P-0001.1"), read_rule("P-0001.2")
    assert proven
    assert untested
    assert (proven.rule.text, proven.rule.label, proven.divides) == ("Use pnpm, never npm.", "", True)
    assert proven.rule.answers
    assert untested.rule.label.startswith("untested")
    assert untested.rule.tried.startswith("Not tried by itself.")
    assert MORE[0] in untested.rule.changes[0].new
    assert "pnpm" not in untested.rule.changes[0].new
    assert states(at_home) == {"P-0001": "waiting"}
    assert not list((at_home.folder / "sleep").rglob("P-0001.1"))


def test_a_rule_is_shown_as_it_would_be_adopted_now(at_home: Home) -> None:
    path = at_home.project / "CLAUDE.md"
    path.write_text("A line of my own.\n", encoding="utf-8")
    waiting = read_rule("P-0001")
    assert waiting
    change = waiting.rule.changes[0]
    assert change.old == "A line of my own.\n"
    assert "- Use pnpm, never npm." in change.new
    assert not waiting.divides


def test_what_was_decided_in_the_meantime_is_not_asked_again(at_home: Home) -> None:
    at_home.command("reject", "P-0001")
    assert read_rule("P-0001") is None
    assert names_of_rules([]) == []
    assert names_of_rules(["P-0001"]) == []


def test_why_a_rule_can_not_be_adopted_is_among_its_cautions(at_home: Home) -> None:
    (at_home.project / "CLAUDE.md").unlink()
    waiting = read_rule("P-0001")
    assert waiting
    assert waiting.rule.changes == ()
    assert "doesn't exist" in waiting.rule.cautions[-1]
