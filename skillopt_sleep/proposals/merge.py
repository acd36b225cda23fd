"""Make a change of our rules in the lines as they stand now, whatever a person wrote between them."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class Merged(NamedTuple):
    """The lines with the change; `overlaps` says that a person changed a line which the change takes away."""

    lines: bytes
    overlaps: bool


def merge(now: bytes, old: str, new: str, *, eol: bytes) -> Merged:
    """Change the lines as they are now by what makes `new` out of `old`, a three-way merge that can't fail.

    Only lines of `old` are taken away: one that a person wrote or changed stays as it is, to the byte. A line of
    `new` that stands there already isn't added again.
    """
    theirs = lines_of(now)
    texts = [line.rstrip(b"\r\n").decode(errors="surrogateescape") for line in theirs]
    before, after = _split(old), _split(new)
    places = _places(before, texts)
    known = set(places.values())
    spare = [text for place, text in enumerate(texts) if place not in known]
    taken: set[int] = set()
    added: dict[int, list[str]] = {}
    overlaps = False
    for kind, start, end, new_start, new_end in _matcher(before, after).get_opcodes():
        if kind == "equal":
            continue
        for line in range(start, end):
            if line in places:
                taken.add(places[line])
            elif before[line].strip():
                overlaps = True
        # Before the next line that is still there.
        later = [line for line in places if line >= start]
        lines = added.setdefault(places[min(later)] if later else len(theirs), [])
        for text in after[new_start:new_end]:
            if text.strip() and text in spare:
                spare.remove(text)
            else:
                lines.append(text)
    return Merged(_joined(theirs, taken, added, eol), overlaps)


def lines_of(data: bytes) -> list[bytes]:
    """Split bytes into lines, each with its line end."""
    return _LINE.findall(data)


def _split(text: str) -> list[str]:
    return text.split("\n") if text else []


def _matcher(one: Sequence[str], other: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, one, other, autojunk=False)


def _places(before: Sequence[str], now: Sequence[str]) -> dict[int, int]:
    """Return where each line of before is now, also of those that were moved."""
    places: dict[int, int] = {}
    for start, where, size in _matcher(before, now).get_matching_blocks():
        places.update({start + offset: where + offset for offset in range(size)})
    known = set(places.values())
    free = [place for place in range(len(now)) if place not in known]
    for line, text in enumerate(before):
        if line in places or not text.strip():
            continue
        moved = next((place for place in free if now[place] == text), None)
        if moved is not None:
            places[line] = moved
            free.remove(moved)
    return places


def _joined(theirs: Sequence[bytes], taken: set[int], added: dict[int, list[str]], eol: bytes) -> bytes:
    result: list[bytes] = []
    for place in range(len(theirs) + 1):
        result += [text.encode(errors="surrogateescape") + eol for text in added.get(place, ())]
        if place < len(theirs) and place not in taken:
            result.append(theirs[place])
    ended = [line if line.endswith((b"\r", b"\n")) else line + eol for line in result[:-1]]
    return b"".join((*ended, *result[-1:]))
