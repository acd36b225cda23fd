"""Check what a due night still waits for: usable settings, an idle machine, and mains power."""

import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from skillopt_sleep.settings import Settings
from skillopt_sleep.wiring.models import destination, unconfirmed

# Run anyway after waiting this long for idleness.
LONGEST_WAIT = timedelta(hours=6)


def in_use(folders: Iterable[Path], *, idle: timedelta, now: datetime) -> bool:
    """Return whether a session in these folders was written to less than `idle` ago."""
    since = now.timestamp() - idle.total_seconds()
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                if not name.endswith(".jsonl"):
                    continue
                # A time in the future comes from a clock that was wrong.
                if since < _modified(os.path.join(place, name)) <= now.timestamp():  # noqa: PTH118 - thousands of files
                    return True
    return False


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - thousands of files
    except OSError:
        return 0.0


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
