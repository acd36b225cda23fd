"""Find this machine's time zone, which may change while the daemon waits."""

import time
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfoNotFoundError

import tzlocal


def local_zone() -> tzinfo:
    """Return the current zone, or the current UTC offset if no valid zone is configured."""
    if hasattr(time, "tzset"):
        time.tzset()
    try:
        return tzlocal.reload_localzone()
    except (ZoneInfoNotFoundError, OSError):
        return datetime.now().astimezone().tzinfo or UTC
