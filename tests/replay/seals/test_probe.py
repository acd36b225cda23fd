"""The probe: it believes nothing, so a seal that leaks doesn't hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_LEAKY = """
import json, sys, tempfile
from pathlib import Path
from skillopt_sleep.kit import process
from skillopt_sleep.protocols.sealing import HOME, SOCKET
from skillopt_sleep.replay.seals.probe import probed

class Leaky:
    name = "leaky"
    def probe(self, folder): raise NotImplementedError
    def run(self, argv, policy, *, stdin=b""):
        text = json.dumps([list(argv), stdin.decode()])
        for inside, path in {**policy.reads, HOME: policy.home, SOCKET: policy.socket, policy.root: policy.tree.upper}.items():
            text = text.replace(str(inside), str(path))
        argv, stdin = json.loads(text)
        environ = dict(policy.environ)
        return process.run(argv, stdin=stdin.encode(), cwd=policy.tree.upper, environ=environ, timeout=20)

with tempfile.TemporaryDirectory() as folder:
    probe = probed(Leaky(), "1", Path(folder), remedy="none")
print(json.dumps({"denied": sorted(probe.denied), "problem": probe.problem, "holds": probe.holds}))
"""


def test_a_seal_that_seals_nothing_denies_nothing_and_each_way_out_is_named() -> None:
    # In namespaces of its own, so that it finds no network and nothing goes on when it ends.
    script = 'ip link set lo up 2>/dev/null; exec "$@"'
    around = ["unshare", "-U", "-r", "-n", "-p", "-f", "--kill-child", "--mount-proc", "/bin/sh", "-c", script, "sh"]
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespace can be had to try it in")
    root = Path(__file__).parent.parent.parent.parent
    done = subprocess.run(
        [*around, sys.executable, "-c", _LEAKY], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["holds"] is False
    # Without a network there is nothing to reach; where the loopback can't be brought up, there isn't that either.
    assert set(found["denied"]) <= {"outside_address", "loopback"}
    for name in (
        "read_outside",
        "write_outside",
        "write_base",
        "abstract_socket",
        "namespace",
        "signal_outside",
        "outlive",
    ):
        assert name in found["problem"]
