"""The time in UTC, and how a moment is shown to people."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def to_the_minute(moment: datetime) -> str:
    """Format the moment to the minute, with its weekday, in the time zone of whoever reads it."""
    return f"{moment.astimezone():%a %Y-%m-%d %H:%M}"
