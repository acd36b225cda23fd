"""Attempt items, many at a time and each only once per skill, item and sample; count the cost by stage."""

import dataclasses
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import CallFailed, ConfigError, ItemError
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Completion, Prompt, Record, Rollout, Usage
from skillopt_sleep.trainer.env import Env, Item, Result, blaming, checked_result
from skillopt_sleep.trainer.tasks import as_rollout


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


class Taken(NamedTuple):
    """The tokens and dollars of one model call, None if the model didn't report them."""

    usage: Usage | None
    usd: float | None


class FinishedAttempt(Record, frozen=True, kw_only=True):
    """A finished attempt: a rollout for the stages, the environment's result, and its calls' usage and price."""

    rollout: Rollout
    result: Result
    taken: tuple[tuple[Usage | None, float | None], ...] = ()


class Cost(Record, frozen=True, kw_only=True):
    """The answers that a stage used, also those that another training paid for, at what they cost then.

    `unnamed` calls reported no tokens; `usd` is None if one call's price is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    unnamed: int = 0
    usd: float | None = 0.0


class Counting:
    """A backend that records the cost of its answers and the calls that failed; each answer is told."""

    def __init__(
        self, inner: Backend, *, tell: Callable[[Prompt, Completion], None] = lambda _prompt, _completion: None
    ) -> None:
        self._inner = inner
        self._tell = tell
        self._lock = threading.Lock()
        self.taken: list[tuple[str, Taken]] = []
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
            self.taken.append((prompt.purpose, Taken(completion.usage, completion.usd)))
        self._tell(prompt, completion)
        return completion


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
        return _finished(job, result, [taken for _, taken in counting.taken])

    def lost(self, job: Job, why: str, /) -> FinishedAttempt:
        """Return an attempt without a score, as the processes that made it died."""
        return _finished(job, Result(failure=why), ())


def _finished(job: Job, result: Result, taken: Sequence[Taken]) -> FinishedAttempt:
    if result.failure:
        result = replace(result, failure=redact(result.failure))
    rollout = as_rollout(job.item.id, job.sha, result, sample=job.sample)
    return FinishedAttempt(rollout=rollout, result=result, taken=tuple(taken))


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
        spent: "Spent",
        *,
        tell: Callable[[Sequence[tuple[Job, FinishedAttempt]]], None] = lambda _: None,
    ) -> None:
        self._attempt = attempt
        self._tell = tell
        self._pool = pool
        self._spent = spent
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
                self._spent.add(job.stage, [Taken(*taken) for taken in attempt.taken])
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


class Spent:
    """The cost of each stage: calls, tokens and dollars of the answers it used."""

    def __init__(self) -> None:
        self._taken = defaultdict[str, list[Taken]](list)

    def add(self, stage: str, taken: Iterable[Taken]) -> None:
        """Add calls to a stage."""
        self._taken[stage] += taken

    @property
    def calls(self) -> int:
        """Return how many calls all stages used."""
        return sum(len(taken) for taken in self._taken.values())

    def costs(self) -> dict[str, Cost]:
        """Return the cost by stage, independent of the order in which the calls ended."""
        return {stage: sum_of(map(cost_of, taken)) for stage, taken in sorted(self._taken.items()) if taken}


def cost_of(call: Taken) -> Cost:
    """Return the cost of one call."""
    if call.usage is None:
        return Cost(calls=1, unnamed=1, usd=call.usd)
    usage = call.usage
    return Cost(
        calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        usd=call.usd,
    )


def sum_of(costs: Iterable[Cost]) -> Cost:
    """Return what these cost together; the dollars are None if those of any are."""
    every = list(costs)
    dollars = [cost.usd for cost in every if cost.usd is not None]
    return Cost(
        calls=sum(cost.calls for cost in every),
        input_tokens=sum(cost.input_tokens for cost in every),
        output_tokens=sum(cost.output_tokens for cost in every),
        cached_tokens=sum(cost.cached_tokens for cost in every),
        unnamed=sum(cost.unnamed for cost in every),
        usd=math.fsum(dollars) if len(dollars) == len(every) else None,
    )
