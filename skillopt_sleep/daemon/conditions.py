"""Look at what nights depend on: the time zone, usable settings, an idle machine, and mains power."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

import tzlocal

from skillopt_sleep.agents.transcripts.files import find_sessions
from skillopt_sleep.settings import Settings
from skillopt_sleep.wiring.models import destination, unconfirmed

# Sessions that were written to more recently are somebody's at work.
IDLE = timedelta(minutes=10)
# Run anyway after waiting this long for idleness.
LONGEST_WAIT = timedelta(hours=6)


def in_use(folders: Iterable[Path], *, now: datetime) -> bool:
    """Return whether a session in these folders was written to less than `IDLE` ago."""
    since = (now - IDLE).timestamp()
    # A time in the future comes from a clock that was wrong.
    stamps = (stamp for folder in folders for _, stamp in find_sessions(str(folder)))
    return any(since < stamp.mtime_ns / 1e9 <= now.timestamp() for stamp in stamps)


def lacking(settings: Settings) -> str:
    """Return what the settings lack for nights to run by themselves, with the remedy; "" if nothing."""
    if not settings.backend.name:
        return "no backend is named, so no night can run → skillopt-sleep init"
    names = unconfirmed(settings)
    if names:
        remedy = f"skillopt-sleep init --yes --backend {settings.backend.name}"
        return f"not confirmed: {destination(settings, names)}; nothing is sent there until you confirm it → {remedy}"
    return ""


def on_battery() -> bool:
    """Return whether this machine runs on its battery; False if it has none or the state is unknown."""
    import psutil

    # Not available on every system, and untyped.
    sensors: Any = getattr(psutil, "sensors_battery", None)
    if not sensors:
        return False
    try:
        battery = sensors()
    except (OSError, NotImplementedError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False


def local_zone() -> tzinfo:
    """Return this machine's time zone, which may change, or the current UTC offset if no valid zone is configured."""
    time.tzset()
    try:
        return tzlocal.reload_localzone()
    except (ZoneInfoNotFoundError, OSError):
        return datetime.now().astimezone().tzinfo or UTC
