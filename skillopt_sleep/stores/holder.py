"""Whose night it is: the process that took the lock, by what it said of itself and whether it is still there."""

import json
from datetime import datetime
from pathlib import Path

from skillopt_sleep.kit.alive import is_alive


def living_holder(data: Path) -> int | None:
    """The process that said it holds the night's lock, and is verifiably still there; else None."""
    try:
        said = json.loads((data / "night.holder").read_bytes())
        pid, since = int(said["pid"]), datetime.fromisoformat(said["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if is_alive(pid, since) else None
