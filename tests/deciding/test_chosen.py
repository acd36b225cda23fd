"""A proposal is found by its name, and one of its rules by that with a number."""

from pathlib import Path

import pytest

from skillopt_sleep.deciding.chosen import named, single_rules
from skillopt_sleep.errors import ConfigError
from tests.cli.walked import with_three_rules
from tests.command import Home
from tests.deciding.desk import desk


@pytest.mark.slow
def test_a_rule_that_is_only_looked_at_divides_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_three_rules(home)
    with desk(home, monkeypatch) as at:
        (whole,) = named(at.store, "p-0001")
        (rule,) = named(at.store, "P-0001.2", scratch=tmp_path)
        assert (
            [one.name for one in single_rules(at.store, whole.decided, scratch=tmp_path)][1]
            == rule.name
            == "P-0001.2"
        )
        assert rule.folder.parent == tmp_path
        assert at.states() == {"P-0001": "waiting"}
        named(at.store, "P-0001.2")
        assert sorted(at.states()) == ["P-0001", "P-0001.1", "P-0001.2", "P-0001.3"]
        assert [one.name for one in named(at.store, "P-0001")] == ["P-0001.1", "P-0001.2", "P-0001.3"]


@pytest.mark.parametrize("name", ["P-0002", "P-0001.2", "P-0001.x", "../etc"])
def test_a_name_that_nothing_has_is_an_error(home: Home, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with desk(home, monkeypatch) as at, pytest.raises(ConfigError):
        named(at.store, name)
