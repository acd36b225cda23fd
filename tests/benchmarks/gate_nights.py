"""Chains of simulated nights: the night's own steps over documents, with everything around them in memory."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from skillopt_sleep.night.documents import steps
from skillopt_sleep.night.rate import on_rate
from skillopt_sleep.protocols import Plan, Routing
from skillopt_sleep.records import (
    Document,
    Edit,
    EditOp,
    GateRule,
    Past,
    Purpose,
    Split,
    StepOutcome,
    Task,
)
from skillopt_sleep.replay.text import SingleShot
from tests.benchmarks.gate_page import MemoryPage, Rates, proven, remembered
from tests.benchmarks.gate_worlds import Asked, Kind, Rule, Sight, Target, World, WorldJudge
from tests.builders import a_document, a_task
from tests.fakes import NOON, FakeBackend, FakeMeter, SerialPool
from tests.nights import a_crew, a_plan

Result = TypeVar("Result")
TRAIN = 3
GATE = GateRule()
LEARNED_BASE = 0.9
LEARNED = (
    "- Commit messages start with the number of their ticket.",
    "- Dates are written as day, month in words, year.",
    "- New modules get an owner in the table of owners.",
)


class Cell(NamedTuple):
    """Nights of one kind: what is proposed to how many documents, on what tasks, and what world answers.

    Each document has `val` unseen tasks of the edits' lesson, from a session each or from so many `sessions`, and
    `fresh` new ones on each later night; `others` are unseen tasks of tonight's other lessons, each as good as
    `others_base`. `learned` lessons were learned in earlier nights: their rules stand in the document and their tasks
    are known, but nobody asks them tonight. With `again` the rules are proposed on every night, else on the first.
    """

    group: str
    name: str
    val: int
    rules: tuple[Rule, ...]
    base: float = 0.5
    nights: int = 1
    fresh: int = 0
    again: bool = True
    documents: int = 1
    others: int = 0
    others_base: float = 0.5
    learned: int = 0
    sessions: int = 0
    target: Target = Target()
    sight: Sight = Sight()
    weight: float = 1.0  # so many times the nights of an ordinary cell

    @property
    def title(self) -> str:
        """What tells it from the others."""
        return f"{self.group}: {self.name}"


class Ended(NamedTuple):
    """How a chain of nights ended: the rules staged, the documents they are staged for, what it took, what was told.

    `calls` are all attempts at unseen tasks, `trial_calls` those of the trial that decided. `undecided` says that
    something still waits, `early` that a change is proven on one session and lacks another.
    """

    staged: frozenset[str]
    documents: int
    calls: int
    trial_calls: int
    told: float | None
    undecided: bool
    early: bool


def chain(cell: Cell, seed: int, gate: GateRule = GATE) -> Ended:
    """Run the nights of one chain until something is staged or the nights are over."""
    within = 4 * cell.val * cell.documents * gate.rounds
    world = World(f"{cell.title} {cell.val} {seed}", cell.rules, cell.target, jump_within=within)
    documents = [_document(number, cell.learned) for number in range(cell.documents)]
    known = {asked.task.id: asked for n in range(cell.documents) for asked in _known(n, cell.learned)}
    world.know(list(known.values()))
    past = {document.path: _adopted(n, cell.learned) for n, document in enumerate(documents)}
    optimizer = FakeBackend(_replies(cell.rules))
    crew = a_crew(
        optimizer=optimizer,
        executor=SingleShot(world),
        judge=WorldJudge(cell.sight, world.draw),
        meter=FakeMeter(),
        pool=SerialPool(),
    )
    outcomes: list[StepOutcome] = []
    rates = Rates()
    for night in range(cell.nights):
        asked = [each for n in range(cell.documents) for each in _asked(cell, n, night)]
        world.know(asked)
        world.begin_night()
        known |= {each.task.id: each for each in asked}
        page: Any = MemoryPage(
            f"night {night}", past, [each.task for each in known.values()], started=_day(night), rates=rates
        )
        plan = on_rate(a_gate_plan(gate), page)
        routing = Routing(tuple(each.task for each in asked), tuple(documents))
        outcomes = list(steps(routing, crew=crew, plan=plan, page=page))
        rates.close(plan, outcomes, at=page.started, adopted=None)
        if any(proven(outcome) for outcome in outcomes):
            break
        if not cell.again:
            optimizer.answers |= _replies(())
        for outcome in outcomes:
            path = outcome.document.path
            past[path] = remembered(past[path], outcome, page.night)
    return _ended(world, outcomes)


def a_gate_plan(gate: GateRule) -> Plan:
    """A night as it is by default, without look-backs."""
    return a_plan(gate=gate, removal=replace(gate, margin=0.05), min_edit_budget=4)


def told(outcome: StepOutcome) -> float | None:
    """Return the gain that a person reads beside the accepted change: of its fresh round, if there was one."""
    fresh = outcome.fresh
    if fresh.before is not None and fresh.after is not None:
        return fresh.after - fresh.before
    return outcome.trial.gain


def _ended(world: World, outcomes: Sequence[StepOutcome]) -> Ended:
    staged: set[str] = set()
    gains: list[float] = []
    hits = 0
    for outcome in outcomes:
        change = proven(outcome)
        if change is None:
            continue
        hits += 1
        staged.update(world.rules_in(change.body))
        gain = told(outcome)
        if gain is not None:
            gains.append(gain)
    return Ended(
        staged=frozenset(staged),
        documents=hits,
        calls=world.val_calls,
        trial_calls=sum(outcome.trial.calls for outcome in outcomes),
        told=sum(gains) / len(gains) if gains else None,
        undecided=any(outcome.tried.undecided for outcome in outcomes),
        early=any(outcome.verdict.early for outcome in outcomes),
    )


def _replies(rules: Sequence[Rule]) -> dict[Purpose, Any]:
    proposed = {"edits": [{"op": "append", "content": rule.words, "reason": "said"} for rule in rules]}
    return {
        Purpose.REFLECT: proposed,
        Purpose.AGGREGATE: proposed,
        Purpose.SELECT: {"selected_indices": [0, 1, 2, 3]},
        Purpose.BUDGET: {"edits": 4},
    }


def _day(night: int) -> datetime:
    return NOON + timedelta(days=night + 1)


@cache
def _document(number: int, learned: int) -> Document:
    body = "\n".join(("- Old.", *LEARNED[:learned]))
    project = f"/home/ada/shop{number}"
    return a_document(body, id=f"shop{number}:CLAUDE.md", path=f"{project}/CLAUDE.md", project=project)


@cache
def _adopted(number: int, learned: int) -> Past:
    edits = [
        Edit(op=EditOp.APPEND, content=words, tasks=(f"{number}-learned{n}-0",), lessons=(f"{number}-learned{n}",))
        for n, words in enumerate(LEARNED[:learned])
    ]
    return Past(adopted=tuple(edits))


def _task(number: int, name: str, side: Split, *, lesson: str, session: str, night: int) -> Task:
    return a_task(
        id=f"{number}-{name}",
        prompt=f"Please do {name} of project {number} for me.",
        session=f"claude_code:{number}-{session}",
        project=f"/home/ada/shop{number}",
        at=_day(night) - timedelta(hours=12),
        lesson=f"{number}-{lesson}",
        split=side,
        document=f"shop{number}:CLAUDE.md",
    )


@cache
def _known(number: int, learned: int) -> tuple[Asked, ...]:
    """Return the tasks of the learned lessons, of earlier nights."""
    made: list[Asked] = []
    for n in range(learned):
        for turn, side in enumerate((Split.TRAIN, Split.VAL, Split.VAL)):
            name, session = f"learned{n}-{turn}", f"earlier{n}-{turn}"
            task = _task(number, name, side, lesson=f"learned{n}", session=session, night=turn - 9)
            kind: Kind = "learned" if n == 0 else "other"
            made.append(Asked(task, kind, LEARNED_BASE))
    return tuple(made)


@cache
def _asked(cell: Cell, number: int, night: int) -> tuple[Asked, ...]:
    """Return what is asked on this night: what was there before, and what is new."""
    made: list[Asked] = []
    for n in range(TRAIN):
        task = _task(number, f"train{n}", Split.TRAIN, lesson="own", session=f"train{n}", night=0)
        made.append(Asked(task, "own", cell.base))
    for n in range(cell.val + cell.fresh * night):
        session = n % cell.sessions if cell.sessions else n
        born = 0 if n < cell.val else (n - cell.val) // max(1, cell.fresh) + 1
        task = _task(number, f"val{n}", Split.VAL, lesson="own", session=f"val{session}", night=born)
        made.append(Asked(task, "own", cell.base))
    for n in range(cell.others):
        task = _task(number, f"other{n}", Split.VAL, lesson=f"other{n}", session=f"other{n}", night=0)
        made.append(Asked(task, "other", cell.others_base))
    return tuple(made)


def named(names: Collection[str], ends: Sequence[Ended]) -> int:
    """Count the chains that staged one of these rules."""
    return sum(bool(end.staged.intersection(names)) for end in ends)
