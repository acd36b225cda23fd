"""What starts a program under sandlock, and ends what it leaves."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.replay.seals.sandlock import Sandlock
from tests.sealed import BOUNDS, Place, a_place, alive_with

if sys.platform != "linux":
    pytest.skip("sandlock is for Linux", allow_module_level=True)


@pytest.fixture
def place() -> Iterator[Place]:
    pytest.importorskip("sandlock", reason="needs skillopt-sleep[sandlock]")
    with a_place(Sandlock()) as made:
        try:
            made.run(["/bin/true"])
        except SealBroken as broken:
            pytest.skip(broken.message)
        yield made


def test_the_status_comes_back_also_of_a_signal(place: Place) -> None:
    assert place.sh("exit 41").status == 41
    assert place.sh("kill -TERM $$").status != 0


def test_a_process_in_a_session_of_its_own_is_ended_too_whatever_signals_it_ignores(place: Place) -> None:
    script = '(trap "" TERM HUP INT; setsid sh -c "trap \\"\\" TERM; while :; do sleep 1; done; : $1" &) > /dev/null 2>&1 < /dev/null'
    place.sh(script, place.secret)
    assert alive_with(place.secret) == []


def test_nothing_of_it_runs_on_when_the_time_is_up(place: Place) -> None:
    ran = place.sh('setsid sleep 100 & sleep 100; : "$1"', place.secret, bounds=BOUNDS._replace(seconds=1))
    assert ran.stopped == "timed_out"
    time.sleep(0.2)
    assert alive_with(place.secret) == []
    listed = subprocess.run(["ps", "-eo", "cmd"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in listed.splitlines() if "confined.py" in line]
