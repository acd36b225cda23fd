"""What the gate lets through, misses and costs, in worlds whose author didn't see it.

`make bench NAME=gate`, or with other numbers of nights `make bench NAME=gate ARGS="--nights 2000"`.

How the stakes of the bet (`learning/statistics.py`) were chosen. On binary scores at α = .05, 7 tasks and 5 rounds the
three stakes accept .5 → .8 on 55 % of nights (10 stakes from .1 to .95: 53 %, predictable aGRAPA stakes: 52 %), within
15 rounds on 98 % (97, 94), and 0 → .9 after one round on 85 % (46, 85). The stakes on no loss, with a margin of .1 and
128 pairs, of which a tenth lose and a tenth gain by chance, win in 44 of 100 trials (.03 each: 79); if the mean loss is
.05 in 9, if it is .1 in fewer than 1.

Not taken: half of α spent on exact sign flips in the first night (O'Brien-Fleming, 8 rounds), half on this bet. On
4,000 chains at .05 it finds +.3 on 57.4 / 85.2 % of first nights (4 / 7 tasks; the bet 49.5 / 76.5), but within three on
76.3 / 89.9 (77.8 / 90.8), and +.15 on 22.7 / 35.2 (25.9 / 37.1), as candidates wait. If .75 is spent, evenly, edits of
±.3 by the toss of a coin pass on 9.1 % of first nights at 4 tasks (6.3). Flips of whole sessions don't find +.3 more
often. More stakes (.1, .2) make the interval wider up to 40 pairs, and no narrower at 60.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from bench.gate_figures import DOUBTFUL, Ends, doubtful, figures, rows
from bench.gate_nights import GATE, Staged, history
from bench.gate_worlds import World, worlds
from bench.reduced import REDUCED, size

NIGHTS = size(150, 1)
AGAIN = size(7, 1)  # times as many nights, of the cells that look worst
OTHER = 1_000_000  # the first of their seeds
PROCESSES = 2
CHUNK = 20
DEFINITIONS = f"""
cell      so many nights (or histories of several) through the product's own `learn` with the default rule ({GATE.name},
          {GATE.rounds} rounds, alpha {GATE.alpha}), in memory and without a limit of calls: layout, drafts, one trial a rule,
          the joint guard, the fresh round. The world (bench/gate_worlds.py) draws each attempt and grade;
          the optimizer proposes the world's rules; what they were written from went wrong by day. A history of
          several nights goes on with what waits, and ends when something is staged. The judge isn't examined first
staged    proposed as proven by a trial; what is early isn't
value     of false_accept, false_accept_noisy, repeats_*, harmful_accept, riders_staged and longer_*: nights that stage a rule that does
          nothing, or harm. Of useful_*, weak_*, power_*, half_* and undoing_*: nights that stage all useful rules. Of
          harmless_kept and each_kept_*: the useful rules that are staged, those that harm another lesson left out
attempts  at unseen requests under either version, in trials and guard; not in the fresh round, which decides nothing
interval  Wilson's, 95 %. A cell is NOT KEPT if its interval lies beyond the bar even at the level .05 divided by the
          number of its measure's cells; otherwise a value beyond the bar is within chance
figure    of a measure with many cells the worst of the {DOUBTFUL} that looked worst, run again with other seeds and {AGAIN} times the nights:
          of many cells one looks bad by luck, and the second run doesn't know of it. Otherwise the worst cell. Each
          rate is drawn to the mean of those beside it by as much as their spread is no more than chance
          (gate_figures.shrunk). attempts_x_today: over those of the gate at 92ddd7b9 in the same worlds; gain_bias:
          the gain told (that of the fresh round) minus the true one, the worst of two cells
"""


class _Job(NamedTuple):
    cell: World
    start: int
    end: int


def main() -> None:
    """Simulate every cell, print the rows, the definitions and the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nights", type=int, default=NIGHTS, help="nights a cell; with several documents fewer")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--only", default="", help="only cells whose name or measure holds this")
    options = parser.parse_args()
    begun = time.perf_counter()
    cells = [cell for cell in worlds() if options.only in cell.name or options.only in cell.bar.measure]
    ends = simulated(cells, options.nights, options.processes)
    again = simulated(doubtful(ends), AGAIN * options.nights, options.processes, first=OTHER)
    print("\n".join(rows(ends, again)))
    print(DEFINITIONS)
    print(f"{time.perf_counter() - begun:.0f} s, {options.nights} nights a cell of one document")
    print(json.dumps(figures(ends, again)))


def simulated(cells: Sequence[World], nights: int, processes: int, *, first: int = 0) -> Ends:
    """Return how the nights of each cell ended, with seeds from the first on."""
    jobs: list[_Job] = []
    for cell in cells:
        end = first + _nights_of(cell, nights)
        jobs += [_Job(cell, start, min(start + CHUNK, end)) for start in range(first, end, CHUNK)]
    found = defaultdict[World, list[Staged]](list)
    with ProcessPoolExecutor(processes) as pool:
        for job, ends in zip(jobs, pool.map(_histories, jobs, chunksize=2), strict=True):
            found[job.cell] += ends
    return dict(found)


def _nights_of(cell: World, nights: int) -> int:
    """Return how many nights of a cell are run: of many documents each night has many trials."""
    if REDUCED or cell.documents == 1:
        return nights
    return max(1, round(nights * 2 / cell.documents))


def _histories(job: _Job) -> Sequence[Staged]:
    return [history(job.cell, seed) for seed in range(job.start, job.end)]


if __name__ == "__main__":
    main()
