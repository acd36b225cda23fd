"""Whose night it is: the process that took the lock, by what it said of itself and whether it is still there."""

import json
from datetime import datetime
from pathlib import Path


def living_holder(data: Path) -> int | None:
    """The process that said it holds the night's lock, and is verifiably still there; else None."""
    try:
        said = json.loads((data / "night.holder").read_bytes())
        pid, since = int(said["pid"]), datetime.fromisoformat(said["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if _is_alive(pid, since) else None


def _is_alive(pid: int, since: datetime) -> bool:
    """Whether the process that took the lock then is still there, and not a later one of the same number."""
    import psutil

    try:
        process = psutil.Process(pid)
        # The start of a process is known to a hundredth of a second, and the clock may have been set meanwhile.
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= since.timestamp() + 1
    except (psutil.Error, ValueError):
        return False
