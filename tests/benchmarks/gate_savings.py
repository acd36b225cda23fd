"""Trials of sealed attempts in worlds whose truth is known: what a rule does to grades and to what attempts take."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import (
    CommandRun,
    Decision,
    Document,
    Rollout,
    Score,
    Split,
    Task,
    Trajectory,
    Trial,
    Usage,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.benchmarks.gate_figures import Count
from tests.benchmarks.gate_nights import GATE
from tests.builders import a_document, a_task

BEFORE = a_document("- Old.")
AFTER = a_document("- New.")
TYPICAL = 30_000  # tokens of an attempt
A_TURN = 2_500  # tokens of the first turn; each sends all before it once more
MOST_TOKENS = 500_000_000
Kind = Literal["useless", "uneven", "harmful", "wasteful", "saves"]


class Cell(NamedTuple):
    """Trials of one kind, each over `nights` with `val` unseen tasks, and `fresh` new ones on each later night.

    An attempt does what was asked with the chances `passes`, without and with the rule. Its tokens scatter as the
    exponential of a normal of deviation `sigma`, of which both arms of a pair have the part `seed` in common, and
    tasks of one session and arm the part `luck`; each in `dear` attempts takes ten times as much. Tasks differ from
    one another by a deviation of `tasks`. The rule saves the share `saves` of each task's tokens, or of the largest
    task's `alone`; what it does differs between tasks by a deviation `uneven`. One that `gives_up` takes a tenth where it
    fails. Attempts that take more than `limit` times the usual are stopped, so they aren't scored.
    """

    kind: Kind
    name: str
    val: int
    passes: tuple[float, float] = (1.0, 1.0)
    saves: float = 0.0
    sigma: float = 0.5
    seed: float = 0.25
    luck: float = 0.0
    dear: float = 0.0
    tasks: float = 1.0
    alone: float = 0.0
    uneven: float = 0.0
    sessions: int = 0
    nights: int = 1
    fresh: int = 0
    gives_up: bool = False
    limit: float = math.inf

    @property
    def title(self) -> str:
        """What tells it from the others."""
        return f"savings {self.kind}: {self.name}"


class Ended(NamedTuple):
    """How a trial ended: accepted as better or as a saving, still undecided, the share told, and its attempts."""

    better: bool
    saving: bool
    undecided: bool
    told: float
    calls: int


class World:
    """Makes attempts in a sealed copy that never was: grades, turns and tokens are drawn."""

    def __init__(self, cell: Cell, seed: int) -> None:
        self._cell = cell
        self._draw = random.Random(f"{cell.title} {cell.val} {seed}")
        self._base: dict[str, float] = {}
        self._shift: dict[str, float] = {}
        self._luck: dict[tuple[object, ...], float] = {}
        self._largest = ""

    def know(self, tasks: Sequence[Task]) -> None:
        """Fix how dear each task is, and what the rule does to it."""
        cell, draw = self._cell, self._draw
        for task in tasks:
            if task.id not in self._base:
                self._base[task.id] = draw.gauss(0, cell.tasks)
                self._shift[task.id] = math.log(1 - cell.saves) + draw.gauss(0, cell.uneven)
        self._largest = self._largest or max(self._base, key=lambda task: self._base[task])

    def left(self) -> int:
        """Return that there are calls enough."""
        return 10**9

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Make an attempt for each job."""
        return tuple(self._attempt(task, document, sample) for task, document, sample in jobs)

    def _attempt(self, task: Task, document: Document, sample: int) -> Rollout:
        cell, draw = self._cell, self._draw
        new = document.text != BEFORE.text
        solved = draw.random() < cell.passes[new]
        size = self._size(task, sample % CANDIDATE_SAMPLES, new=new)
        if new and cell.gives_up and not solved:
            size -= math.log(10)
        tokens = max(1, min(MOST_TOKENS, round(TYPICAL * math.exp(size))))
        # Every turn sends what was said before once more, so tokens grow with the square of the turns.
        turns = max(1, round(math.sqrt(2 * tokens / A_TURN)))
        trajectory = Trajectory(
            response=f"Done, {draw.getrandbits(48):x}.",
            commands=(CommandRun(text="make", status=0),),
            turns=turns,
            seal="simulated",
            seconds=turns * draw.uniform(1, 9),
            usage=Usage(input_tokens=tokens),
        )
        score = Score(hard=float(solved), soft=float(solved))
        if tokens > cell.limit * TYPICAL:
            score = None
        return Rollout(task=task.id, document_sha=document.sha, sample=sample, trajectory=trajectory, score=score)

    def _size(self, task: Task, sample: int, *, new: bool) -> float:
        """Return the logarithm of what the attempt takes, as a multiple of the typical one."""
        cell, draw = self._cell, self._draw
        own = math.sqrt(max(0.0, 1 - cell.seed - cell.luck))
        scatter = own * draw.gauss(0, 1)
        scatter += math.sqrt(cell.seed) * self._shared(task.id, sample)
        scatter += math.sqrt(cell.luck) * self._shared(task.session, sample, new)
        size = self._base[task.id] + cell.sigma * scatter
        if draw.random() < cell.dear:
            size += math.log(10)
        if new:
            size += self._shift[task.id]
            if cell.alone and task.id == self._largest:
                size += math.log(1 - cell.alone)
        return size

    def _shared(self, *key: object) -> float:
        if key not in self._luck:
            self._luck[key] = self._draw.gauss(0, 1)
        return self._luck[key]


def trial(cell: Cell, seed: int) -> Ended:
    """Run one trial until it is decided or its nights are over."""
    world = World(cell, seed)
    earlier: Trial | None = None
    calls = 0
    for night in range(cell.nights):
        tasks = _tasks(cell, cell.val + cell.fresh * night)
        world.know(tasks)
        earlier, verdict, _ = run_trial(
            BEFORE, AFTER, tasks, attempts=world, rule=GATE, earlier=earlier, lessons=[("own",)]
        )
        calls = earlier.calls
        if verdict.decision is not Decision.UNDECIDED or night == cell.nights - 1:
            accepted = verdict.decision is Decision.ACCEPT
            told = earlier.effort.saved if accepted and verdict.saving and earlier.effort else math.nan
            return Ended(
                better=accepted and not verdict.saving,
                saving=accepted and verdict.saving,
                undecided=verdict.decision is Decision.UNDECIDED,
                told=told,
                calls=calls,
            )
    raise ValueError("a trial has at least one night")


def _tasks(cell: Cell, count: int) -> list[Task]:
    tasks: list[Task] = []
    for n in range(count):
        session = f"s{n % cell.sessions}" if cell.sessions else f"s{n}"
        tasks.append(a_task(id=f"t{n}", session=session, lesson="own", split=Split.VAL))
    return tasks


def _useless() -> list[Cell]:
    cells: list[Cell] = []
    for val in (2, 4, 7, 14):
        cells.append(Cell("useless", "both always succeed", val))
        cells.append(Cell("useless", "both succeed in half", val, (0.5, 0.5)))
    for val in (4, 7, 14):
        cells += [
            Cell("useless", "tokens scatter by 1.2", val, sigma=1.2, seed=0.0),
            Cell("useless", "one in 20 attempts tenfold", val, sigma=0.8, dear=0.05),
            Cell("useless", "half of the scatter is the seed's", val, seed=0.5),
            Cell("useless", "the largest task alone saves 50 %", val, alone=0.5),
            Cell("useless", "the largest task alone saves 90 %", val, alone=0.9, tasks=2.0),
            Cell("useless", "two nights more, +2 val", val, nights=3, fresh=2),
        ]
    return [
        *cells,
        Cell("useless", "both succeed in .9", 7, (0.9, 0.9)),
        Cell("useless", "2 sessions share their luck", 7, luck=0.5, sessions=2),
        Cell("useless", "5 sessions share their luck", 14, luck=0.5, sessions=5),
        Cell("useless", "the dearest are stopped", 7, sigma=0.8, limit=4.0),
    ]


def _others() -> list[Cell]:
    cells = [
        Cell("uneven", f"each task by chance, {sd:g}", val, uneven=sd) for sd in (0.2, 0.5) for val in (4, 7, 14)
    ]
    for val in (4, 7, 14):
        cells += [
            Cell("harmful", "saves 50 %, 1 -> .85", val, (1.0, 0.85), saves=0.5),
            Cell("harmful", "saves 50 %, .9 -> .6", val, (0.9, 0.6), saves=0.5),
            Cell("harmful", "gives up early, 1 -> .7", val, (1.0, 0.7), gives_up=True),
            Cell("harmful", "saves 50 %, 1 -> .85, two nights more", val, (1.0, 0.85), saves=0.5, nights=3, fresh=2),
            Cell("wasteful", "takes 20 % more", val, saves=-0.2),
            Cell("wasteful", "half as much, but one in 4 is stopped", val, saves=0.5, limit=0.6, tasks=0.1),
        ]
    cells.append(Cell("harmful", "at the margin: saves 50 %, 1 -> .9", 14, (1.0, 0.9), saves=0.5))
    return cells


def _power() -> list[Cell]:
    cells: list[Cell] = []
    for saves in (0.1, 0.2, 0.3, 0.5):
        name = f"{saves:.0%}"
        for val in (4, 7, 14):
            cells.append(Cell("saves", f"{name}, one night", val, saves=saves))
        for val in (2, 4, 7):
            cells.append(Cell("saves", f"{name}, three nights, +2 val", val, saves=saves, nights=3, fresh=2))
        cells.append(
            Cell("saves", f"{name}, both succeed in .95, three nights", 7, (0.95, 0.95), saves, nights=3, fresh=2)
        )
    return cells


CELLS = (*_useless(), *_others(), *_power())


def rows(ends: Mapping[Cell, Sequence[Ended]]) -> list[str]:
    """Return a row for each cell, with the bounds of Wilson's 95 % interval."""
    lines = [
        f"{'trials of sealed attempts':58} {'val':>3} {'as a saving':>22} {'as better':>20} {'calls':>6} {'told':>5}"
    ]
    for cell, ended in ends.items():
        saving = Count(sum(end.saving for end in ended), len(ended))
        better = Count(sum(end.better for end in ended), len(ended))
        told = [end.told for end in ended if end.saving]
        said = f"{sum(told) / len(told):.0%}" if told else "–"
        calls = sum(end.calls for end in ended) / len(ended)
        lines.append(f"{cell.title:58} {cell.val:3} {_shown(saving)} {_shown(better)} {calls:6.0f} {said:>5}")
    return lines


def _shown(count: Count) -> str:
    low, high = count.interval
    return f"{count.hits:5}/{count.of:<5}{low:5.1%} –{high:6.1%}"


def figures(ends: Mapping[Cell, Sequence[Ended]]) -> dict[str, float]:
    """Return the claims: what passes that should not, and how much is found."""
    claimed: dict[str, float] = {}
    for kind in ("useless", "harmful", "wasteful"):
        of_kind = [ended for cell, ended in ends.items() if cell.kind == kind and "margin" not in cell.name]
        if not of_kind:
            continue
        pooled = [end for ended in of_kind for end in ended]
        saving = Count(sum(end.saving for end in pooled), len(pooled))
        claimed[f"savings_{kind}_accepted"] = saving.hits
        claimed[f"savings_{kind}_trials"] = saving.of
        claimed[f"savings_{kind}_upper"] = round(saving.interval[1], 4)
        worst = max(Count(sum(end.saving or end.better for end in ended), len(ended)).rate for ended in of_kind)
        claimed[f"savings_{kind}_worst_either_way"] = round(worst, 4)
    for cell, ended in ends.items():
        if cell.kind == "saves" and cell.name.endswith("one night"):
            share = sum(end.saving for end in ended) / len(ended)
            claimed[f"savings_found_{cell.name.partition('%')[0]}_{cell.val}"] = round(share, 3)
    return claimed
