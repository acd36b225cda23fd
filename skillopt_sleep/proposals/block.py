"""Find and change our managed block inside a user's file, with pure functions from bytes to bytes.

No byte outside the block ever changes, and removing the block restores the bytes that the file had before. The shape
of the block holds what that takes: a blank line before it, and no line end after it if the user's text had none.
Whatever a person wrote inside the block stays too, to the byte.
"""

import codecs
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from skillopt_sleep.errors import UnsafeEdit
from skillopt_sleep.proposals.merge import merge

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

BEGIN = "<!-- skillopt-sleep:begin -->"
END = "<!-- skillopt-sleep:end -->"
BOM = b"\xef\xbb\xbf"

_EOL = re.compile(rb"\r\n|\n|\r")
# A line with a marker and nothing else.
_MARK = re.compile(
    rb"(?:\A|(?<=[\r\n])|(?<=\A\xef\xbb\xbf))"
    rb"(?P<indent>[ \t]*)<!-- skillopt-sleep:(?P<kind>begin|end) -->(?P<rest>[ \t]*(?P<eol>\r\n|\n|\r|\Z))"
)
_PROBE = "\n\nx"


class Block(NamedTuple):
    """The place of the block, in bytes: `start` includes the blank line we put before it; `body` has LF line ends."""

    start: int
    body_start: int
    body_end: int
    end: int
    body: str
    eol: bytes


class FileParts(NamedTuple):
    """A file split for editing: the user's bytes before and after our part, and what encloses our lines.

    `body` are our lines as text, `lines` as they are written; `eol` is how a line ends.
    """

    lead: bytes
    open: bytes
    body: str
    lines: bytes
    close: bytes
    trail: bytes
    eol: bytes

    @property
    def data(self) -> bytes:
        """The whole file."""
        return self.lead + self.open + self.lines + self.close + self.trail


class Changed(NamedTuple):
    """The bytes of a file with a change of our rules; `body` are the rules as they were.

    `overlaps` says that the change takes away a line which a person changed, or one outside of our part.
    """

    data: bytes
    body: str
    overlaps: bool


class _Fences(NamedTuple):
    """The lines of the closed code fences, the line that opens one for good, and the first in a list or quote, or 0.

    The end of a list closes the fences in it: what looks like its closing line further down opens another one.
    """

    closed: set[int]
    opened: int
    nested: int


def find(data: bytes) -> list[Block]:
    """Return our blocks: one, or several after a merge of branches; raise UnsafeEdit if the markers are damaged."""
    _refuse_wide(data)
    marks = _marks(data)
    if [mark["kind"] for mark in marks] != [b"begin", b"end"] * (len(marks) // 2):
        places = ", ".join(f"{mark['kind'].decode()} in line {_number(mark)}" for mark in marks)
        raise UnsafeEdit(
            f"the markers of the skillopt-sleep block are damaged: {places}",
            remedy="keep one begin line and one end line after it, or delete all of them",
        )
    return [_block(data, begin, end) for begin, end in zip(marks[::2], marks[1::2], strict=True)]


def parts(data: bytes) -> FileParts:
    """Split a file at its block, or where the block would go; the first of several holds the lines of all."""
    blocks = find(data)
    if not blocks:
        opening, closing, eol = _enclosure(data)
        return FileParts(lead=data, open=opening, body="", lines=b"", close=closing, trail=b"", eol=eol)
    first, *others = blocks
    lines, trail, end = data[first.body_start : first.body_end], b"", first.end
    for block in others:
        lines = merge(lines, "", block.body, eol=first.eol).lines
        trail += data[end : block.start]
        end = block.end
    return FileParts(
        lead=data[: first.start],
        open=data[first.start : first.body_start],
        body=canonical(decoded(lines)),
        lines=lines,
        close=data[first.body_end : first.end],
        trail=trail + data[end:],
        eol=first.eol,
    )


def change(cut: FileParts, old: str, new: str) -> Changed:
    """Join the parts with the rules changed from `old` to `new`; raise UnsafeEdit if that would break the block.

    Where no line is left, the block goes.
    """
    merged = merge(cut.lines, canonical(old), canonical(new), eol=cut.eol)
    if not canonical(decoded(merged.lines)):
        return Changed(cut.lead + cut.trail, cut.body, merged.overlaps)
    # In a file of our own, a person's marker or open fence can't break what only takes lines away.
    if merged.lines != cut.lines and (cut.close or any(set(new.split("\n")) - set(old.split("\n")))):
        _refuse_markers(merged.lines)
    return Changed(cut._replace(lines=merged.lines).data, cut.body, merged.overlaps)


def unmarked(data: bytes) -> bytes:
    """Return the file without the lines that mark the block: what is in the block is the person's now."""
    cut = parts(data)
    return cut.lead + cut.open.replace(BEGIN.encode() + cut.eol, b"") + cut.lines + cut.trail


def canonical(body: str) -> str:
    """Return the body with LF line ends and without empty lines around it; a blank body becomes empty."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        return ""
    return text


def check_encoding(data: bytes) -> None:
    """Raise UnsafeEdit unless the bytes are UTF-8 text."""
    _refuse_wide(data)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8() from error


def decoded(data: bytes) -> str:
    """Return the bytes as text, in which what isn't UTF-8 is kept as it is."""
    return data.decode(errors="surrogateescape")


def _refuse_wide(data: bytes) -> None:
    """Raise UnsafeEdit for UTF-16, in which our markers are other bytes."""
    # Plain English in UTF-16 without a byte order mark also decodes as UTF-8, but every other byte is zero.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or data.count(0) * 4 > len(data):
        raise _not_utf8()


def _not_utf8() -> UnsafeEdit:
    return UnsafeEdit("the text is not UTF-8", remedy="save the file as UTF-8")


def _block(data: bytes, begin: re.Match[bytes], end: re.Match[bytes]) -> Block:
    start, stop = begin.start(), end.end()
    ended, eol = end["eol"], begin["eol"]
    if ended != eol:
        # We end both lines alike: this end is the person's, who wrote on below a block without one.
        ended, stop = b"", stop - len(ended)
    blank_line_before = data[:start].removeprefix(BOM).endswith(eol * 2)
    if blank_line_before:
        # We end the block with a line end exactly if the user's text ended with one: see _enclosure.
        added = 1 if ended else 2
        start -= added * len(eol)
    return Block(
        start=start,
        body_start=begin.end(),
        body_end=end.start(),
        end=stop,
        body=canonical(decoded(data[begin.end() : end.start()])),
        eol=eol,
    )


def _enclosure(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what opens and closes a new block at the end of this file, and the file's line end.

    The last line end decides the style, so that ours never merges with a lone CR before it.
    """
    text = data.removeprefix(BOM)
    ends = _EOL.findall(text)
    eol: bytes = ends[-1] if ends else b"\n"
    if not text:
        before, after = b"", eol
    elif text.endswith(eol):
        before, after = eol, eol
    else:
        before, after = eol * 2, b""
    return before + BEGIN.encode() + eol, END.encode() + after, eol


def _number(mark: re.Match[bytes]) -> int:
    """Return the number of a marker line, from 1."""
    return len(_EOL.findall(mark.string, 0, mark.start())) + 1


def _marks(data: bytes) -> list[re.Match[bytes]]:
    """Return the marker lines; markers inside a closed code fence are the user's text.

    Raises UnsafeEdit if a fence that is still open at the end could hide our block, or a new one would end up in it.
    """
    # A ruler in place of each marker ends the paragraph before it, as an HTML block would.
    fences = _fences(decoded(_MARK.sub(rb"\g<indent>***\g<rest>", data.removeprefix(BOM))))
    found = [mark for mark in _MARK.finditer(data) if _number(mark) not in fences.closed]
    last = _number(found[-1]) if found else len(data)
    if fences.opened and min(fences.opened, fences.nested or last) < last:
        raise UnsafeEdit(
            f"the code fence that opens in line {fences.opened} is never closed",
            remedy="close it with the same characters",
        )
    return found


def _fences(text: str) -> _Fences:
    """Find the code fences of a text."""
    probed = text + _PROBE
    last = len(_EOL.findall(probed.encode(errors="surrogateescape"))) + 1
    closed: set[int] = set()
    opened = nested = 0
    for token in _markdown().parse(probed):
        if token.type != "fence" or not token.map:
            continue
        lines = range(token.map[0] + 1, token.map[1] + 1)
        if last in lines:
            opened = lines[0]
        else:
            closed.update(lines)
            nested = nested or (lines[0] if token.level else 0)
    return _Fences(closed, opened, nested)


def _refuse_markers(body: bytes) -> None:
    _marks(body)
    mark = _MARK.search(body)
    if mark:
        raise UnsafeEdit(
            f"line {_number(mark)} of the new text is a marker of the skillopt-sleep block",
            remedy="remove the markers from the text",
        )


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # not imported before it is needed: `status` starts faster

    # HTML counts as text: an open tag would hide the fences after it from us, but not from whoever reads the file.
    return MarkdownIt("commonmark").disable(["inline", "html_block"])
