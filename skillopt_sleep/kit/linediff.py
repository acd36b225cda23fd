"""Express the step from old lines to new ones as changes of text that each stand alone.

Lines are matched by difflib. What differs is cut into pieces a person would judge by themselves (a point of a list, a
paragraph, a heading with what follows it), and each target is made unique by unchanged lines beside it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_LIST_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_UNLIMITED = 1_000_000


class Change(NamedTuple):
    """Put `content` in place of the first `target`, or behind its line if `behind`.

    Without content the target is deleted; without a target the content goes to the end.
    """

    target: str
    content: str
    behind: bool = False


class Grain(NamedTuple):
    """The size of changes: those up to `gap` lines apart are one, and parts up to `size` characters go together.

    `behind`: new text is put behind a line; otherwise the line is replaced by itself and the text.
    """

    gap: int
    size: int
    behind: bool = True

    @property
    def without_behind(self) -> "Grain":
        """Return a grain as fine as this that only replaces."""
        return self._replace(behind=False)


FINEST = Grain(gap=0, size=0)
COARSER = (
    Grain(0, 600),
    Grain(1, 1_200),
    Grain(4, 1_800),
    Grain(_UNLIMITED, 1_800),
    Grain(_UNLIMITED, _UNLIMITED),
)


class _Hunk(NamedTuple):
    """Lines that differ, with the unchanged ones on both sides up to the next hunk; the old ones begin at `at`."""

    at: int
    left: Sequence[str]
    old: Sequence[str]
    new: Sequence[str]
    right: Sequence[str]


def changes(
    old: Sequence[str], new: Sequence[str], *, within: str, at: int, grain: Grain
) -> tuple[Change, ...] | None:
    """Return the changes that turn the old lines into the new ones, in the order to apply them.

    The old lines stand at `at` in the text `within`, and no target also stands further up in it. Any of the changes
    may be left out. Returns None if changes of this grain can't be told apart.
    """
    result: list[Change] = []
    for hunk in _hunks(old, new, at, grain):
        changed = _change_of(hunk, within, grain) if hunk.new else _deletion_of(hunk, within)
        if changed is None:
            return None
        result += changed
    return tuple(result)


def _hunks(old: Sequence[str], new: Sequence[str], at: int, grain: Grain) -> Iterator[_Hunk]:
    spans = _differing_spans(old, new, grain.gap)
    left_start = 0
    for place, (old_start, old_end, new_start, new_end) in enumerate(spans):
        right_end = spans[place + 1][0] if place + 1 < len(spans) else len(old)
        hunk = _Hunk(
            at=at + _length(old[:old_start]),
            left=old[left_start:old_start],
            old=old[old_start:old_end],
            new=new[new_start:new_end],
            right=old[old_end:right_end],
        )
        left_start = old_end
        if grain == FINEST:
            yield from _part_by_part(hunk)
        else:
            yield hunk


def _differing_spans(old: Sequence[str], new: Sequence[str], gap: int) -> list[tuple[int, int, int, int]]:
    """Return the lines that differ as (old start, old end, new start, new end); spans that are near become one."""
    spans: list[tuple[int, int, int, int]] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if spans and old_start - spans[-1][1] <= gap:
            first_old, _, first_new, _ = spans[-1]
            spans[-1] = (first_old, old_end, first_new, new_end)
        else:
            spans.append((old_start, old_end, new_start, new_end))
    return spans


def _part_by_part(hunk: _Hunk) -> Iterator[_Hunk]:
    """Split the hunk into its parts if as many came as went: most likely each was reworded."""
    old_parts, new_parts = _parts(hunk.old), _parts(hunk.new)
    if len(old_parts) != len(new_parts) or len(old_parts) < 2:  # noqa: PLR2004 - one part needs no splitting
        yield hunk
        return
    at = hunk.at
    last = len(old_parts) - 1
    for place, (before, after) in enumerate(zip(old_parts, new_parts, strict=True)):
        if before != after:
            left = hunk.left if place == 0 else ()
            right = hunk.right if place == last else ()
            yield _Hunk(at, left, before, after, right)
        at += _length(before)


def _deletion_of(hunk: _Hunk, within: str) -> list[Change] | None:
    """Return the change that deletes the old lines, with a line end or with unchanged lines beside them."""
    text = "\n".join(hunk.old)
    for target, at in ((f"{text}\n", hunk.at), (f"\n{text}", hunk.at - 1), (text, 0)):
        if at == within.find(target) >= 0 and (target != text or text == within):
            return [Change(target, "")]
    for left, right in _unchanged_beside(hunk):
        target = "\n".join([*left, *hunk.old, *right])
        content = "\n".join([*left, *right])
        if within.find(target) == hunk.at - _length(left) and content.strip():
            return [Change(target, content)]
    return None


def _change_of(hunk: _Hunk, within: str, grain: Grain) -> list[Change] | None:
    """Return the changes that replace the old lines by the new ones, or insert these if there are no old ones."""
    pieces = _packed(_parts(hunk.new), grain.size)
    if not any(map(str.strip, (*hunk.left, *hunk.old, *hunk.right))):
        return [Change("", piece) for piece in pieces]
    for left, right in _unchanged_beside(hunk):
        target = "\n".join([*left, *hunk.old, *right])
        if not target.strip() or within.find(target) != hunk.at - _length(left):
            continue
        if not hunk.old and not left:
            # Each goes in front of the same line, so the first one first.
            return [Change(target, f"{piece}\n{target}") for piece in pieces]
        if right:
            pieces = ["\n".join(hunk.new)]
        elif not hunk.old:
            return [_put_behind(target, piece, grain) for piece in reversed(pieces)]
        replaced = _replacement(target, pieces, left, right, grain)
        if replaced:
            return replaced
    return None


def _replacement(
    target: str, pieces: Sequence[str], left: Sequence[str], right: Sequence[str], grain: Grain
) -> list[Change]:
    """Return the changes that turn the target into one of the pieces and put the others around it.

    Returns none if that piece would leave only blank lines in the target's place.
    """
    # With nothing to its left, new pieces may go before the target too.
    successor = 0 if left else _most_alike(pieces, target)
    content = "\n".join([*left, pieces[successor], *right])
    if not content.strip():
        return []
    before = [Change(target, f"{piece}\n{target}") for piece in pieces[:successor]]
    behind = [_put_behind(target, piece, grain) for piece in reversed(pieces[successor + 1 :])]
    return [*before, *behind, Change(target, content)]


def _most_alike(pieces: Sequence[str], text: str) -> int:
    """Return which of the pieces the text most likely became."""
    return max(range(len(pieces)), key=lambda i: SequenceMatcher(None, pieces[i], text, autojunk=False).ratio())


def _put_behind(target: str, piece: str, grain: Grain) -> Change:
    if grain.behind and piece.strip():
        return Change(target, piece, behind=True)
    return Change(target, f"{target}\n{piece}")


def _unchanged_beside(hunk: _Hunk) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield how many unchanged lines a target may take along to be unique, from few to many; left of it first."""
    for right in range(len(hunk.right) + 1):
        for left in range(len(hunk.left) + 1):
            if hunk.old or left or right:
                yield hunk.left[len(hunk.left) - left :], hunk.right[:right]


def _length(lines: Sequence[str]) -> int:
    """Return their number of characters, with the line ends."""
    return sum(len(line) + 1 for line in lines)


def _parts(lines: Sequence[str]) -> list[Sequence[str]]:
    """Split the lines into points, paragraphs and headings with what follows; blank lines go with what comes next."""
    starts = [0]
    in_fence = behind_heading = False
    for number, line in enumerate(lines):
        may_start = not in_fence and not behind_heading
        if may_start and _opens_part(lines, number) and any(before.strip() for before in lines[starts[-1] : number]):
            start = number
            while start > starts[-1] and not lines[start - 1].strip():
                start -= 1
            starts.append(start)
        if line.strip():
            behind_heading = line[0] == "#" and not in_fence
        if _FENCE.match(line):
            in_fence = not in_fence
    ends = [*starts[1:], len(lines)]
    return [lines[start:end] for start, end in zip(starts, ends, strict=True) if end > start]


def _opens_part(lines: Sequence[str], number: int) -> bool:
    """Tell whether this line begins a point, a heading or, behind a blank line, a paragraph."""
    line = lines[number]
    if not line.strip() or line[0] in " \t":
        return False
    behind_blank = number > 0 and not lines[number - 1].strip()
    return behind_blank or line[0] == "#" or _LIST_POINT.match(line) is not None


def _packed(parts: Sequence[Sequence[str]], size: int) -> list[str]:
    """Join neighbouring parts while they fit into `size` characters."""
    pieces: list[str] = []
    for part in parts:
        text = "\n".join(part)
        if pieces and len(pieces[-1]) + len(text) < size:
            pieces[-1] = f"{pieces[-1]}\n{text}"
        else:
            pieces.append(text)
    return pieces
