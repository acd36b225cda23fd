"""Clean text for a task: no terminal escapes, no invisible characters, none of our own markers."""

import re

from skillopt_sleep.kit.markdown import visible

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor and screen
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|\Z)"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_MARKERS = re.compile(r"<!--\s*/?\s*(?:skillopt-sleep|slow-update)\b.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)


def clean(text: str) -> str:
    """Return the text without terminal escapes, invisible characters and our own markers."""
    cleaned = _ESCAPES.sub("", text)
    if visible(cleaned) != cleaned:
        cleaned = "".join(char for char in cleaned if visible(char) == char)
    # Removing a marker may put the parts of another one together.
    while (without := _MARKERS.sub("", cleaned)) != cleaned:
        cleaned = without
    return cleaned
