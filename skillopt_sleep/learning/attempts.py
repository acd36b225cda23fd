"""Define how the engine gets attempts, from a night's crew or a training's environment, and which samples."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Protocol, TypeVar

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ItemError, NightInterrupted
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.work import Executor, Judge, Pool
from skillopt_sleep.records import Document, Note, Rollout, Score, Task, Trajectory
from skillopt_sleep.replay.rollout import Job, rollout
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES

Item = TypeVar("Item")
Result = TypeVar("Result")

End = BudgetExhausted | BackendUnavailable | NightInterrupted

# More rounds than a trial has in all its nights.
BLOCK = 50
_BLOCKS = CANDIDATE_SAMPLES // 2 // BLOCK  # the round after an acceptance has the samples above


class Making(Protocol):
    """Makes attempts and grades them."""

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one graded attempt for each job, in their order."""
        ...


@dataclass(frozen=True)
class CrewAttempts:
    """Attempts that a night's crew makes and grades."""

    crew: Crew

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one graded attempt for each job, in their order."""
        crew = self.crew
        return rollout(jobs, executor=crew.executor, judge=crew.judge, pool=crew.pool, label=label)


def in_pairs(attempts: Making, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
    """Make jobs that alternate two versions, and return them in that order; chance says which of a pair goes first.

    Were it always the same one, whatever changes from one attempt to the next would favour a version.
    """
    order: list[int] = []
    for place in range(0, len(jobs), 2):
        task, _, sample = jobs[place]
        pair = [place, place + 1]
        # The coin falls the same way if a night is resumed.
        if hashlib.blake2b(f"{task.id}\0{sample}".encode(), digest_size=1).digest()[0] % 2:
            pair.reverse()
        order += pair
    made = attempts.make([jobs[place] for place in order], label=label)
    return tuple(made[place] for place in order)  # to swap a pair once more puts it back


def not_scored(rollouts: Sequence[Rollout]) -> tuple[Note, ...]:
    """Return a note for each reason why attempts were not scored, with its count."""
    reasons = Counter(attempt.note for attempt in rollouts if attempt.note)
    notes: list[Note] = []
    for reason, count in reasons.items():
        summary = f"{count} of {len(rollouts)} attempts not scored: {reason}"
        notes.append(Note(stage="rollout", summary=summary))
    return tuple(notes)


def block(kind: str, before: str, after: str) -> int:
    """Return the first sample of the trial that compares these two texts.

    It depends on nothing but the trial itself: a night that is resumed draws the same samples.
    """
    digest = hashlib.blake2b(f"{kind}\0{before}\0{after}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % _BLOCKS * BLOCK


class OptionalAttempts:
    """Attempts that a night can do without: when the budget or the model runs out, the rest has no score.

    The pool isn't told, or every other document of the night would end as well.
    """

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._first = _First()

    @property
    def end(self) -> End | None:
        """Return the error after which nothing more was asked, or None."""
        return self._first.end

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one attempt for each job, in their order; those after the end have no score."""
        crew, first = self._crew, self._first
        executor, judge = _OptionalExecutor(crew.executor, first), _OptionalJudge(crew.judge, first)
        try:
            return rollout(jobs, executor=executor, judge=judge, pool=crew.pool, label=label)
        except CancelledError:
            # The pool ends the calls of every document if one of them ends the night.
            end = first.note(NightInterrupted("the night ended on another document"))
            return tuple(_unscored(job, end) for job in jobs)


def _unscored(job: Job, end: End) -> Rollout:
    task, document, sample = job
    made = Trajectory(failure=end.message)
    return Rollout(
        task=task.id, document_sha=document.sha, sample=sample, trajectory=made, note=end.message, failed=True
    )


class _First:
    """The first end that was seen; safe for threads."""

    def __init__(self) -> None:
        self.end: End | None = None
        self._lock = threading.Lock()

    def note(self, end: End) -> End:
        """Return the first end."""
        with self._lock:
            self.end = self.end or end
            return self.end


class _OptionalExecutor:
    """Makes attempts until the first end; those after it fail without a call."""

    def __init__(self, executor: Executor, first: _First) -> None:
        self._executor = executor
        self._first = first

    def reaches(self, task: Task) -> bool:
        """Return what the inner executor says."""
        return self._executor.reaches(task)

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt, or return why there is none."""
        if self._first.end is not None:
            return Trajectory(failure=self._first.end.message)
        try:
            return self._executor.run(task, document, sample=sample)
        except (BudgetExhausted, BackendUnavailable) as error:
            return Trajectory(failure=self._first.note(error).message)


class _OptionalJudge:
    """Grades attempts; if the night ends in it, none of them has a grade."""

    def __init__(self, judge: Judge, first: _First) -> None:
        self._judge = judge
        self._first = first

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Return the grade; raise ItemError if the attempt can't be graded."""
        try:
            return self._judge.score(task, trajectory)
        except (BudgetExhausted, BackendUnavailable) as error:
            raise ItemError(self._first.note(error).message) from error

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Return the grade of each, or the error that says why it has none."""
        try:
            return self._judge.scores(answers, pool=OptionalPool(pool), label=label)
        except (BudgetExhausted, BackendUnavailable) as error:
            return [ItemError(self._first.note(error).message)] * len(answers)


class OptionalPool:
    """Raises an end to its caller only: the pool below never sees it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @property
    def width(self) -> int:
        """Return what the pool below says."""
        return self._pool.width

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; ask nothing more after the first end, and raise it."""
        first = _First()

        def run(item: Item) -> list[Result]:
            if first.end is not None:
                return []
            try:
                return [function(item)]
            except (BudgetExhausted, BackendUnavailable) as error:
                first.note(error)
                return []

        made = self._pool.map(run, items, label=label)
        if first.end is not None:
            raise first.end
        return tuple(result for one in made for result in one)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run a chain for each item, as the pool below does."""
        return self._pool.together(chain, items)
