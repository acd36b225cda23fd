"""What a killed process left is removed at the next start, and what is in use stays."""

import subprocess
import sys
import time
from pathlib import Path

from skillopt_sleep.kit.leftovers import sweep
from tests.replay.workspaces.repositories import base_of, repository

_KILLED = """
import os, signal, sys
from pathlib import Path
from skillopt_sleep.records import Workspace
from skillopt_sleep.replay.workspaces import Bases
base = Bases(Path(sys.argv[1])).of(Workspace(root=sys.argv[2], commit=sys.argv[3]))
with base.copy(layers=True) as one, base.copy(layers=False) as two, two.again(layers=False):
    (one.tree.upper / "locked").mkdir(mode=0)
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_copies_of_a_killed_process_go_and_the_base_stays(tmp_path: Path) -> None:
    name = repository(tmp_path / "shop")
    folder = tmp_path / "workspaces"
    argv = [sys.executable, "-c", _KILLED, str(folder), str(tmp_path / "shop"), name]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        assert sweep(folder, tmp_path).gone == ()
        process.kill()
    swept = sweep(folder, tmp_path)
    assert (len(swept.gone), swept.stuck) == (3, ())
    base = base_of(tmp_path, tmp_path / "shop", name)
    assert sorted(path.name for path in folder.iterdir()) == sorted([base.path.parent.name, "bases.lock"])


def test_killed_while_a_base_is_made_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    name = repository(tmp_path / "shop", {f"f{number}": f"{number}\n" for number in range(300)})
    folder = tmp_path / "workspaces"
    argv = [sys.executable, "-c", _KILLED, str(folder), str(tmp_path / "shop"), name]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not any(folder.glob("making-*/*")) and time.monotonic() < until:
            time.sleep(0.002)
        process.kill()
    assert sweep(folder, tmp_path).gone
    assert not list(folder.glob("making-*"))
    tree = base_of(tmp_path, tmp_path / "shop", name).path
    assert len(list(tree.iterdir())) == 301
    assert sweep(tmp_path / "nowhere", tmp_path).gone == ()
