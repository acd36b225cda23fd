"""Show what happened in a night."""

from pathlib import Path

from skillopt_sleep.records import Record
from skillopt_sleep.reporters.underway import moments
from skillopt_sleep.stores.events import read_events


class Told(Record, frozen=True, kw_only=True):
    """Something that happened in a night, at a local time."""

    at: str
    what: str
    says: str
    tone: str


def told_of(folder: Path) -> tuple[Told, ...]:
    """Return what happened in the night whose folder this is, one thing after the other."""
    told: list[Told] = []
    for moment in moments(read_events(folder)):
        at = f"{moment.at.astimezone():%H:%M:%S}"
        told.append(Told(at=at, what=moment.what, says=moment.says, tone=moment.tone))
    return tuple(told)
