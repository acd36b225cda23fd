"""Our managed block inside a file that isn't ours: pure functions from bytes to bytes.

Outside of the block no byte ever changes, and removing the block brings back the bytes the file had before. What
that takes is kept in the block's own shape: a blank line before it, and no line end after it where the user's text
had no final one.
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
    """Where the block is, in bytes: `start` counts the blank line we put before it; `body` has LF line ends."""

    start: int
    body_start: int
    body_end: int
    end: int
    body: str
    eol: bytes


class Parts(NamedTuple):
    """A file cut for editing: the user's bytes before and after, and what encloses our body."""

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
    """The block, or None where there is none; UnsafeEdit naming the lines where its markers are damaged."""
    check_encoding(data)
    marks = _marks(data)
    if not marks:
        return None
    if [_MARKERS[mark.text] for mark in marks] != ["begin", "end"]:
        found = ", ".join(f"{_MARKERS[mark.text]} in line {mark.number}" for mark in marks)
        raise UnsafeEdit(
            f"the markers of the skillopt-sleep block are damaged: {found}",
            remedy="leave one begin line and one end line after it, or delete all of them",
        )
    begin, end = marks
    # A final line end is written after the block exactly if the user's text had one: see _enclosure.
    added = 1 if end.eol else 2
    ours = data[: begin.start].removeprefix(_BOM).endswith(begin.eol * 2)
    return Block(
        start=begin.start - (added * len(begin.eol) if ours else 0),
        body_start=begin.stop,
        body_end=end.start,
        end=end.stop,
        body=canonical(data[begin.stop : end.start].decode()),
        eol=begin.eol,
    )


def splice(data: bytes, body: str) -> bytes:
    """The file with this body in its block: replaced, or appended, or with an empty body removed."""
    return join(parts(data), body)


def parts(data: bytes) -> Parts:
    """The file cut at its block, or where its block would be."""
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
    """The parts with this body, in the file's own line ends; UnsafeEdit where it would break the block."""
    text = canonical(body)
    if not text:
        return cut.lead + cut.trail
    encoded = text.encode()
    _refuse_markers(encoded)
    return cut.lead + cut.open + encoded.replace(b"\n", cut.eol) + cut.close + cut.trail


def canonical(body: str) -> str:
    """The body with LF line ends and no empty lines at its ends; blank is empty."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return text if text.strip() else ""


def check_encoding(data: bytes) -> None:
    """Raise UnsafeEdit where the bytes aren't UTF-8 text."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8() from error
    # UTF-16 without a mark decodes as UTF-8 where it is plain English; every other byte is then zero.
    if data.count(0) * 4 > len(data):
        raise _not_utf8()


def _not_utf8() -> UnsafeEdit:
    return UnsafeEdit("the text is not UTF-8", remedy="save the file as UTF-8")


def _enclosure(data: bytes) -> tuple[bytes, bytes, bytes]:
    """What will enclose the body of a new block at the end of this file, and the file's line end.

    The last line end decides the style, so that ours never melts into a lone CR before it.
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
    """The marker lines; those inside a closed code fence are the user's text."""
    marks = [line for line in _lines(data) if line.text in _MARKERS]
    fenced = _fenced(_ruled(data, marks).decode())
    return [mark for mark in marks if mark.number not in fenced]


def _ruled(data: bytes, marks: list[_Line]) -> bytes:
    """The text with a ruler for each marker: as HTML blocks do, it ends the paragraph before it."""
    pieces, at = list[bytes](), len(_BOM) if data.startswith(_BOM) else 0
    for mark in marks:
        pieces.append(data[at : mark.start] + data[mark.start : mark.stop].replace(mark.text, _RULER))
        at = mark.stop
    return b"".join(pieces) + data[at:]


def _fenced(text: str) -> set[int]:
    """The numbers of the lines in code fences; UnsafeEdit where one would go on in what is written below the text."""
    fences = [
        range(token.map[0] + 1, token.map[1] + 1)
        for token in _markdown().parse(text + _PROBE)
        if token.type == "fence" and token.map
    ]
    last = len(_EOL.findall((text + _PROBE).encode())) + 1
    for fence in fences:
        if last in fence:
            raise UnsafeEdit(
                f"the code fence that opens in line {fence[0]} is never closed",
                remedy="close it with the same characters",
            )
    return {number for fence in fences for number in fence}


def _refuse_markers(body: bytes) -> None:
    _marks(body)
    for line in _lines(body):
        if line.text in _MARKERS:
            raise UnsafeEdit(
                f"line {line.number} of the new text is a marker of the skillopt-sleep block",
                remedy="leave the markers out of the text",
            )


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # status starts sooner without

    # HTML is text: an open tag would hide the fences after it from us, but from no one who reads the file as it is.
    return MarkdownIt("commonmark").disable(["inline", "html_block"])
