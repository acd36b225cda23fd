"""Find out which process is running the night, from the file it wrote when it took the lock."""

import json
from datetime import datetime
from pathlib import Path

from skillopt_sleep.kit.alive import is_alive


def living_holder(data: Path) -> int | None:
    """Return the id of the process that holds the night's lock, or None unless it verifiably still runs."""
    try:
        holder = json.loads((data / "night.holder").read_bytes())
        pid = int(holder["pid"])
        since = datetime.fromisoformat(holder["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if is_alive(pid, since) else None
