"""Tell whether a process that left its number somewhere is still running."""

from datetime import datetime


def is_alive(pid: int, since: datetime) -> bool:
    """Tell whether the process that had this number at `since` still runs; one that got it later doesn't count."""
    import psutil

    try:
        process = psutil.Process(pid)
        # The start of a process is known to a hundredth of a second, and the clock may have been set meanwhile.
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= since.timestamp() + 1
    except (psutil.Error, ValueError):
        return False
