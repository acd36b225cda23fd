"""How long an agent waits for a hook, over the bare interpreter that runs it.

`make bench NAME=hooks`. Each round runs, in turn, `python3 -I -S -c pass` and the plugin's own script for the start of a
session in a repository, with a proposal waiting, and for its end. A time is wall time from the
start of the process until it has ended and its pipes are closed, as an agent waits for it; what git does behind it
isn't in it. The figure is the slower hook's median less the interpreter's.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.reduced import size
from tests.agent_hooks import Hooked, repository

ROUNDS = size(41, 2)
FILES = 200
GOAL_MS = 50.0


def measured(rounds: int = ROUNDS) -> dict[str, float]:
    """Median milliseconds: of the bare interpreter, of each hook, and of the slower one over the interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        hooked = Hooked(Path(folder))
        project = hooked.folder / "project"
        repository(project, **{f"code{number}_py": f"{number}\n" * 100 for number in range(FILES)})
        for number in range(20):
            (project / f"code{number}.py").write_text("changed\n")
        hooked.waits(2)
        times: dict[str, list[float]] = {"interpreter": [], "start": [], "end": []}
        for number in range(rounds):
            name = f"session-{number}"
            times["interpreter"].append(_timed(lambda: _bare(hooked)))
            times["start"].append(
                _timed(lambda name=name: hooked.run("SessionStart", session=name, source="startup"))
            )
            # Until git is done: an agent's session is longer.
            _settle(hooked.note("started", name))
            times["end"].append(_timed(lambda name=name: hooked.run("SessionEnd", session=name)))
    medians = {name: statistics.median(values) for name, values in times.items()}
    over = max(medians["start"], medians["end"]) - medians["interpreter"]
    return {**medians, "hook_over_interpreter_ms": over}


def _bare(hooked: Hooked) -> None:
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", "pass"],
        input="",
        capture_output=True,
        text=True,
        env=hooked.environ,
        check=True,
    )


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _settle(note: Path) -> None:
    until = time.monotonic() + 30
    while not note.exists() and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.02)  # and its process has ended


def main() -> None:
    found = measured()
    print(__doc__)
    for name in ("interpreter", "start", "end"):
        print(f"{name:12} {found[name]:7.1f} ms (median of {ROUNDS})")
    print(f"the slower hook over the interpreter: {found['hook_over_interpreter_ms']:.1f} ms (goal {GOAL_MS:.0f})")
    print(json.dumps({"hook_over_interpreter_ms": round(found["hook_over_interpreter_ms"], 2)}))


if __name__ == "__main__":
    main()
