"""What a run may take."""

import os
import subprocess
import sys
from pathlib import Path

from skillopt_sleep.protocols.sealing import Bounds
from skillopt_sleep.replay.seals.watching import TOO_MANY_PROCESSES, TOO_MUCH_DISK, TOO_MUCH_MEMORY, ResourceWatch

CHILD = 'import sys; held = bytearray(b"x") * 60_000_000; print("ready", flush=True); sys.stdin.read()'


def test_memory_of_a_childs_child_counts(tmp_path: Path) -> None:
    code = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {CHILD!r}]))"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdin
        assert run.stdout.readline() == b"ready\n"
        assert ResourceWatch(Bounds(memory=50_000_000), tmp_path)(run.pid) == TOO_MUCH_MEMORY
        assert ResourceWatch(Bounds(memory=500_000_000), tmp_path)(run.pid) == ""
        run.stdin.close()


def test_threads_count_as_processes(tmp_path: Path) -> None:
    code = (
        "import sys, threading\n"
        "for _ in range(9): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdin
        assert run.stdout.readline() == b"ready\n"
        assert ResourceWatch(Bounds(processes=9), tmp_path)(run.pid) == TOO_MANY_PROCESSES
        assert ResourceWatch(Bounds(processes=10), tmp_path)(run.pid) == ""
        run.stdin.close()


def test_disk_that_has_gone_since_the_start_counts(tmp_path: Path) -> None:
    watch = ResourceWatch(Bounds(disk=20_000_000), tmp_path)
    (tmp_path / "big").write_bytes(os.urandom(40_000_000))
    with (tmp_path / "big").open("rb") as file:
        os.fsync(file.fileno())
    assert watch(os.getpid()) == TOO_MUCH_DISK


def test_a_process_that_has_ended_takes_nothing(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as run:
        pass
    assert ResourceWatch(Bounds(processes=0), tmp_path)(run.pid) == ""
