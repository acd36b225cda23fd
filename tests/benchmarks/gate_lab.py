"""A lab of simulated nights: real steps, trials and verdicts over tasks whose chances of success are known."""

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.step import step
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import Decision, Document, GateRule, Metric, Purpose, Score, Split, Task, Trajectory
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend, FakeJudge, SerialPool
from tests.nights import RULE, a_crew, a_plan, with_side

DOCUMENT = a_document("- Old.")
TRAIN = 3
SEQUENTIAL = GateRule()
EDITS = {Purpose.REFLECT: {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}}

# The chance of a success in the n-th rollout of an arm, under the old and under the new version.
Chances = Callable[[int], tuple[float, float]]


class Cell(NamedTuple):
    """Nights of one kind: each draws `tasks` val tasks from the world, and may go on for `nights`."""

    name: str
    tasks: int
    world: Callable[[random.Random], Chances]
    nights: int = 1
    soft: bool = False
    lost: float = 0.0
    train: float = 0.0  # the chance that the edit mends a train task; without it every one of them fails
    own: int = 99  # so many of the val tasks are of the edit's lesson, the others are bystanders


class Ended(NamedTuple):
    """What became of the candidate: its verdict, the val rollouts of both arms, raw and shrunk gain, is it early."""

    decision: Decision
    calls: int
    raw: float
    shrunk: float
    early: bool


class World:
    """Attempts that succeed by chance, and a judge who sees whether they did."""

    text_only = True

    def __init__(self, cell: Cell, seed: int) -> None:
        self._draw = random.Random(f"{cell.name} {cell.tasks} {cell.nights} {seed}")
        self._cell = cell
        self._answers = 0
        self._tasks = {
            task.id: cell.world(self._draw) for task in tasks(cell.tasks, cell.own) if task.split is Split.VAL
        }

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        new = RULE in document.body
        chance = self._tasks[task.id](sample % CANDIDATE_SAMPLES)[new] if task.id in self._tasks else 0.0
        if self._cell.soft:
            # A grade between 0 and 1 whose mean is the chance.
            return self._answer(self._draw.betavariate(2 * chance + 0.01, 2 * (1 - chance) + 0.01))
        return self._answer(float(self._draw.random() < chance))

    def _answer(self, grade: float) -> Trajectory:
        """An answer in words that no other attempt has."""
        self._answers += 1
        return Trajectory(response=f"{grade} in answer {self._answers}")

    def grade(self, task: Task, trajectory: Trajectory) -> Score | ItemError:
        if task.split is Split.VAL and self._draw.random() < self._cell.lost:
            return ItemError("can't tell")
        grade = float(trajectory.response.split()[0])
        return Score(hard=float(grade >= 1), soft=grade)


@cache
def tasks(val: int, own: int) -> tuple[Task, ...]:
    """Train tasks of one lesson, and so many val tasks of a session each, the first of them of this lesson."""
    sides = [(Split.TRAIN, n) for n in range(TRAIN)] + [(Split.VAL, n) for n in range(val)]
    made: list[Task] = []
    for side, n in sides:
        lesson = "own"
        if side is Split.VAL and n >= own:
            lesson = f"other{n}"
        task = a_task(id=f"{side}{n}", session=f"{side}{n}")
        made.append(with_side(task, split=side, lesson=lesson))
    return tuple(made)


def night(cell: Cell, seed: int, rule: GateRule = SEQUENTIAL) -> Ended:
    """A candidate's whole life: the step of the night it is born in, and the trial of later ones."""
    rule = replace(rule, metric=Metric.SOFT if cell.soft else Metric.HARD)
    world = World(cell, seed)
    crew = a_crew(optimizer=FakeBackend(EDITS), executor=world, judge=FakeJudge(world.grade), pool=SerialPool())
    born = step(
        DOCUMENT, tasks(cell.tasks, cell.own), crew=crew, plan=a_plan(gate=rule), log=lambda stage, rows: None
    )
    trial, verdict = born.trial, born.verdict
    assert born.candidate is not None
    val = [task for task in tasks(cell.tasks, cell.own) if task.split is Split.VAL]
    for _ in range(1, cell.nights):
        if verdict.decision is not Decision.UNDECIDED:
            break
        trial, verdict, _ = run_trial(
            DOCUMENT, born.candidate, val, attempts=CrewAttempts(crew), rule=rule, earlier=trial
        )
    raw = (trial.after or 0.0) - (trial.before or 0.0)
    return Ended(verdict.decision, trial.calls, raw, trial.gain or 0.0, verdict.early)


# worlds -------------------------------------------------------------------------------------------------


def steady(before: float, after: float) -> Callable[[random.Random], Chances]:
    """Every task as good as the others, at all times."""
    return lambda draw: lambda sample: (before, after)


def mixed(base: float, effect: float) -> Callable[[random.Random], Chances]:
    """Every other task gains, the others lose as much, by the toss of a coin for each."""

    def world(draw: random.Random) -> Chances:
        after = base + draw.choice((effect, -effect))
        return lambda sample: (base, after)

    return world


def uneven(draw: random.Random) -> Chances:
    """No effect on tasks of every difficulty."""
    base = draw.random()
    return lambda sample: (base, base)


def drifting(draw: random.Random) -> Chances:
    """No effect on tasks that become easier, or harder, from round to round."""
    start, end = draw.choice(((0.1, 0.9), (0.9, 0.1)))

    def chances(sample: int) -> tuple[float, float]:
        now = start + (end - start) * min(1.0, sample / 4)
        return now, now

    return chances


# bounds -------------------------------------------------------------------------------------------------


def upper(hits: int, of: int, level: float = 0.95) -> float:
    """The largest chance that isn't refuted by so few hits: the exact one-sided binomial bound."""
    return _bound(lambda p: _at_most(hits, of, p) > 1 - level)


def lower(hits: int, of: int, level: float = 0.95) -> float:
    """The smallest chance that isn't refuted by so many hits."""
    return 1 - upper(of - hits, of, level)


def _bound(holds: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


def _at_most(hits: int, of: int, p: float) -> float:
    if hits >= of:
        return 1.0
    logs = (math.log(p), math.log1p(-p)) if 0 < p < 1 else (0.0, 0.0)
    terms = (
        math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * logs[0] + (of - k) * logs[1]
        for k in range(hits + 1)
    )
    return math.fsum(math.exp(term) for term in terms)


def accepted(ends: Sequence[Ended]) -> int:
    """On how many of these nights the candidate was accepted."""
    return sum(end.decision is Decision.ACCEPT for end in ends)
