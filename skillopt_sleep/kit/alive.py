"""Whether a process that said something of itself is still there."""

from datetime import datetime


def is_alive(pid: int, since: datetime) -> bool:
    """Whether the process of this number that was there then is so still, and not a later one of the same number."""
    import psutil

    try:
        process = psutil.Process(pid)
        # The start of a process is known to a hundredth of a second, and the clock may have been set meanwhile.
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= since.timestamp() + 1
    except (psutil.Error, ValueError):
        return False
