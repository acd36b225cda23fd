"""Months of simulated nights through the night's own `learn`: what a document holds in the end, and what it took."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from bench.gate_nights import GATE
from bench.gate_page import MemoryPage, Rates, proven, remembered
from bench.months_world import (
    MATTERS,
    NIGHTS,
    WISHES,
    MonthJudge,
    MonthWorld,
    Person,
    Wish,
    Writes,
    day,
)
from skillopt_sleep.mining.split import recall, split
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.error_rate import with_nights_rate
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import Document, Edit, EditOp, EditStatus, Past, ProposedEdit, RecallRules, Split, Task
from tests.builders import a_document
from tests.fakes import FakeBackend, FakeMeter, SerialPool
from tests.nights import a_crew, a_plan

EDITS = 3
LOOK_BACK = 7
BUDGET = 300
RULES = {rule for wishes in WISHES for rule in wishes}


class Month(NamedTuple):
    """What one month amounts to: the rules that stand in the end, those that were proposed, and the calls."""

    right: int
    stale: int
    useless: int
    proposed: int
    useless_proposed: int
    removals: int
    calls: int


class _Meter(FakeMeter):
    """Has the calls of a night, less those that were made."""

    def __init__(self, world: MonthWorld) -> None:
        super().__init__()
        self._world = world

    def left(self) -> int:
        return max(0, BUDGET - (self._world.calls - self._world.before))


def month(writes: Writes, seed: int, nights: int = NIGHTS) -> Month:
    """Run the nights; what is proven is live the next morning."""
    draw = random.Random(f"month {writes} {seed}")
    person, world = Person(draw), MonthWorld(draw, writes, EDITS)
    judge = MonthJudge(world)
    crew = a_crew(
        optimizer=FakeBackend(world.answers()),
        executor=world,
        judge=judge,
        meter=_Meter(world),
        pool=SerialPool(),
    )
    removal = replace(GATE, margin=0.1)
    default = a_plan(gate=GATE, removal=removal, edit_budget=EDITS, slow_every=LOOK_BACK)
    document, past = a_document(""), Past()
    known: tuple[Task, ...] = ()
    rates = Rates()
    proposed: list[str] = []
    removals = 0
    for night in range(nights):
        fresh = person.asked(night, document)
        world.know(fresh)
        world.begin_night()
        known, asked = _asked(fresh, known, person, past, night)
        page: Any = MemoryPage(f"night {night}", {document.path: past}, known, started=day(night + 1), rates=rates)
        plan = with_nights_rate(default, page)
        routing = Routing(asked, (document,))
        ended = frozenset(person.ended)
        (outcome,) = learn(routing, crew=crew, plan=plan, page=page, judge=NightJudge(judge), ended=ended)
        change = proven(outcome)
        rates.close(plan, [outcome], at=page.started, adopted=change)
        past = remembered(past, outcome, page.night, adopted=change)
        if change is not None:
            taught = [edit.content for edit in change.edits if edit.op is not EditOp.DELETE]
            proposed += taught
            removals += not taught
            document = replace(document, body=change.body)
        document, past = _without_ended(document, past, person, page.night)
    useless = [rule for rule in proposed if rule not in RULES]
    lines = document.body.splitlines()
    return Month(
        right=sum(_is_right(person.wish(matter, NIGHTS), lines) for matter in range(MATTERS)),
        stale=sum(person.wish(matter, NIGHTS).against in lines for matter in range(MATTERS)),
        useless=sum(line in world.useless for line in lines),
        proposed=len(proposed),
        useless_proposed=len(useless),
        removals=removals,
        calls=world.calls,
    )


def _without_ended(document: Document, past: Past, person: Person, night: str) -> tuple[Document, Past]:
    """Take out what was adopted for a wish that the person took back: the night proposes that by their words alone."""
    lines = document.body.splitlines()
    for edit in past.adopted:
        if edit.op is EditOp.DELETE or person.ended.isdisjoint(edit.lessons):
            continue
        for line in edit.content.splitlines():
            if line in lines:
                lines.remove(line)
                gone = Edit(op=EditOp.DELETE, target=line, lessons=edit.lessons)
                taken = ProposedEdit(edit=gone, status=EditStatus.LIVE, since=night)
                past = replace(past, proposed=(taken, *past.proposed))
    return replace(document, body="\n".join(lines)), past


def _asked(
    fresh: Sequence[Task], known: Sequence[Task], person: Person, past: Past, night: int
) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Return all tasks with tonight's, on their sides, and those that are asked, as a night does it."""
    standing = [task for task in known if task.lesson not in person.ended]
    sides = {task.session: Split(task.split).value for task in known if task.split}
    sided = split([task for task in fresh if task.lesson not in person.ended], known=standing, sides=sides)
    every = {task.id: task for task in (*known, *sided)}
    before = {task.id for task in known}
    tonight = [task for task in sided if task.id not in before]
    standing = [every[task.id] for task in standing]
    named = {name for wait in past.waiting for edit in wait.tested.edits for name in edit.tasks}
    asked = recall(tonight, known=standing, rules=RecallRules(), now=day(night + 1), named=named)
    return tuple(every.values()), tuple(asked)


def _is_right(wish: Wish, lines: Sequence[str]) -> bool:
    return wish.rule in lines and wish.against not in lines
