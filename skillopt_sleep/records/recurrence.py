"""Recurrence: how often a lesson was corrected before its rule was adopted, and since."""

from datetime import date, datetime

from skillopt_sleep.records.lessons import Evidence
from skillopt_sleep.records.record import Record


class Corrected(Record, frozen=True, kw_only=True):
    """In how many of these sessions a lesson was corrected; it could come up in all of them."""

    times: int = 0
    sessions: int = 0

    @property
    def share(self) -> float:
        """The share of sessions with a correction; 0 without any session."""
        return self.times / self.sessions if self.sessions else 0.0


class Recurrence(Record, frozen=True, kw_only=True):
    """How often a lesson was corrected `before` its rule was adopted and `since`, by sessions that a night has read.

    `change` is the 90 % interval of the change in the share of sessions, None without sessions on both sides.
    `fewer` says that the corrections have become fewer: of twenty rules that change nothing it is claimed of one at
    most, however often one looks. `again` are the person's latest words and deeds since. `weeks` has (corrected,
    could come up) of each week from `first` on. `news` says that this night's sessions changed what is said of it.
    """

    lesson: str
    wording: str
    proposal: str
    adopted: datetime
    before: Corrected = Corrected()
    since: Corrected = Corrected()
    change: tuple[float, float] | None = None
    fewer: bool = False
    again: tuple[Evidence, ...] = ()
    first: date | None = None
    weeks: tuple[tuple[int, int], ...] = ()
    news: bool = False
