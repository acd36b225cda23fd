"""The time in UTC, and how a moment is shown to people."""

from datetime import UTC, datetime, tzinfo


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def shown(moment: datetime, zone: tzinfo | None = None) -> str:
    """Format the moment to the minute, with its weekday, in this time zone or the machine's own."""
    return f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M}"
