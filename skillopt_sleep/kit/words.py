"""Put counts, times and paths in words."""

from datetime import datetime, timedelta
from pathlib import Path

from skillopt_sleep.kit.clock import to_the_minute
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.records.record import counted

WIDTH = 80  # columns
_UNITS = (
    ("minute", timedelta(minutes=1), timedelta(hours=1)),
    ("hour", timedelta(hours=1), timedelta(days=1)),
    ("day", timedelta(days=1), timedelta(days=21)),
    ("week", timedelta(days=7), timedelta(days=63)),
    ("month", timedelta(days=30), timedelta(days=730)),
    ("year", timedelta(days=365), timedelta.max),
)

_IN_SECONDS = 120  # shorter times are shown in seconds


def ago(when: datetime, now: datetime) -> str:
    """Return how long ago a time was, in words; days are counted by the local calendar."""
    passed = now - when
    for name, length, most in _UNITS:
        if passed < most:
            count = passed // length
            if name == "day":
                count = (now.astimezone().date() - when.astimezone().date()).days
            return f"{counted(count, name)} ago" if count > 0 else "just now"
    raise AssertionError(passed)


def when(moment: datetime, now: datetime) -> str:
    """Return a time in local words, as in "today 15:16", "tomorrow 04:17" or "Mon 2026-03-02 15:16"."""
    local, today = moment.astimezone(), now.astimezone().date()
    names = {-1: "yesterday", 0: "today", 1: "tomorrow"}
    day = names.get((local.date() - today).days)
    if day:
        return f"{day} {local:%H:%M}"
    return to_the_minute(moment)


def span(first: datetime, last: datetime, now: datetime) -> str:
    """Return the days between two times, as in "22 Nov", "4–22 Nov" or "30 Dec 2025 – 2 Jan 2026"."""
    one, other = first.astimezone().date(), last.astimezone().date()
    year = "" if one.year == other.year == now.astimezone().year else " %Y"
    end = f"{other.day} {other:%b{year}}"
    if one == other:
        return end
    if (one.year, one.month) == (other.year, other.month):
        return f"{one.day}–{end}"
    return f"{one.day} {one:%b{year}} – {end}"


def home_path(path: str) -> str:
    """Return a path with `~` for the home folder, its beginning cut off if it is too long for a line."""
    home = str(Path.home())
    if path == home or path.startswith(f"{home}/"):
        path = f"~{path[len(home) :]}"
    spelt = spelled(path)
    if len(spelt) <= WIDTH - 2:
        return spelt
    return f"…{spelt[-(WIDTH - 3) :]}"


def length(passed: timedelta) -> str:
    """Return a length of time in words, as in "90 s", "3 min" or "2 h 5 min"."""
    seconds = max(int(passed.total_seconds()), 0)
    if seconds < _IN_SECONDS:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min"
