"""What months of nights amount to: lessons that are right in the end, rules that are stale or useless, and calls.

`make bench NAME=months`, or with other numbers `make bench NAME=months ARGS="--months 400 --real 10"`.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean, stdev
from typing import Any, NamedTuple, get_args

from msgspec.structs import replace

from skillopt_sleep.mining.recall import recall
from skillopt_sleep.mining.split import split
from skillopt_sleep.night.documents import steps
from skillopt_sleep.night.rate import on_rate
from skillopt_sleep.protocols import Routing
from skillopt_sleep.records import Document, Edit, EditOp, Past, RecallRules, Split, Task
from skillopt_sleep.replay.text import SingleShot
from tests.benchmarks.gate_figures import Count
from tests.benchmarks.gate_nights import GATE
from tests.benchmarks.gate_page import MemoryPage, Rates, proven, remembered
from tests.benchmarks.gate_worlds import BATCH
from tests.benchmarks.months_world import (
    CHANGED,
    MATTERS,
    MOST_REQUESTS,
    NIGHTS,
    NOTICED,
    RIDER,
    RIGHT,
    WISHES,
    WRONG,
    MonthJudge,
    MonthWorld,
    Person,
    Wish,
    Writes,
    day,
)
from tests.builders import a_document
from tests.fakes import FakeBackend, FakeMeter, SerialPool
from tests.nights import a_crew, a_plan

MONTHS = 60
PROCESSES = 2
EDITS = 3
LOOK_BACK = 7
BUDGET = 300
BEFORE = 4_650  # calls of such a month with the worse optimizer, of 60 simulated with the code of 2026-11-22
RULES = {rule for wishes in WISHES for rule in wishes}
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
purely    months with at least one adopted change that holds nothing but useless rules
calls     of target, judge ({BATCH} answers each) and optimizer, the mean a month

lessons_right, stale_rules, useless_rules, calls: the worse of replace and append; useless_months: the worst share of months
with a purely useless proposal; calls_x_before: over the {BEFORE:,} that the same months took with the
code of 2026-11-22 (an independent simulation, in harder months, counted 7,200).
"""


class Month(NamedTuple):
    """What one month amounts to."""

    unchanged: int
    changed: int
    stale: int
    useless: int
    proposals: int
    purely_useless: int
    removals: int
    calls: int

    @property
    def right(self) -> int:
        """The lessons that are right in the end."""
        return self.unchanged + self.changed


def month(writes: Writes, seed: int) -> Month:
    """Run the nights; what is proven is live the next morning."""
    draw = random.Random(f"month {writes} {seed}")
    person, world = Person(draw), MonthWorld(draw, writes, EDITS)
    crew = a_crew(
        optimizer=FakeBackend(world.answers()),
        executor=SingleShot(world),
        judge=MonthJudge(world),
        meter=FakeMeter(left=BUDGET),
        pool=SerialPool(),
    )
    removal = replace(GATE, margin=0.1)
    default = a_plan(gate=GATE, removal=removal, edit_budget=EDITS, min_edit_budget=EDITS, slow_every=LOOK_BACK)
    document, past = a_document(""), Past()
    known: tuple[Task, ...] = ()
    rates = Rates()
    proposals = purely = removals = 0
    for night in range(NIGHTS):
        fresh = person.asked(night, document)
        world.know(fresh)
        world.begin_night()
        tonight, asked = _asked(fresh, known, person, past, night)
        known = (*known, *tonight)
        page: Any = MemoryPage(f"night {night}", {document.path: past}, known, started=day(night + 1), rates=rates)
        plan = on_rate(default, page)
        routing = Routing(asked, (document,))
        (outcome,) = steps(routing, crew=crew, plan=plan, page=page, ended=frozenset(person.ended))
        change = proven(outcome)
        rates.close(plan, [outcome], at=page.started, adopted=change)
        past = remembered(past, outcome, page.night, adopted=change)
        if change is not None:
            removing = all(edit.op is EditOp.DELETE for edit in change.edits)
            removals += removing
            proposals += not removing
            purely += not removing and not any(edit.content in RULES for edit in change.edits)
            document = replace(document, body=change.body)
        document, past = _without_ended(document, past, person)
    return _month(document, world, person, proposals=proposals, purely=purely, removals=removals)


def _without_ended(document: Document, past: Past, person: Person) -> tuple[Document, Past]:
    """Take out what was adopted for a wish that the person took back: the night proposes that by their words alone."""
    lines = document.body.splitlines()
    for edit in past.adopted:
        if edit.op is EditOp.DELETE or person.ended.isdisjoint(edit.lessons):
            continue
        for line in edit.content.splitlines():
            if line in lines:
                lines.remove(line)
                past = replace(
                    past, adopted=(*past.adopted, Edit(op=EditOp.DELETE, target=line, lessons=edit.lessons))
                )
    return replace(document, body="\n".join(lines)), past


def _asked(
    fresh: Sequence[Task], known: Sequence[Task], person: Person, past: Past, night: int
) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Return tonight's tasks on their sides, and all that is asked, as a night does it."""
    standing = [task for task in known if task.lesson not in person.ended]
    sides = {task.session: Split(task.split).value for task in known if task.split}
    tonight = tuple(split([task for task in fresh if task.lesson not in person.ended], known=standing, sides=sides))
    named = {name for wait in past.waiting for edit in wait.tested.edits for name in edit.tasks}
    asked = recall(tonight, known=standing, rules=RecallRules(), now=day(night + 1), named=named)
    return tonight, tuple(asked)


def _month(
    document: Document, world: MonthWorld, person: Person, *, proposals: int, purely: int, removals: int
) -> Month:
    lines = document.body.splitlines()
    right = [matter for matter in range(MATTERS) if _is_right(person.wish(matter, NIGHTS), lines)]
    stale = [matter for matter in range(MATTERS) if person.wish(matter, NIGHTS).against in lines]
    return Month(
        unchanged=sum(matter >= CHANGED for matter in right),
        changed=sum(matter < CHANGED for matter in right),
        stale=len(stale),
        useless=sum(line in world.useless for line in lines),
        proposals=proposals,
        purely_useless=purely,
        removals=removals,
        calls=world.calls,
    )


def _is_right(wish: Wish, lines: Sequence[str]) -> bool:
    return wish.rule in lines and wish.against not in lines


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


if __name__ == "__main__":
    main()
