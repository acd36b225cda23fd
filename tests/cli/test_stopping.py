import signal
import subprocess
import sys

import pytest

SCRIPT = """
import time
from skillopt_sleep.cli.stopping import stop_softly
stop_softly()
try:
    print("ready", flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(("stop", "said"), [(signal.SIGINT, "stopping after"), (signal.SIGTERM, "ending the calls")])
def test_both_ways_to_stop_interrupt_once(stop: signal.Signals, said: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(stop)
    out, err = process.communicate(timeout=20)
    assert (out, process.returncode) == ("stopped\n", 0)
    assert said in err
