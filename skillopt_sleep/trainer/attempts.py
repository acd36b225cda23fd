"""Attempts at items: each made once for a skill, an item and a sample, side by side, and counted by stage."""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import CallFailed, ItemError
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Completion, Prompt, Record, Rollout, Usage
from skillopt_sleep.trainer.env import Env, Item, Result, blaming, checked_result
from skillopt_sleep.trainer.tasks import as_rollout


class Job(NamedTuple):
    """One attempt to make: everything that a worker needs beside the environment and the target."""

    item: Item
    skill: str
    sha: str
    sample: int
    stage: str


class Taken(NamedTuple):
    """What one call of a model took; what it named neither of is unknown."""

    usage: Usage | None
    usd: float | None


class Attempted(Record, frozen=True, kw_only=True):
    """How it went, for the stages and for the folder, and what its calls took."""

    rollout: Rollout
    result: Result
    taken: tuple[tuple[Usage | None, float | None], ...] = ()


class Cost(Record, frozen=True, kw_only=True):
    """The calls whose answers a stage used, whoever paid for them and when; dollars are None where one is unknown."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    unnamed: int = 0
    usd: float | None = 0.0


class Counting:
    """A backend that remembers what its answers took, and how many of its calls failed."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self.taken: list[tuple[str, Taken]] = []
        self.failed: list[CallFailed] = []

    def complete(self, prompt: Prompt) -> Completion:
        """The inner answer."""
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            with self._lock:
                self.failed.append(error)
            raise
        with self._lock:
            self.taken.append((prompt.purpose, Taken(completion.usage, completion.usd)))
        return completion


class Asking:
    """Asks in the name of one attempt or step: the same words from another one are another question."""

    def __init__(self, inner: Backend, asker: str) -> None:
        self._inner, self._asker = inner, asker

    def complete(self, prompt: Prompt) -> Completion:
        """The inner answer."""
        return self._inner.complete(replace(prompt, asker=self._asker))


@dataclass(frozen=True, slots=True)
class Attempt:
    """Makes one attempt: a call or an item that fails is a failure, and never a score."""

    env: Env
    target: Backend

    def asking(self, target: Backend, /) -> "Attempt":
        """The same attempts by another target, so that they can be made elsewhere."""
        return Attempt(self.env, target)

    def __call__(self, job: Job, /) -> Attempted:
        """The attempt; a NightError ends them all."""
        counting = Counting(Asking(self.target, f"{job.item.id}#{job.sample}"))
        try:
            with blaming(self.env, f"environment {self.env.name}, item {job.item.id!r}"):
                given = self.env.rollout_one(job.item, job.skill, counting, sample=job.sample)
            result = _in_range(checked_result(given, env=self.env, item=job.item))
        except CallFailed as error:
            result = Result(failure=f"{error.kind}: {error.message}")
        except ItemError as error:
            result = Result(failure=error.message)
        result = replace(result, failure=redact(result.failure))
        rollout = as_rollout(job.item.id, job.sha, result, sample=job.sample)
        return Attempted(rollout=rollout, result=result, taken=tuple(taken for _, taken in counting.taken))


def _in_range(result: Result) -> Result:
    """The result; a grade outside of [0, 1] is no grade."""
    for name, grade in (("hard", result.hard), ("soft", result.soft)):
        if not 0 <= grade <= 1:
            raise ItemError(f"the environment graded it {name} {grade}, which isn't between 0 and 1")
    return result


class Attempts:
    """The attempts of a run; those that are asked for again aren't made again, until they are forgotten."""

    def __init__(self, attempt: Callable[[Job], Attempted], pool: Pool, spent: "Spent") -> None:
        self._attempt, self._pool, self._spent = attempt, pool, spent
        self._made: dict[tuple[str, str, int], Attempted] = {}

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Attempted, ...]:
        """One attempt for each job, in their order."""
        new = {_key(job): job for job in jobs if _key(job) not in self._made}
        if new:
            with self._spent.timed(label):
                made = self._pool.map(self._attempt, tuple(new.values()), label=label)
            for (key, job), done in zip(new.items(), made, strict=True):
                self._made[key] = done
                self._spent.add(job.stage, (Taken(*taken) for taken in done.taken))
        return tuple(self._made[_key(job)] for job in jobs)

    def known(self, jobs: Iterable[Job]) -> bool:
        """Whether all of these were made."""
        return all(_key(job) in self._made for job in jobs)

    def forget(self, jobs: Iterable[Job]) -> None:
        """Let go of attempts that won't be asked for again."""
        for job in jobs:
            self._made.pop(_key(job), None)


def _key(job: Job) -> tuple[str, str, int]:
    return job.sha, job.item.id, job.sample


class Spent:
    """What each stage took: calls, tokens and dollars of the answers it used, and seconds after those `before`."""

    def __init__(
        self, clock: Callable[[], float] = perf_counter, *, before: Mapping[str, float] | None = None
    ) -> None:
        self._clock = clock
        self._taken = defaultdict[str, list[Taken]](list)
        self._seconds = defaultdict[str, float](float, before or {})

    def add(self, stage: str, taken: Iterable[Taken]) -> None:
        """Count these calls."""
        self._taken[stage] += taken

    def timed(self, stage: str) -> "Timed":
        """A block whose seconds count towards this stage."""
        return Timed(self._clock, lambda seconds: self._add_seconds(stage, seconds))

    def _add_seconds(self, stage: str, seconds: float) -> None:
        self._seconds[stage] += seconds

    @property
    def seconds(self) -> dict[str, float]:
        """By stage, as the clock told them."""
        return {stage: round(seconds, 6) for stage, seconds in sorted(self._seconds.items())}

    def costs(self) -> dict[str, Cost]:
        """By stage, the same whatever order the calls ended in."""
        return {stage: _cost(taken) for stage, taken in sorted(self._taken.items()) if taken}


class Timed:
    """Measures a block."""

    def __init__(self, clock: Callable[[], float], tell: Callable[[float], None]) -> None:
        self._clock, self._tell = clock, tell
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = self._clock()

    def __exit__(self, *_: object) -> None:
        self._tell(self._clock() - self._began)


def _cost(taken: Sequence[Taken]) -> Cost:
    usages = [one.usage for one in taken if one.usage is not None]
    dollars = [one.usd for one in taken if one.usd is not None]
    return Cost(
        calls=len(taken),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        unnamed=len(taken) - len(usages),
        usd=math.fsum(dollars) if len(dollars) == len(taken) else None,
    )
