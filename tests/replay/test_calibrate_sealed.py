"""A command is calibrated in a real seal, as a night does it."""

from pathlib import Path

import pytest

from skillopt_sleep.records import Command
from tests.replay.test_calibrate import PROJECT, RIGHT, UNITTEST, Place
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal


def test_a_command_is_calibrated_in_a_real_seal_without_network(tmp_path: Path) -> None:
    place = Place(tmp_path, seal_or_skip())
    place.begins(PROJECT)
    place.ends_with({"money.py": RIGHT})
    assert place.refused(UNITTEST) is None
    reach = "import socket; socket.create_connection(('192.0.2.1', 9), 2)"
    checked, _ = place.runs.on(Command(argv=("python3", "-c", reach)), place.start)
    assert checked.status == 1
    assert "unreachable" in checked.output
