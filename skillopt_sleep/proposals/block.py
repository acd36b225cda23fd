"""Find and write our managed block inside a user's file, with pure functions from bytes to bytes.

No byte outside the block ever changes, and removing the block restores the bytes that the file had before. The shape
of the block holds what that takes: a blank line before it, and no line end after it if the user's text had none.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from skillopt_sleep.errors import UnsafeEdit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

BEGIN = "<!-- skillopt-sleep:begin -->"
END = "<!-- skillopt-sleep:end -->"

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t"
_EOL = re.compile(rb"\r\n|\n|\r")
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")
_PROBE = "\n\nx"
_RULER = b"***"
_MARKERS = {BEGIN.encode(): "begin", END.encode(): "end"}


class Block(NamedTuple):
    """The place of the block, in bytes: `start` includes the blank line we put before it; `body` has LF line ends."""

    start: int
    body_start: int
    body_end: int
    end: int
    body: str
    eol: bytes


class Parts(NamedTuple):
    """A file split for editing: the user's bytes before and after our part, and what encloses our body."""

    lead: bytes
    open: bytes
    body: str
    close: bytes
    trail: bytes
    eol: bytes


class _Line(NamedTuple):
    number: int
    start: int
    stop: int
    text: bytes
    eol: bytes


def find(data: bytes) -> Block | None:
    """Return the block, or None without one; raise UnsafeEdit with the line numbers if its markers are damaged."""
    check_encoding(data)
    marks = _marks(data)
    if not marks:
        return None
    if [_MARKERS[mark.text] for mark in marks] != ["begin", "end"]:
        places = ", ".join(f"{_MARKERS[mark.text]} in line {mark.number}" for mark in marks)
        raise UnsafeEdit(
            f"the markers of the skillopt-sleep block are damaged: {places}",
            remedy="keep one begin line and one end line after it, or delete all of them",
        )
    begin, end = marks
    start = begin.start
    blank_line_before = data[: begin.start].removeprefix(_BOM).endswith(begin.eol * 2)
    if blank_line_before:
        # We end the block with a line end exactly if the user's text ended with one: see _enclosure.
        added = 1 if end.eol else 2
        start -= added * len(begin.eol)
    return Block(
        start=start,
        body_start=begin.stop,
        body_end=end.start,
        end=end.stop,
        body=canonical(data[begin.stop : end.start].decode()),
        eol=begin.eol,
    )


def parts(data: bytes) -> Parts:
    """Split a file at its block, or where the block would go."""
    block = find(data)
    if block is None:
        opening, closing, eol = _enclosure(data)
        return Parts(lead=data, open=opening, body="", close=closing, trail=b"", eol=eol)
    return Parts(
        lead=data[: block.start],
        open=data[block.start : block.body_start],
        body=block.body,
        close=block.eol + data[block.body_end : block.end],
        trail=data[block.end :],
        eol=block.eol,
    )


def join(cut: Parts, body: str) -> bytes:
    """Join the parts with this body, in the file's line ends; raise UnsafeEdit if it would break the block.

    An empty body removes the block.
    """
    text = canonical(body)
    if not text:
        return cut.lead + cut.trail
    encoded = text.encode()
    _refuse_markers(encoded)
    return cut.lead + cut.open + encoded.replace(b"\n", cut.eol) + cut.close + cut.trail


def canonical(body: str) -> str:
    """Return the body with LF line ends and without empty lines around it; a blank body becomes empty."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        return ""
    return text


def check_encoding(data: bytes) -> None:
    """Raise UnsafeEdit unless the bytes are UTF-8 text."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8() from error
    # Plain English in UTF-16 without a byte order mark also decodes as UTF-8, but every other byte is zero.
    if data.count(0) * 4 > len(data):
        raise _not_utf8()


def _not_utf8() -> UnsafeEdit:
    return UnsafeEdit("the text is not UTF-8", remedy="save the file as UTF-8")


def _enclosure(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what opens and closes a new block at the end of this file, and the file's line end.

    The last line end decides the style, so that ours never merges with a lone CR before it.
    """
    text = data.removeprefix(_BOM)
    ends = _EOL.findall(text)
    eol: bytes = ends[-1] if ends else b"\n"
    if not text:
        before, after = b"", eol
    elif text.endswith(eol):
        before, after = eol, eol
    else:
        before, after = eol * 2, b""
    return before + BEGIN.encode() + eol, eol + END.encode() + after, eol


def _lines(data: bytes) -> Iterator[_Line]:
    skip = len(_BOM) if data.startswith(_BOM) else 0
    for number, match in enumerate(_LINE.finditer(data, skip), start=1):
        yield _Line(number, match.start(), match.end(), match[1].strip(_BLANKS), match[2])


def _marks(data: bytes) -> list[_Line]:
    """Return the marker lines; markers inside a closed code fence are the user's text."""
    marks = [line for line in _lines(data) if line.text in _MARKERS]
    fenced = _fenced(_ruled(data, marks).decode())
    return [mark for mark in marks if mark.number not in fenced]


def _ruled(data: bytes, marks: list[_Line]) -> bytes:
    """Replace each marker by a ruler, which ends the paragraph before it as an HTML block would."""
    pieces: list[bytes] = []
    position = len(_BOM) if data.startswith(_BOM) else 0
    for mark in marks:
        pieces.append(data[position : mark.start])
        pieces.append(data[mark.start : mark.stop].replace(mark.text, _RULER))
        position = mark.stop
    return b"".join(pieces) + data[position:]


def _fenced(text: str) -> set[int]:
    """Return the numbers of the lines in code fences; raise UnsafeEdit if one is still open at the end."""
    probed = text + _PROBE
    last = len(_EOL.findall(probed.encode())) + 1
    numbers: set[int] = set()
    for token in _markdown().parse(probed):
        if token.type != "fence" or not token.map:
            continue
        lines = range(token.map[0] + 1, token.map[1] + 1)
        if last in lines:
            raise UnsafeEdit(
                f"the code fence that opens in line {lines[0]} is never closed",
                remedy="close it with the same characters",
            )
        numbers.update(lines)
    return numbers


def _refuse_markers(body: bytes) -> None:
    _marks(body)
    for line in _lines(body):
        if line.text in _MARKERS:
            raise UnsafeEdit(
                f"line {line.number} of the new text is a marker of the skillopt-sleep block",
                remedy="remove the markers from the text",
            )


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # not imported before it is needed: `status` starts faster

    # HTML counts as text: an open tag would hide the fences after it from us, but not from whoever reads the file.
    return MarkdownIt("commonmark").disable(["inline", "html_block"])
