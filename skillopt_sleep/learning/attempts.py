"""Define how the engine gets attempts, from a night's crew or a training's environment, and which samples."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Note, Rollout
from skillopt_sleep.replay.rollout import Job, rollout
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

# More rounds than a trial has in all its nights.
BLOCK = 50
_BLOCKS = CANDIDATE_SAMPLES // 2 // BLOCK  # the round after an acceptance has the samples above


class Making(Protocol):
    """Makes attempts and grades them."""

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        """Return one graded attempt for each job, in their order."""
        ...


class Attempts(Making, Protocol):
    """Makes attempts within a budget."""

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


def in_pairs(attempts: Making, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
    """Make jobs that alternate two versions, and return them in that order; chance says which of a pair goes first.

    Were it always the same one, whatever changes from one attempt to the next would favour a version.
    """
    order: list[int] = []
    for place in range(0, len(jobs), 2):
        pair = [place, place + 1]
        if _goes_second(jobs[place]):
            pair.reverse()
        order += pair
    made = attempts.make([jobs[place] for place in order], label=label)
    return tuple(made[place] for place in order)  # to swap a pair once more puts it back


def _goes_second(job: Job) -> bool:
    """Toss a coin, which falls the same way if a night is resumed."""
    task, _, sample = job
    return hashlib.blake2b(f"{task.id}\0{sample}".encode(), digest_size=1).digest()[0] % 2 == 1


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
