"""The choice of a seal."""

from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Denial, Probe
from skillopt_sleep.replay.seals import chosen
from tests.fakes import FakeSeal

HOLDS = frozenset(Denial)


def test_the_first_that_holds_is_chosen(tmp_path: Path) -> None:
    seals = [FakeSeal(Probe("a", problem="gone")), FakeSeal(Probe("b", "1", HOLDS)), FakeSeal(Probe("c", "1", HOLDS))]
    choice = chosen(seals, tmp_path)
    assert choice.seal is seals[1]
    assert [probe.seal for probe in choice.probes] == ["a", "b"]
    assert (choice.why_not, choice.remedy) == ("", "")


@pytest.mark.parametrize("missing", list(Denial))
def test_one_denial_that_is_missing_is_enough_to_be_left_out(tmp_path: Path, missing: Denial) -> None:
    choice = chosen([FakeSeal(Probe("a", "1", HOLDS - {missing}))], tmp_path)
    assert choice.seal is None


def test_without_any_it_says_why_of_each_and_what_to_do(tmp_path: Path) -> None:
    choice = chosen([FakeSeal(Probe("a", problem="gone")), FakeSeal(Probe("b", problem="old"))], tmp_path)
    assert choice.seal is None
    assert "a: gone; b: old" in choice.why_not
    assert choice.remedy


def test_where_nothing_can_be_sealed_yet_it_says_so(tmp_path: Path) -> None:
    choice = chosen([], tmp_path)
    assert "only on Linux" in choice.why_not
    assert "Linux" in choice.remedy
