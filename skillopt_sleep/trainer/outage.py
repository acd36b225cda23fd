"""End a training that measures nothing: most attempts can't be scored, or no call of the optimizer is answered.

These failures are asked again when such a run is resumed; all other failures are kept.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from skillopt_sleep.errors import BackendUnavailable
from skillopt_sleep.trainer.attempts import Attempted, Counting
from skillopt_sleep.trainer.run import RunFolder

MANY = 5  # attempts without a score, or failed calls: so many aren't an accident
_REMEDY = "fix that, then resume the run: what was paid for is kept"


def check_scored(made: Sequence[Attempted], folder: RunFolder, *, what: str) -> None:
    """Raise BackendUnavailable if no attempt could be scored, or at least MANY and more than half couldn't."""
    unscored = [attempted.rollout.note for attempted in made if attempted.rollout.score is None]
    most = len(unscored) >= MANY and 2 * len(unscored) > len(made)
    if most or len(unscored) == len(made):
        ((reason, count),) = Counter(unscored).most_common(1)
        _end(f"{len(unscored)} of {len(made)} {what} could not be scored; of {count}: {reason}", folder)


def check_answers(optimizer: Counting, folder: RunFolder, *, least: int) -> None:
    """Raise BackendUnavailable if none of the optimizer's calls gave a usable answer, and `least` failed."""
    if not optimizer.taken and len(optimizer.failed) >= least:
        last = optimizer.failed[-1].message
        _end(
            f"none of the optimizer's {len(optimizer.failed)} questions got a usable answer; the last: {last}", folder
        )


def _end(summary: str, folder: RunFolder) -> NoReturn:
    folder.store.failures.forget()
    raise BackendUnavailable(summary, remedy=_REMEDY)
