"""Keep track of which night is due, why it hasn't run yet, and how the last one ended."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.daemon.schedule import Served, Slot, corrected, is_due, newest_slot, next_due, slot_of
from skillopt_sleep.records import Record

MOST_TRIES = 5
# Long enough for a server to come back or a quota to refill a little, short enough for five tries in a night.
RETRY = timedelta(hours=1)
_DAY = timedelta(days=1)
_AWAY = "nobody looked at that time: the machine was off or asleep, or the daemon was stopped"


class NightResult(NamedTuple):
    """The end of a night's process: `finished` if no other night is needed for its slot.

    `locked` means that another night was running, `refused` that the settings don't allow a night.
    """

    verdict: str
    because: str
    finished: bool
    locked: bool = False
    refused: bool = False


class Pending(Record, frozen=True, kw_only=True):
    """A night that is due: since when, what it waits for, and how often it was tried."""

    slot: Slot
    since: datetime
    waiting: str = ""
    tries: int = 0
    not_before: datetime | None = None


class EndedNight(Record, frozen=True, kw_only=True):
    """The end of the daemon's last night; `verdict` is "" if it ended without one."""

    day: date
    verdict: str
    because: str


class Missed(Record, frozen=True, kw_only=True):
    """A day whose night did not run, and why."""

    day: date
    because: str


class Backlog(Record, frozen=True, kw_only=True):
    """Everything the daemon remembers between two checks."""

    served: Served = Served()
    pending: Pending | None = None
    last: EndedNight | None = None
    missed: Missed | None = None


def update(
    backlog: Backlog, *, now: datetime, at: time, zone: tzinfo, finished: Callable[[], datetime | None]
) -> Backlog:
    """Return the backlog as of now.

    `finished` returns when the last complete night ended; it is only called if the answer matters.
    """
    newest = newest_slot(now, at, zone)
    served = corrected(backlog.served, newest, now)
    ended = finished() if is_due(served, newest, now=now) else None
    due = is_due(served, newest, now=now, finished=ended)
    pending = backlog.pending
    missed = backlog.missed
    if pending is not None and (not due or pending.slot.day != newest.day):
        if due and pending.waiting:
            missed = Missed(day=pending.slot.day, because=pending.waiting)
        pending = None
    if due and pending is None:
        pending = Pending(slot=newest, since=now)
        before = slot_of(newest.day - _DAY, at, zone)
        waited = backlog.pending is not None and backlog.pending.slot.day == before.day
        if not waited and served.slot and served.slot < before and (ended is None or ended < before.at):
            last = max(served.slot.day, ended.astimezone(zone).date()) if ended else served.slot.day
            nights = (before.day - last).days
            because = f"{_AWAY}; it was the last of {nights} nights that didn't run" if nights > 1 else _AWAY
            missed = Missed(day=before.day, because=because)
    return replace(backlog, served=served, pending=pending, missed=missed)


def upcoming(backlog: Backlog, *, now: datetime, at: time, zone: tzinfo) -> Slot:
    """Return the slot of the next night after the one that is due already, if any."""
    served = backlog.served
    if backlog.pending:
        served = Served(slot=backlog.pending.slot)
    return next_due(served, now, at, zone)


def with_reason(backlog: Backlog, because: str) -> Backlog:
    """Note what the due night waits for; "" if nothing holds it back."""
    if backlog.pending is None or backlog.pending.waiting == because:
        return backlog
    return replace(backlog, pending=replace(backlog.pending, waiting=because))


def without_delay(backlog: Backlog) -> Backlog:
    """Let the due night be tried again right away."""
    if backlog.pending is None:
        return backlog
    return replace(backlog, pending=replace(backlog.pending, not_before=None))


def after_night(
    backlog: Backlog, slot: Slot, result: NightResult, *, now: datetime, cancelled: bool = False
) -> Backlog:
    """Record how a slot's night ended: it is served if it finished or was cancelled, otherwise tried again."""
    if result.locked:
        return with_reason(backlog, result.because)
    tries = 0
    if backlog.pending:
        tries = backlog.pending.tries
    if result.refused:
        pending = Pending(slot=slot, since=now, waiting=result.because, tries=tries, not_before=now + RETRY)
        return replace(backlog, pending=pending)
    last = EndedNight(day=slot.day, verdict=result.verdict, because=result.because)
    if result.finished or cancelled:
        return replace(backlog, served=Served(slot=slot), pending=None, last=last)
    tries += 1
    if tries >= MOST_TRIES:
        missed = Missed(day=slot.day, because=f"{result.because} (tried {tries} times)")
        return replace(backlog, served=Served(slot=slot), pending=None, last=last, missed=missed)
    pending = Pending(slot=slot, since=now, waiting=result.because, tries=tries, not_before=now + RETRY)
    return replace(backlog, pending=pending, last=last)
