"""What the gate lets through, misses and costs, in worlds whose author didn't see it.

`make bench NAME=gate`, or with other numbers of nights `make bench NAME=gate ARGS="--nights 2000"`.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from tests.benchmarks.gate_figures import Ends, figures, rows
from tests.benchmarks.gate_nights import GATE, Staged, history
from tests.benchmarks.gate_worlds import World, worlds
from tests.benchmarks.reduced import REDUCED, size

NIGHTS = size(240, 1)
PROCESSES = 2
CHUNK = 20
DEFINITIONS = f"""
cell      so many nights (or histories of several) through the product's own `learn` with the default rule ({GATE.name},
          {GATE.rounds} rounds, alpha {GATE.alpha}), in memory and without a limit of calls: layout, drafts, one trial a rule,
          the joint guard, the fresh round. The world (tests/benchmarks/gate_worlds.py) draws each attempt and grade;
          the optimizer proposes the world's rules; what they were written from went wrong by day. A history of
          several nights goes on with what waits, and ends when something is staged. The judge isn't examined first
staged    proposed as proven by a trial; what is early isn't
value     of false_accept, false_accept_noisy, repeats_*, harmful_accept, riders_staged and longer_*: nights that stage a rule that does
          nothing, or harm. Of useful_*, weak_*, power_*, half_* and undoing_*: nights that stage all useful rules. Of
          harmless_kept and each_kept_*: the useful rules that are staged, those that harm another lesson left out
attempts  at unseen requests under either version, in trials and guard; not in the fresh round, which decides nothing
interval  Wilson's, 95 %. A cell is NOT KEPT if its interval lies beyond the bar even at the level .05 divided by the
          number of its measure's cells; otherwise a value beyond the bar is within chance
figure    the worst cell of a measure, each cell's rate drawn to the mean of its measure by as much as their spread is
          no more than chance (gate_figures.shrunk): of many equal cells the worst would else look bad by luck.
          attempts_x_today: over those of the gate at 92ddd7b9 in the same worlds; gain_bias: the gain told (that of the
          fresh round) minus the true one, the worst of two cells
"""


class _Job(NamedTuple):
    cell: int
    start: int
    end: int


def main() -> None:
    """Simulate every cell, print the rows, the definitions and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS, help="nights a cell; with several documents fewer")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--only", default="", help="only cells whose name or measure holds this")
    options = parser.parse_args()
    begun = time.perf_counter()
    ends = simulated(options.nights, options.processes, options.only)
    print("\n".join(rows(ends)))
    print(DEFINITIONS)
    print(f"{time.perf_counter() - begun:.0f} s, {options.nights} nights a cell of one document")
    print(json.dumps(figures(ends)))


def simulated(nights: int, processes: int, only: str = "") -> Ends:
    """Return how the nights of each cell ended."""
    cells = worlds()
    jobs: list[_Job] = []
    for number, cell in enumerate(cells):
        if only not in cell.name and only not in cell.bar.measure:
            continue
        total = _nights_of(cell, nights)
        jobs += [_Job(number, start, min(start + CHUNK, total)) for start in range(0, total, CHUNK)]
    found = defaultdict[int, list[Staged]](list)
    with ProcessPoolExecutor(processes) as pool:
        for job, ends in zip(jobs, pool.map(_histories, jobs, chunksize=2), strict=True):
            found[job.cell] += ends
    return {cells[number]: ends for number, ends in found.items()}


def _nights_of(cell: World, nights: int) -> int:
    """Return how many nights of a cell are run: of many documents each night has many trials."""
    if REDUCED or cell.documents == 1:
        return nights
    return max(1, round(nights * 2 / cell.documents))


def _histories(job: _Job) -> Sequence[Staged]:
    cell = worlds()[job.cell]
    return [history(cell, seed) for seed in range(job.start, job.end)]


if __name__ == "__main__":
    main()
