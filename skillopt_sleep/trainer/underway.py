"""Tell how far a training is while it runs: its steps, what it has spent, and about how long it still takes."""

from collections.abc import Callable
from datetime import datetime, timedelta

from skillopt_sleep.records import Record, Spend
from skillopt_sleep.trainer.config import LimitsSection

# The first step that paid for calls has the baseline in it, or is what a stop left of one.
_UNLIKE_OTHERS = 1


class Underway(Record, frozen=True, kw_only=True):
    """A running training at one moment: `step` steps of at most `steps` have ended.

    `spend` is that of all its runs. `left` is about how long the other steps take, None while that isn't known.
    """

    folder: str
    started: datetime
    step: int
    steps: int
    spend: Spend
    most_calls: int = 0
    left: timedelta | None = None


class Watch:
    """Follows one run of a training for whoever shows it, in another thread too."""

    def __init__(
        self,
        folder: str,
        *,
        steps: int,
        limits: LimitsSection,
        spent: Callable[[], Spend],
        clock: Callable[[], datetime],
    ) -> None:
        self._folder = folder
        self._steps = steps
        self._limits = limits
        self._spent = spent
        self._clock = clock
        self._started = self._last = clock()
        self._calls = spent().calls
        self._step = 0
        self._took: list[timedelta] = []

    def stepped(self, step: int) -> None:
        """Note that this step has ended; one that was only gone through again tells nothing of the others."""
        now, calls = self._clock(), self._spent().calls
        if calls > self._calls:
            self._took.append(now - self._last)
        self._step, self._last, self._calls = step, now, calls

    def now(self) -> Underway:
        """Return how far the training is."""
        return Underway(
            folder=self._folder,
            started=self._started,
            step=self._step,
            steps=self._steps,
            spend=self._spent(),
            most_calls=self._limits.calls,
            left=self._left(self._clock()),
        )

    def _left(self, now: datetime) -> timedelta | None:
        """Return about how long it still takes: as long a step as those so far, and no longer than its limit."""
        limit = None
        if self._limits.minutes:
            limit = max(self._started + timedelta(minutes=self._limits.minutes) - now, timedelta())
        took = self._took[_UNLIKE_OTHERS:]
        if not took:
            return limit
        each = sum(took, timedelta()) / len(took)
        left = max(each * (self._steps - self._step) - (now - self._last), timedelta())
        return left if limit is None else min(left, limit)
