"""What months of nights amount to: lessons that are right in the end, rules that are stale or useless, and calls.

`make bench NAME=months`, or with other numbers `make bench NAME=months ARGS="--months 400"`.
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean, stdev
from typing import get_args

from bench.gate_figures import Count
from bench.months_nights import BUDGET, LOOK_BACK, Month, month
from bench.months_world import (
    CHANGED,
    HURTS,
    LUCK,
    MATTERS,
    MOST_REQUESTS,
    NIGHTS,
    NOTICED,
    RIDER,
    RIGHT,
    WRONG,
    Writes,
)
from bench.reduced import size

MONTHS = size(40, 1)
PROCESSES = 2
DEFINITIONS = f"""
month     {NIGHTS} nights of at most {BUDGET} calls on one document with 1 to {MOST_REQUESTS} new requests a day of {MATTERS} lessons, some of which come up
          often and others seldom, through split(), recall() and learn() with what waits, with removals and look-backs
          every {LOOK_BACK} nights; of {CHANGED} lessons the person changes their mind in mid-course, which a request of the new wish
          tells with a chance of {NOTICED:.0%}; what is proven is adopted in the morning, and so is, by the person's words
          alone, the removal of what was adopted for a wish noticed as taken back. A rule takes its requests from .2 to
          .9, the opposite one to .05, both together to .5; {HURTS:.0%} of the rules harm another lesson. Each text of the document
          keeps a luck of its own with each request (sd {LUCK} on the logit)
replace   reflection is right in {RIGHT:.0%} of cases, else it writes a useless rule, and in {RIDER:.0%} one more useless rule; it
          replaces the opposite rule where it stands. The judge is wrong about {WRONG:.0%} of the answers
append    the same, but it writes the new rule beside the old one
nothing   it writes useless rules only
right     lessons whose rule stands in the document in the end and the opposite one doesn't; stale: rules of wishes that were
          taken back; useless: rules that do nothing; each the mean a month with its standard error
proposed  rules, of them useless_proposed; with: months that propose a useless one
calls     of target, judge and optimizer, the mean a month

lessons_right, stale_rules: the worse of replace and append; useless_share: of all the rules that these two proposed.
"""


def main() -> None:
    """Simulate the months, print what they amount to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--months", type=int, default=MONTHS, help="months of each optimizer")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    options = parser.parse_args()
    begun = time.perf_counter()
    found: dict[str, list[Month]] = {}
    with ProcessPoolExecutor(options.processes) as pool:
        for writes in get_args(Writes):
            jobs = [(writes, seed) for seed in range(options.months)]
            found[writes] = list(pool.map(_job, jobs, chunksize=2))
            print("\n".join(_rows(writes, found[writes])), flush=True)
    print(f"\n{time.perf_counter() - begun:.0f} s, {options.months} months each")
    print(DEFINITIONS)
    print(json.dumps(figures(found)))


def _job(job: tuple[Writes, int]) -> Month:
    return month(*job)


def _rows(writes: str, months: Sequence[Month]) -> list[str]:
    rows: list[str] = []
    for name in Month._fields:
        values = [float(getattr(each, name)) for each in months]
        error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
        rows.append(f"{writes:8} {name:18} {fmean(values):8.2f} ± {error:.2f}")
    with_useless = Count(sum(each.useless_proposed > 0 for each in months), len(months))
    return [*rows, f"{writes:8} {'with':18} {with_useless}"]


def figures(found: dict[str, list[Month]]) -> dict[str, float]:
    """Return the figures that are claimed."""
    learning = [found["replace"], found["append"]]
    both = [each for months in learning for each in months]
    values = {
        "lessons_right": min(fmean(each.right for each in months) for months in learning),
        "useless_share": sum(each.useless_proposed for each in both) / max(1, sum(each.proposed for each in both)),
        "stale_rules": max(fmean(each.stale for each in months) for months in learning),
    }
    return {name: round(value, 4) for name, value in values.items()}


if __name__ == "__main__":
    main()
