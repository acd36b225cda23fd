"""What the gate lets through, misses and costs, in worlds that its author didn't write.

`make bench NAME=gate`, or with other numbers of nights `make bench NAME=gate ARGS="--nights 2000"`.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from tests.benchmarks import gate_machine
from tests.benchmarks.gate_cells import CELLS
from tests.benchmarks.gate_figures import Ends, figures, rows, sprt
from tests.benchmarks.gate_machine import NightCell, Real
from tests.benchmarks.gate_nights import GATE, TRAIN, Ended, chain
from tests.benchmarks.gate_worlds import BATCH
from tests.benchmarks.reduced import size

NIGHTS = size(600, 1)
REAL_NIGHTS = size(40, 1)
PROCESSES = 2
CHUNK = 50
DEFINITIONS = f"""
cell      so many chains of nights through the night's own steps() and step(), with {TRAIN} train tasks, the default rule
          ({GATE.name}, {GATE.rounds} rounds, alpha {GATE.alpha}) and an optimizer that proposes the same rules each night
          (to what gains, in the first night only, so that it's one candidate's life); the real prompts of attempts reach a target that is simulated, and an answer to the same question is kept for the night.
          A chain of several nights goes on with what waits, and ends when something is staged; val is the number of
          unseen tasks of the rules' lesson a document, in the first night; +2 val: two new ones each later night
staged    a change that step() would stage as proven: the verdict accepts and there is a candidate; with Wilson's 95 %
          interval. A rider is staged if an accepted candidate's text holds a rule that does nothing
calls     attempts at unseen tasks a chain, of both arms and of all trials
useless   the rules do nothing, in the worlds that the cell names. "repeats by prompt": an answer is a function of the whole
          prompt; "by request": of document and request alone, whatever else a prompt says; "rerolled": the edit changes so
          many tasks' answers; "shared luck": correlation (latent) of a session's tasks in one round; "time out": failing
          attempts of the candidate's arm are lost with that chance; "target +.3 at the parts": the target gets so much
          better when a part of the bundle is first asked; "noisy by batch": sd .3 shared by the {BATCH} answers of one call
uneven    each task gains or loses by chance, of mean zero: no null world, for some tasks the edit helps
riders    one rule takes its lesson from .2 to .9, one or two others do nothing; "second": rules of +.45 and +.25 and a rider
mixed     helps its own lesson and takes a lesson learned earlier, which nobody asks about tonight, from .9 to .3
decisive  0 -> .9, with as many bystanders (tonight's other lessons, each as good as it says); three documents: each counts
gain      told: the gain beside what was accepted; the truth is in the name
curve     a cell that no goal is about
night     a real run_night on a real store with the real judge and cache; judges: see the name; "right 9 of 10" learns 0 -> .9

false_accept, harmful_accept: the upper end of the worst cell's interval. uneven_accept, mixed_accept, riders_staged (of
acceptances; 7 and 4 val): the worst cell's share. useful_kept: nights with the useful rule staged, the worst of the cells of
riders; weaker_kept_7: acceptances with the +.25 rule. decisive_power: the least of bystanders at .9 and three documents (2
and 4 val); _half: bystanders at .5; _learned: three learned lessons at .9. power_30_three_nights: .5 -> .8 with 4 and 7 val.
calls_x_paired_sprt: attempts of the trials, over those of a paired test that knows the effect, at +30 and 7 val, three
nights. gain_bias: told minus .2 in the worst cell of 4, 7 and 14 val.
"""


class _Job(NamedTuple):
    cell: int
    start: int
    end: int


def main() -> None:
    """Simulate every cell, print the rows, the definitions, the curves and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS, help="chains a cell through step()")
    parser.add_argument("--real", type=int, default=REAL_NIGHTS, help="nights a cell through run_night")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--only", default="", help="only cells whose title holds this")
    options = parser.parse_args()
    begun = time.perf_counter()
    ends = simulated(options.nights, options.processes, options.only)
    print("\n".join(rows(ends, curves=False)))
    real = real_nights(options.real, options.processes, options.only)
    print("\n".join(gate_machine.rows(real)))
    print(DEFINITIONS)
    print("\n".join(rows(ends, curves=True)))
    for val in (4, 7, 14):
        power, calls = sprt(val)
        print(f"paired SPRT that knows of +.3, {val} val, three nights: accepts {power:.0%} at {calls:.0f} calls")
    print(f"\n{time.perf_counter() - begun:.0f} s, {options.nights} nights a cell, {options.real} real ones")
    claimed = figures(ends) | gate_machine.figures(real)
    print(json.dumps({name: value for name, value in claimed.items() if not math.isnan(value)}))


def simulated(nights: int, processes: int, only: str = "") -> Ends:
    """Return the ends of all chains of each cell."""
    jobs: list[_Job] = []
    for number, cell in enumerate(CELLS):
        if only not in cell.title:
            continue
        total = round(nights * cell.weight)
        jobs += [_Job(number, start, min(start + CHUNK, total)) for start in range(0, total, CHUNK)]
    found = defaultdict[int, list[Ended]](list)
    with ProcessPoolExecutor(processes) as pool:
        for job, ends in zip(jobs, pool.map(_chains, jobs, chunksize=4), strict=True):
            found[job.cell] += ends
    return {CELLS[number]: ends for number, ends in found.items()}


def _chains(job: _Job) -> list[Ended]:
    return [chain(CELLS[job.cell], seed) for seed in range(job.start, job.end)]


def real_nights(nights: int, processes: int, only: str = "") -> dict[NightCell, Sequence[Real]]:
    """Return the ends of the nights that are run for real."""
    cells = [cell for cell in gate_machine.CELLS if only in cell.title]
    jobs = [(gate_machine.CELLS.index(cell), seed) for cell in cells for seed in range(nights)]
    found = defaultdict[NightCell, list[Real]](list)
    with ProcessPoolExecutor(processes) as pool:
        for (number, _), end in zip(jobs, pool.map(_real, jobs, chunksize=2), strict=True):
            found[gate_machine.CELLS[number]].append(end)
    return dict(found)


def _real(job: tuple[int, int]) -> Real:
    number, seed = job
    return gate_machine.real_night(gate_machine.CELLS[number], seed)


if __name__ == "__main__":
    main()
