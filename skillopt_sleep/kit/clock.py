"""What time it is, in UTC."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now."""
    return datetime.now(UTC)
