"""Split a text into its rules, and find a rule where it stands."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.records import Document, Edit, EditOp

_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+|>\s*")
_POINTS = re.compile(rf"\s*(?:{_POINT.pattern})*")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]+|[*_]+(?![\w*])")  # at the edge of a word, where it is layout
_FENCE = re.compile(r"`{3,}(?!.*`)|~{3,}")
_STARTS_ITEM = re.compile(r"[\s>]*(?:[-*+]|\d{1,3}[.)])\s")
_NEXT_ITEM = "\n"  # stands before the words of an item
_ITEM = ("- ", "* ", "+ ")


class RuleLines(NamedTuple):
    """The lines in which a rule stands, numbered from 0; `alone` says that they hold nothing else."""

    first: int
    last: int
    alone: bool


def items(content: str) -> tuple[str, ...]:
    """Split a list into its items; anything else stays whole, because its lines may depend on one another."""
    lines = tuple(line for line in content.splitlines() if line.strip())
    if all(line.startswith(_ITEM) for line in lines):
        return lines
    return (content,)


def find_rule(body: str, rule: str) -> str:
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


def units(body: str) -> Iterator[str]:
    """Yield each rule of our part of a file as it is written there: an item or paragraph with all its lines."""
    unit: list[str] = []
    for line in (*body.split("\n"), ""):
        if unit and (not line.strip() or _POINT.match(line.strip())):
            yield "\n".join(unit)
            unit = []
        if line.strip():
            unit.append(line)


def places(rule: str, lines: Sequence[str]) -> Iterator[RuleLines]:
    """Yield where the rule stands in these lines by its words, whatever their bullets, line breaks and escapes.

    Code between fences isn't looked at, unless the rule has some, and no rule goes on in the next item of a list.
    """
    has_code = "```" in rule or "~~~" in rule
    wanted = [word for word, _ in _words(rule.split("\n"), with_code=has_code)]
    wanted = wanted[1:] if wanted[:1] == [_NEXT_ITEM] else wanted
    found = list(_words(lines, with_code=has_code))
    words = [word for word, _ in found]
    if not any(map(str.isalnum, "".join(wanted))):
        return
    end = 0
    for start, word in enumerate(words):
        if start < end or word != wanted[0] or words[start : start + len(wanted)] != wanted:
            continue
        end = start + len(wanted)
        first, last = found[start][1], found[end - 1][1]
        opens = start == 0 or found[start - 1][1] != first
        closes = end == len(found) or found[end][1] != last
        yield RuleLines(first, last, opens and closes)


def repeats(edit: Edit, text: str) -> bool:
    """Return whether all that the edit does is to add rules that stand in this text, on lines of their own."""
    lines = text.split("\n")
    stands = [any(place.alone for place in places(rule, lines)) for rule in items(edit.content)]
    return edit.op in {EditOp.APPEND, EditOp.INSERT_AFTER} and all(stands)


def learned(document: Document, adopted: Sequence[Edit]) -> frozenset[str]:
    """Return the lessons from which the document's adopted rules that still stand, in any layout, were learned."""
    lines = document.text.split("\n")
    lessons: set[str] = set()
    for edit in adopted:
        if any(place.alone for rule in items(edit.content) for place in places(rule, lines)):
            lessons.update(edit.lessons)
    return frozenset(lessons)


def _words(lines: Sequence[str], *, with_code: bool) -> Iterator[tuple[str, int]]:
    """Yield each word with the number of its line, and _NEXT_ITEM before those of an item of a list."""
    fence = ""
    for number, line in enumerate(lines):
        text = _POINTS.sub("", line, count=1)
        mark = _FENCE.match(text)
        if fence:
            closes = mark is not None and mark[0].startswith(fence) and not text[mark.end() :].strip()
            fence = "" if closes else fence
            continue
        if _STARTS_ITEM.match(line):
            yield _NEXT_ITEM, -1
        for word in _EMPHASIS.sub("", text.replace("\\", "")).split():
            yield word, number
        fence = mark[0] if mark and not with_code else ""
