"""Ask once more what an accepted change was proven on, and what was kept back: neither decides anything.

The trial that chose a change flatters it, a fresh round doesn't. The samples are drawn here only: no trial, no score
of a task and no later night reads them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.kit.betting import gain_interval
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.attempts import in_pairs
from skillopt_sleep.learning.pairs import pair_up
from skillopt_sleep.learning.spare import SpareAttempts
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Document, FreshRound, GateRule, Note, Pair, Rollout, Task, Trial, bets_of
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

FRESH = CANDIDATE_SAMPLES // 2  # the sample of a round that no trial reaches
TEST = FRESH + 1


class Asked(NamedTuple):
    """The pairs of one round in which both attempts were scored, its attempts, and a note if it was cut short."""

    pairs: tuple[Pair, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def round(self) -> FreshRound:
        """The figures of the round."""
        return FreshRound(
            pairs=self.pairs,
            before=mean([pair.before for pair in self.pairs]),
            after=mean([pair.after for pair in self.pairs]),
            n=len(self.pairs),
            interval=gain_interval(bets_of(self.pairs)),
        )


def ask_once(
    document: Document, changed: Document, tasks: Sequence[Task], *, crew: Crew, rule: GateRule, sample: int
) -> Asked:
    """Attempt each task once under both versions; where the budget or the model ends, what was asked counts."""
    if not tasks:
        return Asked()
    # Not checked beforehand whether the budget has room: in a resumed night the round may be paid for already.
    attempts = SpareAttempts(crew)
    jobs: list[Job] = []
    for task in tasks:
        jobs += [(task, document, sample), (task, changed, CANDIDATE_SAMPLES + sample)]
    made = in_pairs(attempts, jobs, label=f"fresh round {document.id}")
    pairs = pair_up(Trial(), tasks, made, rule).pairs
    if attempts.end is None:
        return Asked(pairs, made)
    what = "fresh round" if sample == FRESH else "round on the requests that were kept back"
    summary = f"{document.id}: the {what} has {counted(len(pairs), 'pair')} of {len(tasks)}: {attempts.end.message}"
    return Asked(pairs, made, (Note(stage="afterwards", summary=summary, remedy=attempts.end.remedy),))
