"""Print on terminals and into files that can't hold every character: a lookalike is printed, and nothing crashes."""

import codecs
import sys
import unicodedata
from io import TextIOWrapper

HANDLER = "skillopt_sleep.lookalike"
_LOOKALIKES = {
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "…": "...",
    "–": "-",
    "—": "-",
    "−": "-",
    "·": "-",
    "•": "*",
    "✓": "ok",
    "✗": "x",
    "«": '"',
    "»": '"',
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": "'",
    "’": "'",
    "≤": "<=",
    "≥": ">=",
    "×": "x",
    "☾": "*",
    "±": "+-",
}
_LINES = "─━╸╺╌┄│┃║╭╮╰╯┌┐└┘├┤┬┴┼╴╶█▉▊▋▌▍▎▏░▒▓▁▂▃▄▅▆▇"


def never_crash() -> None:
    """Let stdout and stderr print a lookalike for each character that their encoding doesn't have."""
    codecs.register_error(HANDLER, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def printable(char: str) -> bool:
    """Return whether stdout's encoding has this character."""
    try:
        char.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return lookalikes for the characters that can't be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(map(_lookalike, characters)), error.end


def _lookalike(char: str) -> str:
    if char in _LOOKALIKES:
        return _LOOKALIKES[char]
    if char in _LINES:
        return "|" if char in "│┃║" else "-"
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return plain or "?"
