"""Attempt items, many at a time and each only once per skill, item and sample."""

import dataclasses
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import CallFailed, ConfigError, ItemError
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.prompts.attempts import RESPONSE_CHARS
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Completion, Prompt, Record, Rollout, Score, Trajectory
from skillopt_sleep.trainer.costs import Cost, StageCosts, cost_of
from skillopt_sleep.trainer.env import Env, Item, Result, blaming, checked_result

TURNS_SHOWN = 5  # of the longest


class Job(NamedTuple):
    """One attempt to make: everything that a worker needs besides the environment and the target.

    Equal attempts of another `draw` are attempts of their own.
    """

    item: Item
    skill: str
    sha: str
    sample: int
    stage: str
    draw: str = ""


class FinishedAttempt(Record, frozen=True, kw_only=True):
    """A finished attempt: a rollout for the stages, the environment's result, and what its answers cost."""

    rollout: Rollout
    result: Result
    costs: tuple[Cost, ...] = ()


class Counting:
    """A backend that records what its answers cost and say, and the calls that failed."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._replies: list[tuple[Prompt, str]] = []
        self.answered: list[tuple[str, Cost]] = []
        self.failed: list[CallFailed] = []

    def complete(self, prompt: Prompt) -> Completion:
        """Ask the inner backend, and record the call."""
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            with self._lock:
                self.failed.append(error)
            raise
        with self._lock:
            self.answered.append((prompt.purpose, cost_of(completion)))
            self._replies.append((prompt, completion.text))
        return completion

    def take_replies(self) -> list[tuple[Prompt, str]]:
        """Return the answers since the last time, each with its question."""
        with self._lock:
            replies, self._replies = self._replies, []
        return replies


class Asking:
    """Asks on behalf of one attempt or step, so that another one's equal prompt is a separate question."""

    def __init__(self, inner: Backend, asker: str) -> None:
        self._inner = inner
        self._asker = asker

    def complete(self, prompt: Prompt) -> Completion:
        """Ask the inner backend."""
        return self._inner.complete(replace(prompt, asker=self._asker))


@dataclass(frozen=True, slots=True)
class Attempt:
    """Makes one attempt; a failed call or item becomes a failure, never a score."""

    env: Env
    target: Backend

    def asking(self, target: Backend, /) -> "Attempt":
        """Return the same function with another target, so that it can be sent to a worker."""
        return dataclasses.replace(self, target=target)

    def __call__(self, job: Job, /) -> FinishedAttempt:
        """Attempt the item; a NightError is raised, and ends all attempts."""
        counting = Counting(Asking(self.target, f"{job.item.id}#{job.sample}{job.draw}"))
        try:
            with blaming(self.env, f"environment {self.env.name}, item {job.item.id!r}"):
                answer = self.env.rollout_one(job.item, job.skill, counting, sample=job.sample)
            result = _in_range(checked_result(answer, env=self.env, item=job.item))
        except CallFailed as error:
            result = Result(failure=f"{error.kind}: {error.message}")
        except ItemError as error:
            result = Result(failure=error.message)
        except SystemExit as error:
            if threading.current_thread() is threading.main_thread():
                raise  # it may be a signal's
            raise ConfigError(
                f"environment {self.env.name}, item {job.item.id!r}: it ended the program (sys.exit({error.code!r}))",
                remedy="let it raise ItemError where an item can't be attempted",
            ) from error
        return _finished(job, result, [cost for _, cost in counting.answered])

    def lost(self, job: Job, why: str, /) -> FinishedAttempt:
        """Return an attempt without a score, as the processes that made it died."""
        return _finished(job, Result(failure=why), ())


def _finished(job: Job, result: Result, costs: Sequence[Cost]) -> FinishedAttempt:
    """Return the attempt with its rollout; one with a failure has no score."""
    if result.failure:
        result = replace(result, failure=redact(result.failure))
    rollout = Rollout(
        task=job.item.id,
        document_sha=job.sha,
        sample=job.sample,
        trajectory=Trajectory(response=shown(result), failure=result.failure),
        score=None if result.failure else Score(hard=result.hard, soft=result.soft, why=result.why),
        note=result.failure,
        failed=bool(result.failure),
    )
    return FinishedAttempt(rollout=rollout, result=result, costs=tuple(costs))


def _in_range(result: Result) -> Result:
    """Return the result; raise ItemError if a grade is outside of [0, 1]."""
    for name, grade in (("hard", result.hard), ("soft", result.soft)):
        if not 0 <= grade <= 1:
            raise ItemError(f"the environment graded it {name} {grade}, which isn't between 0 and 1")
    return result


class Attempts:
    """The attempts of a run; repeating one returns the first result, until it is forgotten. New ones are told.

    Once a limit, an outage or a person has ended the run (`is_over`), only attempts that were made are returned.
    """

    def __init__(
        self,
        attempt: Callable[[Job], FinishedAttempt],
        pool: Pool,
        costs: StageCosts,
        *,
        tell: Callable[[Sequence[tuple[Job, FinishedAttempt]]], None] = lambda _: None,
    ) -> None:
        self._attempt = attempt
        self._tell = tell
        self._pool = pool
        self._costs = costs
        self._attempts: dict[tuple[str, str, int], FinishedAttempt] = {}
        self.is_over = False

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[FinishedAttempt, ...]:
        """Return an attempt for each job, in the order of the jobs; of a run that is over those that it has."""
        if self.is_over:
            return tuple(self._attempts[_key(job)] for job in jobs if _key(job) in self._attempts)
        new: dict[tuple[str, str, int], Job] = {}
        for job in jobs:
            if _key(job) not in self._attempts:
                new[_key(job)] = job
        if new:
            attempted = self._pool.map(self._attempt, tuple(new.values()), label=label)
            for (key, job), attempt in zip(new.items(), attempted, strict=True):
                self._attempts[key] = attempt
                self._costs.add(job.stage, attempt.costs)
            self._tell([(job, self._attempts[key]) for key, job in new.items()])
        return tuple(self._attempts[_key(job)] for job in jobs)

    def known(self, jobs: Iterable[Job]) -> bool:
        """Return whether all of these attempts were made already."""
        return all(_key(job) in self._attempts for job in jobs)

    def made(self, items: Iterable[str]) -> tuple[FinishedAttempt, ...]:
        """Return all attempts so far at the items with these ids, under any skill."""
        wanted = frozenset(items)
        return tuple(made for (_, item, _), made in self._attempts.items() if item in wanted)

    def forget(self, jobs: Iterable[Job]) -> None:
        """Free attempts that won't be needed again."""
        for job in jobs:
            self._attempts.pop(_key(job), None)


def _key(job: Job) -> tuple[str, str, int]:
    return job.sha, job.item.id, job.sample


def shown(result: Result, *, most: int = RESPONSE_CHARS) -> str:
    """Return the attempt as shown to the optimizer: its turns, long ones with their middle cut."""
    if not result.turns:
        return result.response
    each = most // TURNS_SHOWN
    turns = "\n\n".join(clipped(turn, each) for turn in result.turns)
    if result.response:
        turns += f"\n\nFinal answer: {clipped(result.response, each)}"
    return clipped(turns, most)


def clipped(text: str, most: int) -> str:
    """Return the text, or its head and tail if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    gap = f"\n… {len(text) - most:,} characters left out …\n"
    half = (most - len(gap)) // 2
    return text[:half] + gap + text[-half:]
