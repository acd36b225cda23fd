"""Find secrets that aren't in one piece: wrapped, escaped, in concatenated strings, or with invisible characters.

A token that was wrapped is put together with the lines that follow. Any other text is unfolded: escapes become the
characters they stand for, added strings become one, and what nobody sees is left out. What is found there is then
mapped back to the text as it stands.
"""

import re
import string
from collections.abc import Callable, Iterator

from skillopt_sleep.kit.secrets import Span, formats, values

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
        for first, last, kind in formats.vendor_tokens(joined, 0, len(joined)):
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
    """Map a match in the joined pieces back to the text; None if it wasn't wrapped."""
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
    if not any(True for _ in formats.vendor_tokens(text, span[0], first_end)):
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


Find = Callable[[str], list[Span]]

# The codes of printable ASCII and line ends, without those of the quote, the percent sign and other controls.
_CODE = r"(?:[3-7][0-9A-Fa-f]|2[0-46-9A-Fa-f]|0[AaDd])"
# Quoted-printable mail: `=3D` for an equals sign, and `=` before the end of a line that goes on in the next one, if
# that line holds no assignment.
_MAIL = r"=(?:3D|(?<=[\w+/.~:%?&@!-]=)\r?\n(?=(?:=3D|[^\s=\"'`]){2,512}+(?:\s|=\r?\n|$)))"
_BACKSLASH = rf"\\(?:\r?\n|/|\\{{0,2}}u00{_CODE})"
_PERCENT = f"%{_CODE}"
_ESCAPE = rf"{_BACKSLASH}|{_PERCENT}|{_MAIL}"
# Strings side by side, the second of which isn't the name of another value; and strings with an operator between.
_BESIDE = r"\s(?=\s{0,40}[rbfu]?[\"'][^\"'\n]{4,512}[\"']\s{0,4}(?![:=\s]))"
_OPERATOR = r"(?:\s|\\\r?\n){0,40}(?:[+&.~]|\.\.|\|\|)"
# From the closing quote of one string to the opening quote of the next; both sides look like parts of a token.
_JOIN_BEHIND_QUOTE = (
    rf"(?<=[\w+/=.:~-].)(?:{_OPERATOR}|{_BESIDE})(?:\s|\\\n|(?<=\s)[+>](?=\s)){{0,40}}[rbfu]?[\"'](?=[\w+/=.~:-])"
)
_NEXT_ITEM = r"(?<=[\w+/=.:~-].)\s{0,40},\s{0,40}[\"'](?=[\w+/=.~:-])"
_TERMINAL_CODE = r"\x1b\[[0-9;]{0,16}[A-Za-z]"
_UNSEEN_CHARACTERS = "\u200b\u200c\u200d\u2060\ufeff\u00ad"

# Alternatives that begin with one character each are searched for many times faster than with a choice of them.
_JOIN = rf"\"{_JOIN_BEHIND_QUOTE}|'{_JOIN_BEHIND_QUOTE}"
_ITEMS = rf"\"{_NEXT_ITEM}|'{_NEXT_ITEM}"
_UNSEEN = "|".join((_TERMINAL_CODE, *_UNSEEN_CHARACTERS))
_FOLD = re.compile(f"{_ESCAPE}|{_JOIN}|{_UNSEEN}")
_FOLD_OR_ITEMS = re.compile(f"{_ESCAPE}|{_JOIN}|{_ITEMS}|{_UNSEEN}")

# One pattern for each kind of fold, to see quickly whether a text has any.
_HAS_PERCENT = re.compile(_PERCENT)
_HAS_BACKSLASH = re.compile(_BACKSLASH)
_HAS_MAIL = re.compile(_MAIL)
_HAS_JOIN_OF_DOUBLE = re.compile(f'"{_JOIN_BEHIND_QUOTE}')
_HAS_JOIN_OF_SINGLE = re.compile(f"'{_JOIN_BEHIND_QUOTE}")
_HAS_TERMINAL_CODE = re.compile(_TERMINAL_CODE)
_HAS_ITEMS = re.compile(_ITEMS)

_NEAR = 600  # so far from a fold may begin or end what is found only because of it


def is_folded(text: str, *, digits: bool) -> bool:
    """Tell whether the text has escapes or unseen characters or, if it has digits, strings that are added."""
    if "%" in text and _HAS_PERCENT.search(text):
        return True
    if "\\" in text and _HAS_BACKSLASH.search(text):
        return True
    if "=" in text and _HAS_MAIL.search(text):
        return True
    if digits and _has_joined_strings(text):
        return True
    if "\x1b" in text and _HAS_TERMINAL_CODE.search(text):
        return True
    if not text.isascii() and _has_unseen_characters(text):
        return True
    return "]" in text and "join" in text and _HAS_ITEMS.search(text) is not None


def _has_joined_strings(text: str) -> bool:
    if '"' in text and _HAS_JOIN_OF_DOUBLE.search(text):
        return True
    return "'" in text and _HAS_JOIN_OF_SINGLE.search(text) is not None


def _has_unseen_characters(text: str) -> bool:
    return any(map(text.__contains__, _UNSEEN_CHARACTERS))


def unfolded(text: str, find: Find) -> Iterator[Span]:
    """Yield what `find` sees once the text is unfolded, as places of the text as it stands."""
    fold = _FOLD_OR_ITEMS if "join" in text and _HAS_ITEMS.search(text) else _FOLD
    for first, last in _around_folds(text, fold):
        part = text[first:last]
        spans = find(fold.sub(_meaning, part))
        if not spans:
            continue
        origins, widths = _origins(part, fold)
        for start, end, kind in spans:
            last_origin = origins[end - 1]
            yield first + origins[start], first + last_origin + widths.get(last_origin, 1), kind


def _origins(part: str, fold: re.Pattern[str]) -> tuple[list[int], dict[int, int]]:
    """Return where each unfolded character stands in the part, and how wide the fold that begins there is."""
    origins: list[int] = []
    widths: dict[int, int] = {}
    at = 0
    for match in fold.finditer(part):
        origins += range(at, match.start() + len(_meaning(match)))
        widths[match.start()] = len(match[0])
        at = match.end()
    origins += range(at, len(part))
    return origins, widths


def _around_folds(text: str, fold: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of the text near a fold, of whole lines unless these are very long."""
    first = last = -1
    for match in fold.finditer(text):
        if match.end() + _NEAR <= last:
            continue
        start = max(0, match.start() - _NEAR)
        start = max(text.rfind("\n", max(0, start - _NEAR), start) + 1, start - _NEAR, 0)
        if start > last:
            if first >= 0:
                yield first, last
            first = start
        end = match.end() + _NEAR
        line_end = text.find("\n", end, end + _NEAR)
        last = min(line_end if line_end >= 0 else end + _NEAR, len(text))
    if first >= 0:
        yield first, last


def _meaning(fold: re.Match[str]) -> str:
    """Return the character that is written so, or "" where a line or a string goes on or nothing is seen."""
    written = fold[0]
    if written[0] not in "\\%":
        return "=" if written == "=3D" else ""
    if written[-1] == "\n":
        return ""
    if written[-1] == "/":
        return "/"
    return chr(int(written[-2:], 16))
