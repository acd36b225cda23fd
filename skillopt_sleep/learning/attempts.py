"""Define how the engine gets attempts: from a night's crew, or from a training's environment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Rollout
from skillopt_sleep.replay.rollout import Job, rollout


class Attempts(Protocol):
    """Makes attempts and grades them."""

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one graded attempt for each job, in their order."""
        ...

    def left(self) -> int:
        """Return how many calls may still be made."""
        ...


@dataclass(frozen=True)
class CrewAttempts:
    """Attempts that a night's crew makes and grades."""

    crew: Crew

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one graded attempt for each job, in their order."""
        crew = self.crew
        return rollout(jobs, executor=crew.executor, judge=crew.judge, pool=crew.pool, label=label)

    def left(self) -> int:
        """Return how many calls the night may still make."""
        return self.crew.meter.left()
