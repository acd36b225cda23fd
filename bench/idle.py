"""What waiting costs: the daemon over many sessions that are being written to, and the start of quick commands.

`make bench NAME=idle`; Linux and macOS.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from bench.history import write_small
from bench.reduced import size
from skillopt_sleep.daemon.state import DaemonState
from skillopt_sleep.daemon.watcher import EVERY_SECONDS
from skillopt_sleep.settings import find_paths
from tests.command import PROGRAM

FILES = size(10_000, 50)
APPEND = 2_000
SETTLE_SECONDS = size(20, 1)
WATCH_SECONDS = size(180, 2)
ROUNDS = size(21, 1)
DEFINITIONS = f"""
core_percent  of one processor: CPU time of the waiting daemon with all it starts, in {WATCH_SECONDS} s over {FILES:,} session files in
              which a file is appended {APPEND} bytes to every second; and of one refresh of the index, which it starts at
              most every {EVERY_SECONDS:.0f} s, spread over that time
rss_mb        resident memory of the waiting daemon at the end of it
x_minimal     wall time of the command over that of `--help` of a typer app with two empty commands, both in processes of
              their own, in random order; the median of the ratios of {ROUNDS} rounds; `status` of a home without nights
"""
MINIMAL = '''
import typer

app = typer.Typer()


@app.command()
def one() -> None:
    """Do one thing."""


@app.command()
def other() -> None:
    """Do another."""


app()
'''


def main() -> None:
    """Measure, print."""
    with tempfile.TemporaryDirectory(prefix="bench-idle-") as name:
        home = Path(name)
        environ = {
            "HOME": str(home),
            "SKILLOPT_SLEEP_HOME": str(home / "sleep"),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CODEX_HOME": str(home / ".codex"),
            "PATH": os.environ["PATH"],
        }
        figures = commands(home, environ)
        print(f"writing {FILES:,} sessions ...", flush=True)
        write_small(home / ".claude" / "projects", count=FILES)
        figures |= waiting(home, environ)
    print(DEFINITIONS)
    print(json.dumps(figures))


def waiting(home: Path, environ: Mapping[str, str]) -> dict[str, float]:
    """CPU and memory of a daemon while sessions are written."""
    refresh = [sys.executable, "-P", "-m", "skillopt_sleep", "harvest"]
    subprocess.run(refresh, env=environ, check=True, stdout=subprocess.DEVNULL)
    sessions = sorted((home / ".claude" / "projects").rglob("*.jsonl"))
    daemon = psutil.Popen([str(PROGRAM), "daemon"], env=environ, stdout=subprocess.DEVNULL)
    try:
        while DaemonState(find_paths(environ).state).standing() is None:
            time.sleep(0.1)
        write(sessions, SETTLE_SECONDS)
        before, began = spent(daemon), time.monotonic()
        write(sessions, WATCH_SECONDS)
        share = (spent(daemon) - before) / (time.monotonic() - began)
        rss = daemon.memory_info().rss / (1 << 20)
    finally:
        daemon.terminate()
        daemon.wait()
    start = os.times()
    subprocess.run(refresh, env=environ, check=True, stdout=subprocess.DEVNULL)
    end = os.times()
    once = end.children_user - start.children_user + end.children_system - start.children_system
    print(f"the daemon alone    {100 * share:.3f} % of a core")
    print(f"one refresh         {once:.2f} s of CPU")
    return {"core_percent": round(100 * (share + once / EVERY_SECONDS), 3), "rss_mb": round(rss, 1)}


def write(sessions: Sequence[Path], seconds: int) -> None:
    """Append to a session every second."""
    line = json.dumps({"type": "progress", "data": "x" * (APPEND - 40)}) + "\n"
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with random.choice(sessions).open("a", encoding="utf-8") as file:
            file.write(line)
        time.sleep(1)


def spent(daemon: psutil.Popen) -> float:
    """CPU seconds of a process, of its children, and of those that have ended."""
    own = daemon.cpu_times()
    total: float = own.user + own.system + own.children_user + own.children_system
    for child in daemon.children(recursive=True):
        times = child.cpu_times()
        total += times.user + times.system
    return total


def commands(home: Path, environ: Mapping[str, str]) -> dict[str, float]:
    """Quick commands against the smallest program of the same making."""
    (home / "minimal.py").write_text(MINIMAL, encoding="utf-8")
    lines = {
        "minimal": [sys.executable, str(home / "minimal.py"), "--help"],
        "help": [str(PROGRAM), "--help"],
        "status": [str(PROGRAM), "status"],
    }
    took: dict[str, list[float]] = {name: [] for name in lines}
    order = list(lines)
    for number in range(ROUNDS + 1):
        random.shuffle(order)
        for name in order:
            began = time.perf_counter()
            subprocess.run(lines[name], env=environ, check=True, stdout=subprocess.DEVNULL)
            if number:  # the first compiles
                took[name].append(time.perf_counter() - began)
    for name, seconds in took.items():
        print(f"{name:19} {1000 * statistics.median(seconds):.0f} ms")
    return {
        f"{name}_x_minimal_typer": round(
            statistics.median(a / b for a, b in zip(took[name], took["minimal"], strict=True)), 2
        )
        for name in ("help", "status")
    }


if __name__ == "__main__":
    main()
