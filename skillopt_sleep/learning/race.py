"""Race several candidates on train by successive halving, so that val sees the winner only.

Each rung attempts more of the train tasks under the candidates that are left, and the worse half goes (Jamieson &
Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016).

Length is a cost: every night reads the document, and a rule that does nothing stays for long. Among candidates that
train can't tell apart the shorter wins, whichever has the better mean.
"""

import math
from collections.abc import Callable, Sequence

import msgspec

from skillopt_sleep.kit.stats import mean, noise
from skillopt_sleep.learning.attempts import Attempts
from skillopt_sleep.learning.update import update
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import AppliedEdit, Document, Edit, Note, Rollout, Score, Task
from skillopt_sleep.replay.rollout import Job

Measure = Callable[[Score], float]
Cell = tuple[str, int]  # a task and a sample of it


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a candidate: its edits, the rung it reached, and its mean over the `n` attempts shared there."""

    candidate: int
    edits: tuple[Edit, ...]
    rung: int
    n: int
    mean: float | None


class Race(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate that won with the fates of its edits, the results of all, and what could not be done."""

    candidate: Document
    fates: tuple[AppliedEdit, ...]
    standings: tuple[Standing, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()


class _Entry(msgspec.Struct, frozen=True):
    """A candidate in the race, with the fates of its edits."""

    document: Document
    fates: tuple[AppliedEdit, ...]


def race(
    sets: Sequence[Sequence[Edit]],
    train: Sequence[Task],
    tried: Sequence[Rollout],
    *,
    document: Document,
    attempts: Attempts,
    rules: StepRules,
    measure: Measure,
    refuse: Callable[[Edit], str],
) -> Race:
    """Return the set of edits that does best on the train tasks; tasks with the worst `tried` attempts come first.

    The first set wins without a call if no other set gives a different text, or if the limit leaves fewer than twice
    the calls of the race. Of those within one standard error of the best the shorter text wins, then the better, then
    the first.
    """
    entries = _entries(sets, document, most=rules.max_chars, refuse=refuse)
    first = entries[0]
    if len(entries) == 1:
        return Race(candidate=first.document, fates=first.fates)
    runs = _Runs([entry.document for entry in entries], _order(train, tried, rules, measure), attempts, measure)
    needed = 2 * runs.most_calls
    if attempts.left() < needed:
        summary = f"{document.id}: {len(entries)} candidates weren't compared: that takes {needed} calls"
        note = Note(stage="race", summary=summary, remedy="raise budget.calls")
        return Race(candidate=first.document, fates=first.fates, notes=(note,))
    won = entries[runs.winner(f"race {document.id}")]
    standings: list[Standing] = []
    for place, (rung, n, average) in sorted(runs.standings.items()):
        edits = tuple(fate.edit for fate in entries[place].fates)
        standings.append(Standing(candidate=place, edits=edits, rung=rung, n=n, mean=average))
    return Race(candidate=won.document, fates=won.fates, standings=tuple(standings), rollouts=tuple(runs.rollouts))


def _entries(
    sets: Sequence[Sequence[Edit]], document: Document, *, most: int, refuse: Callable[[Edit], str]
) -> list[_Entry]:
    """Return a candidate for each distinct text; the first set's if none changes the document."""
    distinct: dict[str, _Entry] = {}
    for edits in sets:
        changed, fates = update(document, edits, refuse=refuse, most=most)
        if changed.text != document.text:
            distinct.setdefault(changed.text, _Entry(changed, fates))
    if distinct:
        return list(distinct.values())
    return [_Entry(*update(document, sets[0], refuse=refuse, most=most))]


def _order(
    train: Sequence[Task], tried: Sequence[Rollout], rules: StepRules, measure: Measure
) -> list[tuple[Task, int]]:
    """Return the attempts in order: each task once before any is repeated, those with the worst attempts first."""
    grades: dict[str, list[float]] = {}
    for attempt in tried:
        if attempt.score is not None:
            grades.setdefault(attempt.task, []).append(measure(attempt.score))
    worst_first = sorted(train, key=lambda task: mean(grades.get(task.id, ())) or 0.0)
    order: list[tuple[Task, int]] = []
    for sample in range(rules.samples):
        order += [(task, sample) for task in worst_first]
    return order


class _Runs:
    """The attempts under each candidate."""

    def __init__(
        self,
        candidates: Sequence[Document],
        order: Sequence[tuple[Task, int]],
        attempts: Attempts,
        measure: Measure,
    ) -> None:
        self._candidates = candidates
        self._order = order
        self._attempts = attempts
        self._measure = measure
        self._rungs = max(1, math.ceil(math.log2(len(candidates))))
        self._grades: list[dict[Cell, float]] = [{} for _ in candidates]
        self.standings: dict[int, tuple[int, int, float | None]] = {}
        self.rollouts: list[Rollout] = []

    @property
    def most_calls(self) -> int:
        """The calls of all attempts and their grades."""
        left = len(self._candidates)
        calls = 0
        for _, cells in self._ladder():
            calls += 2 * left * len(cells)
            left = math.ceil(left / 2)
        return calls

    def winner(self, label: str) -> int:
        """Run the rungs, halving at the end of each; return the place of the candidate that is left."""
        left = list(range(len(self._candidates)))
        for rung, cells in self._ladder():
            self._attempt(left, cells, label)
            ranked = self._ranked(left, rung)
            left = ranked[: math.ceil(len(ranked) / 2)]
        return left[0]

    def _ladder(self) -> list[tuple[int, Sequence[tuple[Task, int]]]]:
        """Return each rung with what it adds: the last has attempted everything, the one before it half of that."""
        rungs: list[tuple[int, Sequence[tuple[Task, int]]]] = []
        start = 0
        for rung in range(1, self._rungs + 1):
            end = math.ceil(len(self._order) / 2 ** (self._rungs - rung))
            rungs.append((rung, self._order[start:end]))
            start = end
        return rungs

    def _attempt(self, left: Sequence[int], cells: Sequence[tuple[Task, int]], label: str) -> None:
        places = [*left] * len(cells)
        jobs: list[Job] = []
        for task, sample in cells:
            jobs += [(task, self._candidates[place], sample) for place in left]
        made = self._attempts.make(jobs, label=label)
        self.rollouts += made
        for place, attempt in zip(places, made, strict=True):
            if attempt.score is not None:
                self._grades[place][attempt.task, attempt.sample] = self._measure(attempt.score)

    def _ranked(self, left: Sequence[int], rung: int) -> list[int]:
        """Rank the candidates by the attempts that could be graded under all of them, as good as the best ones first.

        These are ranked by length, the others by their mean.
        """
        cells = set(self._grades[left[0]])
        for place in left:
            cells.intersection_update(self._grades[place])
        shared = sorted(cells)
        means: dict[int, float] = {}
        for place in left:
            average = mean([self._grades[place][cell] for cell in shared])
            means[place] = average or 0.0
            self.standings[place] = (rung, len(shared), average)
        by_mean = sorted(left, key=lambda place: (-means[place], len(self._candidates[place].body), place))
        as_good = [place for place in by_mean if self._is_as_good(place, by_mean[0], shared)]
        as_good.sort(key=lambda place: len(self._candidates[place].body))
        return as_good + [place for place in by_mean if place not in as_good]

    def _is_as_good(self, place: int, best: int, shared: Sequence[Cell]) -> bool:
        """Return whether the best candidate isn't ahead by a standard error of what it gains in each attempt."""
        gains = [self._grades[best][cell] - self._grades[place][cell] for cell in shared]
        ahead = math.fsum(gains)
        return ahead <= 0 or ahead < noise(gains)
