"""What a killed process left is removed at the next start, and what is in use stays."""

import subprocess
import sys
import time
from pathlib import Path

from skillopt_sleep.kit.scratch import sweep
from tests.replay.workspaces.repositories import base_of, repository

_KILLED = """
import os, signal, sys
from pathlib import Path
from skillopt_sleep.records import Workspace
from skillopt_sleep.replay.workspaces import Bases
base, whole = (Bases(Path(sys.argv[1]), layers=layers).of(Workspace(root=sys.argv[2], commit=sys.argv[3])) for layers in (True, False))
with base.copy() as one, whole.copy() as two:
    (one.tree.upper / "locked").mkdir(mode=0)
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_copies_and_bases_of_a_killed_process_go(tmp_path: Path) -> None:
    name = repository(tmp_path / "shop")
    folder = tmp_path / "workspaces"
    argv = [sys.executable, "-c", _KILLED, str(folder), str(tmp_path / "shop"), name]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        assert sweep(folder, tmp_path).gone == ()
        process.kill()
    swept = sweep(folder, tmp_path)
    assert (len(swept.gone), swept.stuck) == (4, ())  # two copies and what they were made of
    assert list(folder.iterdir()) == []


def test_killed_while_a_base_is_made_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    name = repository(tmp_path / "shop", {f"f{number}": f"{number}\n" for number in range(300)})
    folder = tmp_path / "workspaces"
    argv = [sys.executable, "-c", _KILLED, str(folder), str(tmp_path / "shop"), name]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not any(folder.glob("base-*/*")) and time.monotonic() < until:
            time.sleep(0.002)
        process.kill()
    assert sweep(folder, tmp_path).gone
    assert list(folder.iterdir()) == []
    tree = base_of(tmp_path, tmp_path / "shop", name).path
    assert len(list(tree.iterdir())) == 301
    assert sweep(tmp_path / "nowhere", tmp_path).gone == ()
