"""The choice of a seal."""

from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Denial, Probe
from skillopt_sleep.replay.seals.choose import WHOLE, chosen
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


def test_seals_that_fail_alike_are_named_together_and_each_once(tmp_path: Path) -> None:
    probes = [Probe("a", problem="gone"), Probe("b", problem="old"), Probe(f"a{WHOLE}", problem="gone")]
    choice = chosen([FakeSeal(probe) for probe in (*probes, Probe("c", problem="gone"))], tmp_path)
    assert "(a, c: gone; b: old)" in choice.why_not
