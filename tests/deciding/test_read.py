"""What waits is read rule by rule, whatever shows it, and reading changes nothing."""

import pytest

from skillopt_sleep.deciding.read import digest_of, read_rule, rules_to_decide, rules_waiting, shown_of
from tests.cli.walked import with_three_rules
from tests.command import Home
from tests.deciding.desk import Desk, desk


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


def shown(at: Desk) -> str:
    waiting = read_rule(at.store, at.journal, "P-0001")
    assert waiting
    return shown_of(waiting)


def test_a_file_that_changes_makes_another_rule_of_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_text(encoding="utf-8")
    with desk(home, monkeypatch) as at:
        seen = shown(at)
        assert shown(at) == seen
        path.write_text(f"{before}\nA line of mine.\n", encoding="utf-8")
        assert shown(at) != seen
        path.write_text(before, encoding="utf-8")
        assert shown(at) == seen


def test_a_digest_keeps_values_apart() -> None:
    assert digest_of(("ab", "c")) != digest_of(("a", "bc"))
