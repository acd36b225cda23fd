"""A rule that was seen is told from one that would do something else by now."""

import pytest

from skillopt_sleep.deciding.read import read_rule
from skillopt_sleep.deciding.shown import digest_of, shown_of
from tests.command import Home
from tests.deciding.desk import Desk, desk


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
