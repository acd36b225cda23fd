"""Text as a task may keep it: nothing that a terminal acts on, that nobody sees, or that marks our own lines."""

import re

from skillopt_sleep.kit.markdown import visible

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor and screen
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|\Z)"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_MARKERS = re.compile(r"<!--\s*/?\s*(?:skillopt-sleep|slow-update)\b.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)


def clean(text: str) -> str:
    """The text without terminal escapes, characters that nobody sees, and markers of ours."""
    seen = _ESCAPES.sub("", text)
    if visible(seen) != seen:
        seen = "".join(char for char in seen if visible(char) == char)
    while (found := _MARKERS.sub("", seen)) != seen:
        seen = found
    return seen
