import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Home

SCRIPT = """
import time
from skillopt_sleep.cli.continued import stop_softly
stop_softly()
try:
    print("ready", flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(("stop", "said"), [(signal.SIGINT, "Stopping after"), (signal.SIGTERM, "Ending the calls")])
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


def test_ctrl_c_in_a_command_that_expects_none_is_told(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (home.folder / "sleep").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        config = f'[backend]\nname = "openai"\nmodel = "m"\nbase_url = "{address}"\n'
        (home.folder / "sleep" / "config.toml").write_text(config, encoding="utf-8")
        process = home.start("doctor")
        connection, _ = silent.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "stopped by Ctrl-C" in err
