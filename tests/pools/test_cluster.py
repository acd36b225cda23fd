import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.ray import RayPool, connect, own_code
from tests.pools.portable import Nobody, Work, square

PORT = "26391"
TOKEN = "b" * 64
ROOT = Path(__file__).parents[2]
ON_ITS_OWN = """
import os, psutil, tempfile
from contextlib import closing
from skillopt_sleep.pools.ray import RayPool
from tests.pools.portable import Echo, Nobody, Work, die_once, square

with tempfile.TemporaryDirectory() as marks, closing(RayPool(2, lambda *told: None)) as pool:
    print(pool.map(Work(square, Nobody()), range(4), label="x"))
    print(len(pool.map(Work(die_once, Echo()), [("a", f"{marks}/died"), ("b", "")], label="x")))
with closing(RayPool(2, lambda *told: None)) as another:
    print(another.map(Work(square, Nobody()), range(4), label="x"))
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    sockets = [one for process in processes for one in process.net_connections()]
    print(sorted({one.laddr.ip for one in sockets if one.status == "LISTEN"}))
print(psutil.Process().children())
print([name for name in os.environ if name in ("RAY_AUTH_TOKEN", "RAY_USAGE_STATS_ENABLED")])
"""
JOINING = """
import os, ray
from contextlib import closing
from skillopt_sleep.pools.ray import RayPool
from tests.pools.portable import Nobody, Work, square

with closing(RayPool(2, lambda *told: None, address=os.environ["HEAD"])) as pool:
    print(pool.map(Work(square, Nobody()), range(4), label="x"))
print(ray.is_initialized())
"""
NODES = """
import os, subprocess, sys, threading, time
from contextlib import closing
from pathlib import Path
import psutil
from skillopt_sleep.errors import BackendUnavailable
from skillopt_sleep.pools.ray import RayPool
from tests.pools.portable import Nobody, Work, pid, stay_unless_at, wait_for_two_nodes

def when(mark, act):
    def look():
        while not any(mark.iterdir()):
            time.sleep(0.1)
        act()
    threading.Thread(target=look, daemon=True).start()

def kill_raylet(process):
    for child in process.children(recursive=True):
        if child.name() == "raylet":
            child.kill()

marks = [Path(sys.argv[1]) / name for name in ("joined", "busy", "broken")]
for mark in marks:
    mark.mkdir()
joined, busy, broken = marks
ray = str(Path(sys.executable).parent / "ray")
added = []

def add():
    where = "--address=" + os.environ["HEAD"]
    command = [ray, "start", where, "--num-cpus=1", "--object-store-memory=100000000", "--block"]
    added.append(psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

with closing(RayPool(2, lambda *told: None, address=os.environ["HEAD"])) as pool:
    when(joined, add)
    print(len(set(pool.map(Work(wait_for_two_nodes, Nobody()), [str(joined)] * 2, label="x"))))
    import ray as library
    here = library.get_runtime_context().get_node_id()
    when(busy, lambda: kill_raylet(added[0]))
    print(set(pool.map(Work(stay_unless_at, Nobody()), [(here, str(busy / "mark"))] * 6, label="x")) == {here})
    threading.Timer(1, kill_raylet, [psutil.Process(int(os.environ["HEAD_PID"]))]).start()
    try:
        pool.map(Work(pid, Nobody()), [0.5] * 600, label="x")
    except BackendUnavailable as error:
        print(error)
added[0].kill()
print("left", flush=True)
"""


def run(script: str, home: Path, **variables: str) -> list[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        env=environ | {"HOME": str(home)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.slow
def test_clusters_of_our_own_are_on_loopback_and_leave_nothing_behind(tmp_path: Path) -> None:
    first, survived, second, listening, children, variables = run(ON_ITS_OWN, tmp_path)
    assert survived == "2"  # and nothing else is printed when a worker dies
    assert first == second == "(0, 1, 4, 9)"
    assert listening in {"['127.0.0.1', '::ffff:127.0.0.1']", "['127.0.0.1']"}
    assert (children, variables) == ("[]", "[]")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def head(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """Start a cluster with a token; yield the environment variables of its user, where it is, and its process."""
    users = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN, "RAY_USAGE_STATS_ENABLED": "0"}
    command = ("start", "--head", "--block", f"--port={PORT}", "--num-cpus=1", "--include-dashboard=false")
    process = subprocess.Popen(
        [Path(sys.executable).parent / "ray", *command, "--object-store-memory=100000000"],
        env=os.environ | users | {"HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout as said:
        begun = list(takewhile(lambda line: "block forever" not in line, said))
        (address,) = (line.split()[-1] for line in begun if "Local node IP" in line)
        yield {**users, "HEAD": f"{address}:{PORT}", "HEAD_PID": str(process.pid)}
        process.terminate()


@pytest.mark.slow
def test_a_running_cluster_is_joined_and_left(head: Mapping[str, str], tmp_path: Path) -> None:
    assert run(JOINING, tmp_path, **head) == ["(0, 1, 4, 9)", "False"]


@pytest.mark.slow
def test_a_node_that_joins_is_used_one_that_dies_is_replaced_and_a_broken_cluster_is_one_sentence(
    head: Mapping[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NODES, tmp_path],
        cwd=ROOT,
        env=os.environ | head | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    nodes, is_replaced, sentence, left = done.stdout.splitlines()
    assert (nodes, is_replaced, left) == ("2", "True", "left")
    assert sentence.startswith("the Ray cluster broke: ")


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:9", "nonsense"])
def test_without_a_cluster_the_remedy_comes_at_once(address: str) -> None:
    with pytest.raises(ConfigError, match="no Ray cluster can be joined at") as caught:
        connect(address, processes=1)
    assert "ray status" in caught.value.remedy
    assert "RAY_AUTH_TOKEN" not in os.environ


def test_nothing_imports_ray_before_something_is_sent() -> None:
    script = (
        "import sys\nfrom skillopt_sleep.pools.ray import RayPool\n"
        "import skillopt_sleep.cli.train, skillopt_sleep.wiring.training\n"
        "pool = RayPool(2, lambda *told: None)\npool.map(abs, [1], label='x')\npool.close()\nprint('ray' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_nothing_to_send_begins_no_cluster() -> None:
    with closing(RayPool(2, lambda *told: None)) as pool:
        assert pool.map(Work(square, Nobody()), (), label="x") == ()


def test_an_environment_in_a_clone_of_this_project_takes_its_neighbours_along_and_not_this_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = ModuleType("skillopt_env_in_a_clone")
    own.__file__ = str(ROOT / "in_a_clone.py")
    monkeypatch.setitem(sys.modules, own.__name__, own)
    packages = {module.__name__.partition(".")[0] for module in own_code()}
    assert {own.__name__, "tests"} <= packages
    assert "skillopt_sleep" not in packages


def test_where_ray_is_not_installed_the_remedy_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError('no ray')", encoding="utf-8")
    script = (
        "from skillopt_sleep.errors import ConfigError\nfrom skillopt_sleep.pools.ray import connect\n"
        "try:\n    connect('', processes=1)\nexcept ConfigError as error:\n    print(error, error.remedy)"
    )
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Ray isn't installed install it: ")
    assert " 'ray<" in done.stdout
