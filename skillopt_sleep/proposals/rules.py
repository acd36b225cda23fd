"""Split a text into its rules."""

import re

_HEADING = re.compile(r"#{1,6}\s|[-=*_|: ]{3,}$|```|~~~|<!--")
_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+|>\s*")
_WRAPPED_FROM = 60  # characters; a shorter line is not wrapped: its rule ends there
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")


def rules(text: str) -> tuple[str, ...]:
    """Return each rule of the text: a line that isn't a heading, joined with the lines it was wrapped into."""
    result: list[str] = []
    before = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or _HEADING.match(line):
            before = ""
            continue
        point = _POINT.match(line)
        if not point and len(before) >= _WRAPPED_FROM and not before.endswith(_ENDS):
            result[-1] = f"{result[-1]} {line}"
        elif point:
            result.append(line[point.end() :])
        else:
            result.append(line)
        before = line
    return tuple(result)
