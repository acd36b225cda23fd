"""Tell whether a process that left its number somewhere is still running, and not stopped."""

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


def is_stopped(pid: int) -> bool:
    """Tell whether a process is held by a signal, as by Ctrl-Z, until another one lets it go on."""
    import psutil

    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except (psutil.Error, ValueError):
        return False
