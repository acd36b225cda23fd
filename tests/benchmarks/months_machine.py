"""Months of real nights: `run_night` on a real store, and what is proven is adopted in the morning.

The requests lie in a tasks file, whose lessons nothing takes back: here nobody changes their mind.
"""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.records import BY_HAND, NightReport, Proof, Rubric, Standing, Task
from tests.benchmarks.gate_machine import Models
from tests.benchmarks.gate_nights import GATE
from tests.benchmarks.gate_worlds import worth
from tests.benchmarks.months_nights import BUDGET, EDITS, LOOK_BACK, RULES, Month, summed_up
from tests.benchmarks.months_world import NIGHTS, MonthWorld, Person, Writes, day
from tests.builders import a_document
from tests.nights import Machine, Watcher


def real_month(writes: Writes, seed: int, nights: int = NIGHTS) -> Month:
    """Run the nights in a folder of their own."""
    draw = random.Random(f"real month {writes} {seed}")
    person, world = Person(draw, changed=0), MonthWorld(draw, writes, EDITS)
    calls = proposals = purely = removals = 0
    with tempfile.TemporaryDirectory(prefix="bench-months-") as name:
        machine = Machine(Path(name), model=Watcher(Models(world, _grades(world), world.answers())))
        project = machine.project()
        document = a_document("", project=str(project))
        for night in range(nights):
            fresh = [_by_hand(task) for task in person.asked(night, document)]
            world.know(fresh)
            world.begin_night()
            machine.shelf.tasks += fresh
            machine.clock.now = day(night + 1)
            report = machine.night(
                calls=BUDGET,
                reporters=(),
                gate=GATE,
                removal=replace(GATE, margin=0.1),
                edit_budget=EDITS,
                min_edit_budget=EDITS,
                slow_every=LOOK_BACK,
            )
            calls += report.spend.calls
            for proposal in report.proposals:
                if proposal.proof is not Proof.TRIAL:
                    continue
                taught = [edit.content for edit in proposal.edits if edit.content]
                removals += not taught
                proposals += bool(taught)
                purely += bool(taught) and RULES.isdisjoint(taught)
            _adopt(machine, report)
        lines = (project / "CLAUDE.md").read_text(encoding="utf-8").splitlines()
    return summed_up(lines, world, person, calls=calls, proposals=proposals, purely_useless=purely, removals=removals)


def _grades(world: MonthWorld) -> Callable[[str, str], float]:
    return lambda _demand, answer: 1 - worth(answer) if world.misjudged() else worth(answer)


def _by_hand(task: Task) -> Task:
    reference = Rubric(text=f"It is done by {task.lesson}.")
    return replace(task, reference=reference, source=BY_HAND, wording=task.lesson, document="", takes_back="")


def _adopt(machine: Machine, report: NightReport) -> None:
    """Put live what the night proved."""
    store = machine.store()
    try:
        for proposal in report.proposals:
            if proposal.proof is Proof.TRIAL:
                folder = Path(report.folder) / "proposals" / proposal.id
                adopt(folder, journal=Journal(machine.folder / "adoptions"), at=machine.clock())
                store.bank.decide(proposal.id, Standing.LIVE, at=machine.clock())
    finally:
        store.close()
