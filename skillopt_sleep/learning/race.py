"""Several candidates raced on train by successive halving, so that val sees the winner only.

Each rung attempts more of the train tasks under those that are left, and the worse half goes (Jamieson & Talwalkar,
"Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016).
"""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.update import update
from skillopt_sleep.protocols import Crew, Plan
from skillopt_sleep.records import AppliedEdit, Document, Edit, Note, Rollout, Task
from skillopt_sleep.replay.rollout import rollout

Cell = tuple[str, int]  # a task and a sample of it


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a candidate fared: its edits, the rung it came to, and its mean over `n` attempts that all there had."""

    candidate: int
    edits: tuple[Edit, ...]
    rung: int
    n: int
    mean: float | None


class Race(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate that won with the fates of its edits, how all fared, and what could not be done."""

    candidate: Document
    fates: tuple[AppliedEdit, ...]
    standings: tuple[Standing, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()


def race(
    document: Document,
    sets: Sequence[Sequence[Edit]],
    train: Sequence[Task],
    tried: Sequence[Rollout],
    *,
    crew: Crew,
    plan: Plan,
    refuse: Callable[[Edit], str],
) -> Race:
    """The best of the sets of edits on the train tasks, those first that went worst when they were `tried`.

    The first set wins without a call where no other makes another text, or where the night's limit leaves no room for
    the race and as much again. Of equals the shorter text wins, then the one that comes first.
    """
    distinct: dict[str, tuple[Document, tuple[AppliedEdit, ...]]] = {}
    for edits in sets:
        changed, fates = update(document, edits, refuse=refuse, most=plan.step.max_chars)
        if changed.text != document.text:
            distinct.setdefault(changed.text, (changed, fates))
    entries = list(distinct.values()) or [update(document, sets[0], refuse=refuse, most=plan.step.max_chars)]
    runs = _Runs([changed for changed, _ in entries], _order(train, tried, plan), crew, plan)
    first, fates = entries[0]
    if len(entries) == 1:
        return Race(candidate=first, fates=fates)
    if crew.meter.left() < 2 * runs.most_calls:
        said = f"{document.id}: {len(entries)} candidates weren't raced, for want of {2 * runs.most_calls} calls"
        note = Note(stage="race", summary=said, remedy="raise budget.calls")
        return Race(candidate=first, fates=fates, notes=(note,))
    won = runs.winner(f"race {document.id}")
    standings = tuple(
        Standing(
            candidate=place,
            edits=tuple(fate.edit for fate in entries[place][1]),
            rung=rung,
            n=n,
            mean=average,
        )
        for place, (rung, n, average) in sorted(runs.standings.items())
    )
    return Race(candidate=entries[won][0], fates=entries[won][1], standings=standings, rollouts=tuple(runs.rollouts))


def _order(train: Sequence[Task], tried: Sequence[Rollout], plan: Plan) -> list[tuple[Task, int]]:
    """What to attempt, in this order: each task once before any again."""
    grades: dict[str, list[float]] = {}
    for attempt in tried:
        if attempt.score is not None:
            grades.setdefault(attempt.task, []).append(measure(attempt.score, plan.gate))
    worst_first = sorted(train, key=lambda task: mean(grades.get(task.id, ())) or 0.0)
    return [(task, sample) for sample in range(plan.step.samples) for task in worst_first]


class _Runs:
    """The attempts under each candidate."""

    def __init__(
        self, candidates: Sequence[Document], order: Sequence[tuple[Task, int]], crew: Crew, plan: Plan
    ) -> None:
        self._candidates, self._order, self._crew, self._plan = candidates, order, crew, plan
        self._rungs = max(1, math.ceil(math.log2(len(candidates))))
        self._grades: list[dict[Cell, float]] = [{} for _ in candidates]
        self.standings: dict[int, tuple[int, int, float | None]] = {}
        self.rollouts: list[Rollout] = []

    @property
    def most_calls(self) -> int:
        """Of all attempts and their grades."""
        left, calls = len(self._candidates), 0
        for _, cells in self._ladder():
            calls += 2 * left * len(cells)
            left = math.ceil(left / 2)
        return calls

    def winner(self, label: str) -> int:
        """Run the rungs, halving at the end of each; the place of the candidate that is left."""
        left = list(range(len(self._candidates)))
        for rung, cells in self._ladder():
            self._attempt(left, cells, label)
            ranked = self._ranked(left, rung)
            left = ranked[: math.ceil(len(ranked) / 2)]
        return left[0]

    def _ladder(self) -> list[tuple[int, Sequence[tuple[Task, int]]]]:
        """Each rung with what it adds: the last has attempted everything, the one before it half of that."""
        ends = [math.ceil(len(self._order) / 2 ** (self._rungs - rung)) for rung in range(1, self._rungs + 1)]
        return [
            (rung, self._order[start:end])
            for rung, (start, end) in enumerate(zip([0, *ends], ends, strict=False), start=1)
        ]

    def _attempt(self, left: Sequence[int], cells: Sequence[tuple[Task, int]], label: str) -> None:
        places = [place for _ in cells for place in left]
        jobs = [(task, self._candidates[place], sample) for task, sample in cells for place in left]
        made = rollout(jobs, executor=self._crew.executor, judge=self._crew.judge, pool=self._crew.pool, label=label)
        self.rollouts += made
        for place, attempt in zip(places, made, strict=True):
            if attempt.score is not None:
                self._grades[place][attempt.task, attempt.sample] = measure(attempt.score, self._plan.gate)

    def _ranked(self, left: Sequence[int], rung: int) -> list[int]:
        """The best first, told by the attempts that could be graded under all of them."""
        both = [cell for cell in self._grades[left[0]] if all(cell in self._grades[place] for place in left)]
        means: Mapping[int, float | None] = {
            place: mean([self._grades[place][cell] for cell in both]) for place in left
        }
        self.standings |= {place: (rung, len(both), means[place]) for place in left}
        return sorted(left, key=lambda place: (-(means[place] or 0.0), len(self._candidates[place].body), place))
