"""A command is calibrated in a real seal, as a night does it."""

from pathlib import Path

import pytest

from skillopt_sleep.records import Command
from skillopt_sleep.replay.seals import SEALS, chosen
from tests.replay.test_calibrate import PROJECT, RIGHT, UNITTEST, Place


def test_a_command_is_calibrated_in_a_real_seal_without_network(tmp_path: Path) -> None:
    probes = tmp_path / "probes"
    probes.mkdir()
    seal = chosen(SEALS, probes).seal
    if seal is None:
        pytest.skip("nothing can be sealed here")
    place = Place(tmp_path, seal)
    place.begins(PROJECT)
    place.ends_with({"money.py": RIGHT})
    assert place.refused(UNITTEST) is None
    reach = "import socket; socket.create_connection(('192.0.2.1', 9), 2)"
    checked, _ = place.runs.on(Command(argv=("python3", "-c", reach)), place.start)
    assert checked.status == 1
    assert "unreachable" in checked.output
