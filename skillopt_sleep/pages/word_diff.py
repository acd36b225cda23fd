"""Show what a change does to a file: the changed lines, with their changed words, between the lines around them."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

AROUND = 2  # unchanged lines shown on each side of a change
ALIKE = 0.4  # two lines that are less alike are shown as one that went and one that came
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """A part of a line, and whether it is what changed in it."""

    text: str
    changed: bool = False


class Row(NamedTuple):
    """A line of a file: its number in the new text (of one that goes, in the old), " ", "+" or "-", and its parts."""

    number: int
    sign: str
    pieces: tuple[Piece, ...]


def word_diff(old: str, new: str) -> list[list[Row]]:
    """Return the changed places of a text, each as rows with the unchanged lines around it."""
    before, after = old.splitlines(), new.splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    places: list[list[Row]] = []
    for group in matcher.get_grouped_opcodes(AROUND):
        rows: list[Row] = []
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                rows += _plain(after[new_start:new_end], " ", new_start)
            else:
                rows += _changed(before[old_start:old_end], after[new_start:new_end], old_start, new_start)
        places.append(rows)
    return places


def _plain(lines: Sequence[str], sign: str, start: int) -> Iterator[Row]:
    for offset, line in enumerate(lines):
        yield Row(start + offset + 1, sign, (Piece(line),))


def _changed(old: Sequence[str], new: Sequence[str], old_start: int, new_start: int) -> Iterator[Row]:
    """Yield the lines that go and those that come; lines that were reworded stand below one another."""
    if len(old) != len(new):
        yield from _plain(old, "-", old_start)
        yield from _plain(new, "+", new_start)
        return
    for offset, (before, after) in enumerate(zip(old, new, strict=True)):
        gone, come = _reworded(before, after)
        yield Row(old_start + offset + 1, "-", gone)
        yield Row(new_start + offset + 1, "+", come)


def _reworded(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both lines in pieces, the words that differ marked as changed; each whole if they are hardly alike."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return (Piece(before),), (Piece(after),)
    gone: list[Piece] = []
    come: list[Piece] = []
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        differs = kind != "equal"
        if old_end > old_start:
            gone.append(Piece("".join(old[old_start:old_end]), differs))
        if new_end > new_start:
            come.append(Piece("".join(new[new_start:new_end]), differs))
    return tuple(gone), tuple(come)
