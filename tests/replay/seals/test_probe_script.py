"""The program that tries what must be refused says of each what came of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.protocols.sealing import Denial
from skillopt_sleep.replay.seals import probe_script

FILE = Path(probe_script.__file__)


def test_what_succeeds_and_what_fails_is_told_of_each(tmp_path: Path) -> None:
    around = ["unshare", "-U", "-r", "-n", "-p", "-f", "--kill-child"]
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespace without a network can be had to try it in")
    ask = {
        "copy": str(tmp_path / "copy"),
        "home": str(tmp_path / "missing" / "home"),
        "relay": str(tmp_path / "relay"),
        "secret": str(tmp_path / "secret"),
        "outside": str(tmp_path / "outside"),
        "base": str(tmp_path / "missing" / "base"),
        "loopback": ["127.0.0.1", 9],
        "abstract": "nobody",
        "address": ["192.0.2.1", 9],
        "process": 2**22 + 1,
        "beats": str(tmp_path / "beats"),
    }
    (tmp_path / "secret").write_text("what nobody may see")
    done = subprocess.run(
        [*around, sys.executable, "-I", "-S", str(FILE)],
        input=json.dumps(ask),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = json.loads(done.stdout)
    assert set(told) == {"copy", "home", "relay", *Denial}
    through = {name for name, why in told.items() if not why}
    assert through == {"copy", "read_outside", "write_outside", "namespace", "outlive"}
    assert "what nobody may see" in done.stderr
    assert (tmp_path / "copy").read_text() == "written"
    assert (tmp_path / "beats").exists()
