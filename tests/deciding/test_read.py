"""What waits is read rule by rule, whatever shows it, and reading changes nothing."""

import pytest

from skillopt_sleep.deciding.read import read_rule, rules_to_decide, rules_waiting
from tests.cli.walked import with_three_rules
from tests.command import Home
from tests.deciding.desk import desk


def test_each_rule_of_a_proposal_is_read_by_itself_the_proven_one_first(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_three_rules(home)
    with desk(home, monkeypatch) as at:
        rules = rules_to_decide(at.store)
        assert [(rule.id, len(rule.edits)) for rule in rules] == [("P-0001.1", 1), ("P-0001.2", 1), ("P-0001.3", 1)]
        waiting = read_rule(at.store, at.journal, "P-0001.1")
        assert rules_waiting(at.store) == 3
        assert at.states() == {"P-0001": "waiting"}
    assert waiting
    assert (waiting.rule.text, waiting.whole.id, waiting.divides) == ("Use pnpm, never npm.", "P-0001", True)
    assert "- Use pnpm, never npm." in waiting.rule.changes[0].new


def test_what_was_decided_in_the_meantime_is_nothing_to_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.command("reject", "P-0001")
    with desk(home, monkeypatch) as at:
        assert (rules_to_decide(at.store), rules_waiting(at.store)) == ([], 0)
        assert read_rule(at.store, at.journal, "P-0001") is None
