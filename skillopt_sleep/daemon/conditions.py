"""What a night that is due still waits for: settings that let it run, nobody at work, and mains power."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from skillopt_sleep.settings import Settings
from skillopt_sleep.wiring.models import unconfirmed

# Somebody who works all night shall have a night as well.
LONGEST_WAIT = timedelta(hours=6)


def in_use(folders: Iterable[Path], *, idle: timedelta, now: datetime) -> datetime | None:
    """When a session in these folders was last written to, where that is less than `idle` ago."""
    newest = now.timestamp() - idle.total_seconds()
    found = None
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                at = _written(os.path.join(place, name)) if name.endswith(".jsonl") else 0.0  # noqa: PTH118 - thousands
                # One from ahead comes from a clock that was wrong.
                if newest < at <= now.timestamp():
                    newest = at
                    found = datetime.fromtimestamp(at, UTC)
    return found


def _written(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - thousands
    except OSError:
        return 0.0


def lacking(settings: Settings) -> str:
    """What the settings lack for nights to run by themselves, with the remedy; "" where they lack nothing."""
    if not settings.backend.name:
        return "no backend is named, so no night can run → skillopt-sleep init"
    if names := unconfirmed(settings):
        remedy = f"skillopt-sleep init --yes --backend {settings.backend.name}"
        return f"nothing is sent to what was not confirmed: {', '.join(names)} → {remedy}"
    return ""


def on_battery() -> bool:
    """Whether this machine lives on its battery; False where there is none or nothing is known of it."""
    import psutil

    # Not there on every system; and the library tells of no types.
    sensors: Any = getattr(psutil, "sensors_battery", None)
    try:
        battery = sensors() if sensors else None
    except (OSError, NotImplementedError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False
