"""Decide when a night is due: one slot per local day; the newest slot is due until a night has run for it.

Pure functions of the current time and a time zone. A slot is identified by its local day, so that neither a change of
zone nor the repeated hour in autumn turns one slot into two; and by its moment, so that a clock that was wrong for a
while doesn't cost a later night.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from skillopt_sleep.records import Record

# Two slots of the same local day that are this far apart are two nights: the user flew east over the date line.
ANOTHER_NIGHT = timedelta(hours=18)
# A slot that was served further in the future than this was served while the clock was wrong.
_AHEAD = timedelta(days=1)
_DAY = timedelta(days=1)


class Slot(Record, frozen=True, kw_only=True, order=True):
    """The time at which the night of a local day starts."""

    at: datetime
    day: date


class Served(Record, frozen=True, kw_only=True):
    """The slot of the last night that ran; before the first one, the moment from which nights count."""

    slot: Slot | None = None
    since: Slot | None = None


def slot_of(day: date, at: time, zone: tzinfo) -> Slot:
    """Return the slot of a day: the first moment its clocks show `at` (or would, if they skip that time)."""
    return Slot(at=datetime.combine(day, at, tzinfo=zone).astimezone(UTC), day=day)


def newest_slot(now: datetime, at: time, zone: tzinfo) -> Slot:
    """Return the last slot that isn't in the future."""
    day = now.astimezone(zone).date() + _DAY
    while (slot := slot_of(day, at, zone)).at > now:
        day -= _DAY
    return slot


def next_slot(now: datetime, at: time, zone: tzinfo) -> Slot:
    """Return the first slot that is in the future."""
    day = now.astimezone(zone).date() - _DAY
    while (slot := slot_of(day, at, zone)).at <= now:
        day += _DAY
    return slot


def corrected(served: Served, newest: Slot, now: datetime) -> Served:
    """Correct what was remembered after a first start or a clock set back: no earlier night is due then."""
    if served.slot is not None and served.slot.at <= now + _AHEAD:
        return Served(slot=served.slot)
    if served.since is not None and served.since.at <= now:
        return served
    since = newest
    if served.slot is None:
        # Slots before the first start are never due, whatever `at` is set to later.
        since = Slot(at=now, day=newest.day)
    return Served(slot=served.slot, since=since)


def is_due(served: Served, newest: Slot, *, now: datetime, finished: datetime | None = None) -> bool:
    """Return whether the newest slot is due; `finished` is when the last complete night ended, whoever started it."""
    before = served.since or served.slot
    if before is None:
        return False
    if finished is not None and newest.at <= finished <= now:
        return False
    since = newest.at - before.at
    if since <= timedelta():
        return False
    if served.slot is None:
        return True
    return newest.day > before.day or since >= ANOTHER_NIGHT


def next_due(served: Served, now: datetime, at: time, zone: tzinfo) -> Slot:
    """Return the first future slot that will be due if no other night runs before it."""
    slot = next_slot(now, at, zone)
    while served != Served() and not is_due(served, slot, now=slot.at):
        slot = next_slot(slot.at, at, zone)
    return slot
