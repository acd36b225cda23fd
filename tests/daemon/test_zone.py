import subprocess
import sys

import pytest

SCRIPT = """
import os
from skillopt_sleep.daemon.conditions import local_zone
print(local_zone())
os.environ["TZ"] = "Asia/Tokyo"
print(local_zone())
"""


@pytest.mark.parametrize("first", ["Europe/Berlin", "America/New_York"])
def test_the_zone_is_the_one_that_is_set_now(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env={"TZ": first}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == [first, "Asia/Tokyo"]


def test_a_zone_nobody_knows_is_the_offset_of_the_moment() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={"TZ": "Nowhere/Atlantis"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.split()[-1] == "Asia/Tokyo", done.stderr
