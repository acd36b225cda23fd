"""What doctor says of the seals."""

import time
from pathlib import Path

import pytest

from skillopt_sleep.doctor.checks import look_at_seals
from skillopt_sleep.doctor.findings import FindingState, Topic
from skillopt_sleep.protocols.sealing import Denial, Probe
from skillopt_sleep.replay.seals.machine import system_program
from tests.doctor.machine import Machine
from tests.fakes import FakeSeal

pytestmark = pytest.mark.seal

HOLDS = frozenset(Denial)


def test_the_first_that_holds_is_used_and_no_later_one_is_tried(tmp_path: Path) -> None:
    leaky = FakeSeal(Probe("leaky", "1.0", HOLDS - {Denial.LOOPBACK}, "it doesn't deny: loopback"))
    tight, later = FakeSeal(Probe("tight", "2.0", HOLDS)), FakeSeal(Probe("later", "3.0", HOLDS))
    first, second = look_at_seals(tmp_path / "seals", (leaky, tight, later))
    assert "leaky (1.0) isn't used" in first.says
    assert "loopback" in first.says
    assert "tight (2.0) can be used, if replay.sealed is on" in second.says
    assert all(denial.value.replace("_", " ") in second.says for denial in Denial)
    assert later.probed == 0


def test_without_any_the_one_command_that_helps_is_named_and_it_is_no_problem(tmp_path: Path) -> None:
    found = list(look_at_seals(tmp_path / "seals", (FakeSeal(Probe("gone", problem="it isn't installed")),)))
    assert found[0].state is FindingState.UNKNOWN
    assert "in text only" in found[0].says
    assert found[0].remedy
    assert "gone isn't used: it isn't installed" in found[1].says


@pytest.mark.skipif(system_program() is None, reason="bubblewrap isn't installed")
def test_looking_is_quick_and_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "s"
    began = time.monotonic()
    found = list(look_at_seals(place))
    assert time.monotonic() - began < 10  # the aim is 2 seconds; others may use this machine
    assert "bubblewrap" in found[0].says
    assert list(place.iterdir()) == []


def test_doctor_shows_the_seals_after_the_programs(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert machine.says(Topic.SEALS)
    assert list(Topic).index(Topic.SEALS) == list(Topic).index(Topic.PROGRAMS) + 1
