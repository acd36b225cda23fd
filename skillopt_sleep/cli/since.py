"""Parse the option `--since`: a day, a moment, or a length of time before now."""

from contextlib import suppress
from datetime import UTC, datetime

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import length


def moment(since: str) -> datetime:
    """Return the moment in UTC; ConfigError if the text is neither a time nor a length of time."""
    with suppress(ConfigError):
        return utc_now() - length(since)
    try:
        parsed = datetime.fromisoformat(since)
    except ValueError as error:
        raise ConfigError(
            f"--since {since!r} is not a time", remedy="use a day such as 2026-03-02, or a length such as 30d"
        ) from error
    return parsed.astimezone(UTC)
