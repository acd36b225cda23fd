"""Name the pages of files and sessions in addresses."""

from pathlib import Path
from urllib.parse import quote

from skillopt_sleep.deciding.shown import digest_of

_KEY_CHARS = 12


def key_of(path: Path) -> str:
    """Return the name of a file in an address."""
    return digest_of((str(path),))[:_KEY_CHARS]


def file_at(path: Path) -> str:
    """Return the address of a file's page."""
    return f"/documents/{key_of(path)}"


def turn_at(session: str, turn: int) -> str:
    """Return the address of a turn on its session's page."""
    return f"/sessions/one?id={quote(session)}#turn-{turn}"
