"""The rules that a text consists of, one each."""

import re

_HEADING = re.compile(r"#{1,6}\s|[-=*_|: ]{3,}$|```|~~~|<!--")
_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+|>\s*")
_WRAPPED_FROM = 60  # characters; a shorter line ends because its rule does
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")


def rules(text: str) -> tuple[str, ...]:
    """Each line that isn't a heading, with the lines that a longer one was wrapped into."""
    found: list[str] = []
    before = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or _HEADING.match(line):
            before = ""
            continue
        point = _POINT.match(line)
        if not point and len(before) >= _WRAPPED_FROM and not before.endswith(_ENDS):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line[point.end() :] if point else line)
        before = line
    return tuple(found)
