"""Split a text into its rules, and find a rule where it stands."""

import re

_HEADING = re.compile(r"#{1,6}\s|[-=*_|: ]{3,}$|```|~~~|<!--")
_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+|>\s*")
_WRAPPED_FROM = 60  # characters; a shorter line is not wrapped: its rule ends there
_ITEM = ("- ", "* ", "+ ")
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


def items(content: str) -> tuple[str, ...]:
    """Split a list into its items; anything else stays whole, because its lines may depend on one another."""
    lines = tuple(line for line in content.splitlines() if line.strip())
    if all(line.startswith(_ITEM) for line in lines):
        return lines
    return (content,)


def standing(body: str, rule: str) -> str:
    """Return the text whose first occurrence is the rule on lines of its own; "" if there is no such text."""
    padded = f"\n{body}\n"
    start = padded.find(f"\n{rule}\n")
    if start == -1:
        return ""
    without = (padded[:start] + padded[start + len(rule) + 1 :])[1:-1]
    for text in (f"\n{rule}", f"{rule}\n", rule):
        if body.replace(text, "", 1) == without:
            return text
    return ""
