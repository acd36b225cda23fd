"""What a sealed replay costs, whether anything gets out, and how often a night through sealed copies is wrong.

`make bench NAME=replay`; ARGS="--nights 200" for more nights, `--only nights` (or `worlds`, `overhead`, `escapes`) for one part.
The agent is a small program of ours and its model is scripted; store, seal, copies, relay, judge and gate are real.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.gate_figures import Count
from bench.reduced import REDUCED, size
from bench.replay_agent import SCRIPT, TREE, FastAgent, sealed_copy
from bench.replay_nights import CELLS, LINTED, Cell, Ended, night, repository
from bench.replay_worlds_run import worlds
from skillopt_sleep.backends.metered import Limits, NightMeter
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import Limit, Workspace
from skillopt_sleep.replay.seals import SEALS, chosen
from tests.builders import a_document, a_task
from tests.contracts.test_seal import SEALS as TRIED
from tests.fakes import FakeCalls, FakeClock, FakeLedger
from tests.server import Asked, ModelServer
from tests.server_protocols import Said

SIZES = size((10, 1_000, 30_000), (10,))
AGENT_SECONDS = size(2.0, 0.1)
PAIRS = size(7, 1)
NIGHTS = size(60, 1)
AT_ONCE = 3
TRIES = "tests/contracts/test_seal.py"
_RESULT = re.compile(r"^(PASSED|FAILED|ERROR) (\S+::.*?)(?: - .*)?$", re.MULTILINE)
DEFINITIONS = f"""
overhead_x_direct  a sealed attempt (copy, seal, relay, agent, diff) over the same agent run directly in a plain copy that is
                   there already, both with one call of the model and {AGENT_SECONDS:.0f} s in which the agent does nothing; the
                   median of {PAIRS} pairs, at the worst of {SIZES} files; the base is made before
flat_in_files      a sealed attempt at {SIZES[-1]:,} files over one at {SIZES[0]}, medians
base_seconds       the first use of a commit, by files
escapes            tries of {TRIES} that got out, of all with each seal that can be used here
useless, harmful   nights that stage such a rule as proven, of all; upper: end of Wilson's 95 % interval
helpful            nights that stage a rule that takes its lesson from .1 to .9
"""


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS, help="nights of each kind of rule")
    parser.add_argument("--only", choices=["nights", "worlds", "overhead", "escapes"], help="one part")
    asked = parser.parse_args()
    parts: dict[str, Callable[[Seal], dict[str, float]]] = {
        "overhead": overhead,
        "escapes": lambda _seal: escapes(),
        "nights": partial(nights, most=asked.nights),
        "worlds": lambda _seal: worlds(asked.nights),
    }
    if REDUCED:
        del parts["escapes"]  # `make check` runs these tests itself
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as name:
        choice = chosen(SEALS, Path(name))
    if choice.seal is None:
        sys.exit(f"{choice.why_not}; {choice.remedy}")
    figures: dict[str, float] = {}
    for name, measure in parts.items():
        if asked.only in (None, name):
            figures |= measure(choice.seal)
    print(DEFINITIONS)
    print(json.dumps(figures))


def overhead(seal: Seal) -> dict[str, float]:
    """Time sealed attempts and direct runs of the same agent in turn."""
    print(f"{'files':>7} {'base s':>7} {'direct s':>9} {'sealed s':>9} {'ratio':>6}   seal {seal.name}", flush=True)
    ratios: list[float] = []
    medians: list[float] = []
    figures: dict[str, float] = {}
    for files in SIZES:
        base, direct, sealed = timed(seal, files)
        ratios.append(statistics.median(one / other for one, other in zip(sealed, direct, strict=True)))
        medians.append(statistics.median(sealed))
        figures[f"base_seconds_{files}"] = round(base, 2)
        print(
            f"{files:7} {base:7.2f} {statistics.median(direct):9.3f} {medians[-1]:9.3f} {ratios[-1]:6.3f}", flush=True
        )
    figures["overhead_x_direct"] = round(max(ratios), 3)
    figures["flat_in_files"] = round(medians[-1] / medians[0], 3)
    return figures


def timed(seal: Seal, files: int) -> tuple[float, list[float], list[float]]:
    """Return the seconds that the base took, and those of each direct and each sealed attempt."""
    tree = dict(TREE) | {f"src/{n // 100}/file{n}.txt": f"{n}\n" * 20 for n in range(files - len(TREE))}
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as name, ModelServer() as server:
        server.acts = _linting
        folder = Path(name)
        root = folder / "shop"
        root.mkdir()
        workspace = Workspace(root=str(root), commit=repository(root, tree))
        meter = NightMeter(FakeLedger(), Limits(Limit(10_000), 60), clock=FakeClock())
        copies = sealed_copy(
            seal,
            server.root_url,
            folder / "r",
            draws=FakeCalls(),
            meter=meter,
            night="n",
            acting=FastAgent(AGENT_SECONDS),
        )
        task = a_task(reference=LINTED, workspace=workspace, project=str(root))
        document = a_document("- Check.\n", path=f"{root}/CLAUDE.md", project=str(root))
        begun = time.perf_counter()
        copies.run(task, document, sample=0)
        first = time.perf_counter() - begun
        direct: list[float] = []
        sealed: list[float] = []
        for sample in range(1, PAIRS + 1):
            begun = time.perf_counter()
            _directly(root, server.root_url)
            direct.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            attempt = copies.run(task, document, sample=sample)
            sealed.append(time.perf_counter() - begun)
            if attempt.failure or "sh check.sh" not in attempt.told:
                sys.exit(f"an attempt failed: {attempt.failure}")
    return first - statistics.median(sealed), direct, sealed


def _linting(_asked: Asked) -> Said:
    return Said(json.dumps({"linted": True, "passed": 4, "words": "Done."}))


def _directly(root: Path, address: str) -> None:
    """Run the agent's program in this folder, pointed straight at the model."""
    installed = FastAgent().installed(Path())
    environ = {
        "PATH": "/usr/bin:/bin",
        "AGENT_SECONDS": str(AGENT_SECONDS),
        "AGENT_MODEL": address.removeprefix("http://"),
    }
    argv = [*installed.command, "-I", "-S", "-c", SCRIPT]
    subprocess.run(argv, input=b"Do it.", cwd=root, env=environ, check=True, capture_output=True)


def escapes() -> dict[str, float]:
    """Try each known way out of each seal that can be used here."""
    argv = [sys.executable, "-m", "pytest", "-q", "-rA", "-m", "not live", "-p", "no:cacheprovider", TRIES]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    names = sorted((seal.name for seal in TRIED), key=len, reverse=True)
    tried: Counter[str] = Counter()
    out: Counter[str] = Counter()
    for ended, name in _RESULT.findall(done.stdout):
        case = name.partition("[")[2]
        seal = next((each for each in names if case.startswith(each)), "whatever the seal")
        tried[seal] += 1
        out[seal] += ended != "PASSED"
    if not tried:
        sys.exit(f"the tries could not be run:\n{done.stdout[-2000:]}")
    print(f"\n{'seal and kind of copy':44} {'tries':>6} {'out':>4}")
    for seal, count in sorted(tried.items()):
        print(f"{seal:44} {count:6} {out[seal]:4}", flush=True)
    return {"escapes": out.total(), "tries": tried.total()}


def nights(seal: Seal, *, most: int) -> dict[str, float]:
    """Run nights with rules whose worth is known."""
    print(f"\n{'rule and what judges':58} {'staged':>9} {'upper':>6} {'attempts':>9}  outcomes", flush=True)
    cells = size(CELLS, CELLS[:1])
    ended: dict[Cell, Sequence[Ended]] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for cell in cells:
            alike = [other for other in cells if other.kind == cell.kind]
            share = most if cell.kind in {"useless", "harmful"} else max(1, most // 3)
            count = len(range(alike.index(cell), share, len(alike)))
            ends = list(pool.map(lambda seed, cell=cell: night(cell, seed, seal), range(count)))
            ended[cell] = ends
            print(_row(f"{cell.kind}: {cell.name}", ends), flush=True)
    figures: dict[str, float] = {}
    for kind in dict.fromkeys(cell.kind for cell in cells):
        of_kind = [end for cell, ends in ended.items() if cell.kind == kind for end in ends]
        staged = Count(sum(end.staged for end in of_kind), len(of_kind))
        print(_row(f"{kind} nights", of_kind))
        figures |= {
            f"{kind}_nights": staged.of,
            f"{kind}_staged": staged.hits,
            f"{kind}_upper": round(staged.interval[1], 4),
        }
    return figures


def _row(name: str, ends: Sequence[Ended]) -> str:
    staged = Count(sum(end.staged for end in ends), len(ends))
    outcomes: Mapping[str, int] = Counter(end.outcome for end in ends)
    told = ", ".join(f"{outcome} {n}" for outcome, n in outcomes.items())
    attempts = statistics.mean(end.attempts for end in ends)
    return f"{name:58} {staged.hits:4}/{staged.of:<4} {staged.interval[1]:6.3f} {attempts:9.0f}  {told}"


if __name__ == "__main__":
    main()
