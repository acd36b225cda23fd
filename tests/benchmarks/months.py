"""What months of nights amount to: lessons that are right in the end, rules that are stale or useless, and calls.

`make bench NAME=months`, or with other numbers `make bench NAME=months ARGS="--months 400 --real 10"`.
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean, stdev
from typing import get_args

from tests.benchmarks.gate_figures import Count
from tests.benchmarks.gate_worlds import BATCH
from tests.benchmarks.months_machine import real_month
from tests.benchmarks.months_nights import LOOK_BACK, Month, month
from tests.benchmarks.months_world import (
    CHANGED,
    MATTERS,
    MOST_REQUESTS,
    NIGHTS,
    NOTICED,
    RIDER,
    RIGHT,
    WRONG,
    Writes,
)
from tests.benchmarks.reduced import size

MONTHS = size(40, 1)
REAL_MONTHS = size(4, 0)
PROCESSES = 2
BEFORE = 4_650  # calls of such a month with the worse optimizer, of 60 simulated with the code of 2026-11-22
DEFINITIONS = f"""
month     {NIGHTS} nights on one document with 1 to {MOST_REQUESTS} new requests a day of {MATTERS} lessons, through split(), recall(), steps() and
          step() with what waits, with removals and look-backs every {LOOK_BACK} nights; of {CHANGED} lessons the person changes their
          mind in mid-course, which a request of the new wish tells with a chance of {NOTICED:.0%}; what is proven is adopted in the
          morning, and so is, by the person's words alone, the removal of what was adopted for a wish noticed as taken
          back. A rule takes its requests from .2 to .9, the opposite one to .05, both together to .5
replace   reflection is right in {RIGHT:.0%} of cases, else it writes a useless rule, and in {RIDER:.0%} one more useless rule; it
          replaces the opposite rule where it stands. The judge is wrong about {WRONG:.0%} of the answers
append    the same, but it writes the new rule beside the old one
useless   it writes useless rules only
right     lessons whose rule stands in the document in the end and the opposite one doesn't; stale: rules of wishes that were
          taken back; useless: rules that do nothing; each the mean a month with its standard error
real      months of run_night on a real store with the real judge's prompts, the requests in a tasks file: nobody changes
          their mind there; the optimizer appends
purely    months with at least one adopted change that holds nothing but useless rules
calls     of target, judge ({BATCH} answers each) and optimizer, the mean a month

lessons_right, stale_rules, useless_rules, calls: the worse of replace and append; useless_months: the worst share of months
with a purely useless proposal; calls_x_before: over the {BEFORE:,} that the same months took with the
code of 2026-11-22 (an independent simulation, in harder months, counted 7,200).
"""


def main() -> None:
    """Simulate the months, print what they amount to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--months", type=int, default=MONTHS, help="months of each optimizer")
    parser.add_argument("--real", type=int, default=REAL_MONTHS, help="months through run_night")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    options = parser.parse_args()
    begun = time.perf_counter()
    found: dict[str, list[Month]] = {}
    with ProcessPoolExecutor(options.processes) as pool:
        for writes in get_args(Writes):
            jobs = [(writes, seed) for seed in range(options.months)]
            found[writes] = list(pool.map(_job, jobs, chunksize=2))
            print("\n".join(_rows(writes, found[writes])), flush=True)
        real = list(pool.map(_real_job, range(options.real)))
        print("\n".join(_rows("real", real)), flush=True)
    print(f"\n{time.perf_counter() - begun:.0f} s, {options.months} months each, {options.real} real ones")
    print(DEFINITIONS)
    print(json.dumps(figures(found) | real_figures(real)))


def _job(job: tuple[Writes, int]) -> Month:
    return month(*job)


def _real_job(seed: int) -> Month:
    return real_month("append", seed)


def _rows(writes: str, months: Sequence[Month]) -> list[str]:
    if not months:
        return []

    def mean(name: str) -> str:
        values = [float(getattr(each, name)) for each in months]
        error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
        return f"{fmean(values):8.2f} ± {error:.2f}"

    names = ("right", "unchanged", "changed", "stale", "useless", "proposals", "removals", "calls")
    rows = [f"{writes:8} {name:12} {mean(name)}" for name in names]
    return [*rows, f"{writes:8} {'purely':12} {purely_useless(months)}"]


def purely_useless(months: Sequence[Month]) -> Count:
    """Count the months with a proposal that holds useless rules only."""
    return Count(sum(each.purely_useless > 0 for each in months), len(months))


def figures(found: dict[str, list[Month]]) -> dict[str, float]:
    """Return the figures that are claimed."""
    learning = [found["replace"], found["append"]]
    calls = max(fmean(each.calls for each in months) for months in learning)
    values = {
        "lessons_right": min(fmean(each.right for each in months) for months in learning),
        "stale_rules": max(fmean(each.stale for each in months) for months in learning),
        "useless_rules": max(fmean(each.useless for each in months) for months in learning),
        "useless_months": max(purely_useless(months).rate for months in found.values()),
        "calls": calls,
        "calls_x_before": calls / BEFORE,
    }
    return {name: round(value, 3) for name, value in values.items()}


def real_figures(months: Sequence[Month]) -> dict[str, float]:
    """Return the figures of the months of real nights, if there are any."""
    if not months:
        return {}
    return {
        "real_lessons_right": round(fmean(each.right for each in months), 3),
        "real_useless_rules": round(fmean(each.useless for each in months), 3),
        "real_calls": round(fmean(each.calls for each in months), 1),
    }


if __name__ == "__main__":
    main()
