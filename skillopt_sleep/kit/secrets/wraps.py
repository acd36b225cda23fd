"""Tokens that were wrapped: they go on in the next line."""

import re
import string
from collections.abc import Iterator

from skillopt_sleep.kit.secrets import values, vendors
from skillopt_sleep.kit.secrets.spans import Span

# From the end of a line to where the next one begins, behind the marks of a quotation or a table.
_NEXT_LINE = re.compile(r"\n[ \t>|]*+(?=[\w+/.~=-])")
# A line end within what may be a token: both sides are its characters, and a digit or capital comes behind it.
_BREAK = re.compile(r"\n(?<=[\w+/.~=:$%\r-].)[ \t>|]*+(?=[A-Z]?[a-z_.+/~-]*+[0-9A-Z])", re.DOTALL)
_PIECE = re.compile(r"[\w.~+/=:$%-]*+", re.ASCII)
_CHAIN_CHARACTERS = (string.ascii_letters + string.digits + "_.~+/=:$%-").encode()
_AS_CHAINS = bytes(ord("a") if code in _CHAIN_CHARACTERS else ord(" ") for code in range(256))
_MIXED = re.compile(r"[0-9]|[a-z][A-Z]|[A-Z]{2}")
_SHORTEST = 12  # of so many characters is the shortest token, or so much of it on two lines
_LONGEST_PIECE = 512
_MOST_LINES = 40
_FEW_LINES = 6
_REST = re.compile(r"=?(?:\r?\n[ \t>|]{0,40}(?P<rest>[\w.~+/-]{4,512}={0,2})(?=[\s\"'`]|$))", re.ASCII)
_NEVER_WRAPPED = frozenset({"private-key", "password", "url-password"})

_Piece = tuple[int, int]


def wrapped(text: str, data: bytes) -> Iterator[Span]:
    """Yield the tokens of vendors that go on in the next line; `data` is the text, one byte a character."""
    chains = b""
    done = 0
    for line_break in _BREAK.finditer(text):
        chains = chains or data.translate(_AS_CHAINS)
        line_end = line_break.start()
        if text[line_end - 1 : line_end] == "\r":
            line_end -= 1
        if text[line_end - 1 : line_end] == "=":  # as mail ends a line that goes on
            line_end -= 1
        start = max(chains.rfind(b" ", 0, line_end) + 1, line_end - _LONGEST_PIECE)
        if start < done or not _may_be_token(text, chains, start, line_end, line_break.end()):
            continue
        pieces = _pieces(text, (start, line_end), line_break.end())
        joined = "".join(text[first:last] for first, last in pieces)
        if len(pieces) > _FEW_LINES:
            done = pieces[-2][0]  # a block: what begins in these lines is found now
        for first, last, kind in vendors.vendor_tokens(joined, 0, len(joined)):
            span = _in_text(pieces, first, last)
            if span and not _was_whole(text, pieces, span):
                done = max(done, span[1])
                yield *span, kind


def _may_be_token(text: str, chains: bytes, start: int, line_end: int, next_line: int) -> bool:
    """Tell whether the last word of a line and the first of the next are long and mixed enough for a token."""
    stop = chains.find(b" ", next_line, next_line + _SHORTEST)
    if stop < 0:
        stop = next_line + _SHORTEST
    if line_end - start + stop - next_line < _SHORTEST:
        return False
    return _MIXED.search(text, start, stop) is not None


def _pieces(text: str, first_piece: _Piece, at: int) -> list[_Piece]:
    """Return the pieces of one token: before the line's end, behind it, and further lines that hold nothing else."""
    pieces = [first_piece]
    while len(pieces) < _MOST_LINES:
        piece = _PIECE.match(text, at, at + _LONGEST_PIECE)
        end = piece.end() if piece else at
        if len(pieces) > 1 and not values.is_scrambled(text[at:end].rstrip("=.")):
            break
        pieces.append((at, end))
        if text.startswith("=", end):
            end += 1
        if text.startswith("\r", end):
            end += 1
        next_line = _NEXT_LINE.match(text, end)
        if not next_line:
            break
        at = next_line.end()
    return pieces


def _in_text(pieces: list[_Piece], start: int, end: int) -> tuple[int, int] | None:
    """Return where the text has the part [start, end) of the joined pieces, or None if one piece holds all of it."""
    places: list[_Piece] = []
    offset = 0
    for first, last in pieces:
        length = last - first
        begin, stop = max(start, offset), min(end, offset + length)
        if begin < stop:
            places.append((first + begin - offset, first + stop - offset))
        offset += length
    if len(places) < 2:  # noqa: PLR2004 - it isn't wrapped
        return None
    return places[0][0], places[-1][1]


def _was_whole(text: str, pieces: list[_Piece], span: tuple[int, int]) -> bool:
    """Tell whether the first line holds a token of its own, and the next one begins with a word."""
    (_, first_end), (second_start, second_end) = pieces[0], pieces[1]
    if not any(True for _ in vendors.vendor_tokens(text, span[0], first_end)):
        return False
    return not values.is_scrambled(text[second_start:second_end].rstrip(".,:"))


def continued(text: str, spans: list[Span]) -> list[Span]:
    """Return the spans with the further lines of each value that was wrapped."""
    result: list[Span] = []
    for start, end, kind in spans:
        last = end if kind in _NEVER_WRAPPED else _end_of_rest(text, end)
        result.append((start, last, kind))
    return result


def _end_of_rest(text: str, end: int) -> int:
    rest = _REST.match(text, end)
    while rest and values.is_scrambled(rest["rest"].rstrip(".=")):
        end = rest.end()
        rest = _REST.match(text, end)
    return end
