import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

from skillopt_sleep.kit.alive import is_alive


def test_a_process_is_alive_until_it_ends_and_also_before_it_is_waited_for() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = datetime.now(UTC)
    assert is_alive(process.pid, since)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(process.pid, since)
    process.communicate()
    assert not is_alive(process.pid, since)


def test_a_process_that_began_later_is_another_one_of_the_same_number() -> None:
    assert not is_alive(os.getpid(), datetime.now(UTC) - timedelta(days=30))
