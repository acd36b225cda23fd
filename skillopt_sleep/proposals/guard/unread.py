"""Find what a reader skips or can't read: long runs of blank lines, stacked marks, encoded text."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from skillopt_sleep.proposals.guard.structure import Finding
from skillopt_sleep.proposals.guard.words import words
from skillopt_sleep.records import RefusalKind

_BLANK_LINES = re.compile(r"(?:^[^\w\n]{0,3}(?:[^\S\n]|&nbsp;)*\n){4,}", re.MULTILINE)
_EMPTY_LINES = re.compile(r"(?:^[^\w\n]*\n){10,}", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]{60,}|(?:&nbsp;\s*){4,}")
_MOST_MARKS, _MOST_LATIN_MARKS, _MOST_OVERLAYS = 4, 2, 2

_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,6}")
_CHUNK = re.compile(r"[A-Za-z0-9+/]{4,}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9a-f]{2}){8,})(?![0-9A-Za-z])", re.IGNORECASE)
_HEX_PIECES = re.compile(r"(?<!\w)(?:(?:0x)?[0-9a-f]{2}[ ,:;-]{1,2}){5,}(?:0x)?[0-9a-f]{2}(?!\w)", re.IGNORECASE)
_ESCAPED = re.compile(
    r"(?:\\x[0-9a-f]{2}){4,}|(?:%[0-9a-f]{2}){3,}|(?:\\u\{?[0-9a-f]{4,6}\}?){4,}|(?:\\[0-7]{3}){4,}"
    r"|(?:&#x?[0-9a-f]{2,6};\s?){4,}|(?:U\+[0-9a-f]{4,5}[\s,]*){5,}",
    re.IGNORECASE,
)
_BITS = re.compile(r"(?<!\d)(?:[01]{8}[\s,]*){3,}(?!\d)")
_CODES = re.compile(r"(?<!\w)(?:\d{2,3}[\s,]+){9,}\d{2,3}(?!\w)")
_LONG_TOKEN = re.compile(r"[!-~]{100,}")
_MORSE = re.compile(r"(?<!\S)(?=[-/\s]*\.)(?=[./\s]*-)(?:[.-]{1,5}(?:\s+/)?\s+){7,}[.-]{1,5}(?!\S)")
_SPACED = re.compile(r"(?<!\w)(?:[A-Za-z] (?:[./] )?){6,}[A-Za-z](?!\w)")
# Signs that can encode a byte as one character; a terminal's spinner has at most ten of them.
_SIGNS = re.compile(
    r"[\u2801-\u28ff\u4dc0-\u4dff\U0001d300-\U0001d35f\U0001f000-\U0001f0ff](?:\s?[\u2801-\u28ff\u4dc0-\u4dff\U0001d300-\U0001d35f\U0001f000-\U0001f0ff]){15,}"
)
_DENSE = re.compile(r"(?<!\S)(?:<~)?([!-~]{16,}?)(?:~>)?[.,]?(?!\S)")
_UU = re.compile(r"(?<!\S)(?=[!-`]{4}[ -`]{8})")
_LEAST_TEXT, _LEAST_PIECES = 8, 6
_LONG_HEX, _LONG_RUN = 32, 24
_MIXED = 0.3
_MANY_LETTERS, _MOSTLY_LETTERS = 0.6, 0.8
_ASCII_END = 128
_WORDS = re.compile(r"[A-Za-z]{3,}")
_COMMON = words("common")
_HITS, _ROT13_HITS = 4, 3
_ROT13 = 13
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def unread(content: str, plain: str) -> Iterator[Finding]:
    """Return everything in the text that a reader would miss."""
    yield from _blank_runs(plain)
    yield from _stacked(content)
    for blob in _blobs(plain):
        yield RefusalKind.BLOB, "holds encoded text", blob


def _blank_runs(plain: str) -> Iterator[Finding]:
    for pattern in (_BLANK_LINES, _EMPTY_LINES, _BLANKS):
        run = pattern.search(plain)
        if run:
            yield RefusalKind.BLANK_RUN, "holds a long run of blanks, which hides what follows", run[0]


def _stacked(content: str) -> Iterator[Finding]:
    if content.isascii():
        return
    marks = ""
    base = ""
    overlays = 0
    for char in unicodedata.normalize("NFC", content):
        overlays += unicodedata.combining(char) == 1
        if overlays > _MOST_OVERLAYS:
            yield RefusalKind.MARK_RUN, "strikes its letters through", base + char
            return
        if unicodedata.category(char) in {"Mn", "Me"} and not "\ufe00" <= char <= "\ufe0f":
            marks += char
            is_latin = base.isascii() or "\u00c0" <= base <= "\u04ff"
            if len(marks) > (_MOST_LATIN_MARKS if is_latin else _MOST_MARKS):
                yield RefusalKind.MARK_RUN, "holds a letter with too many marks on it", base + marks
                return
        else:
            marks = ""
            base = char


def _blobs(plain: str) -> Iterator[str]:
    for pattern in (_ESCAPED, _BITS, _LONG_TOKEN, _MORSE, _SPACED, _SIGNS):
        yield from _those(pattern, plain, lambda _: True)
    yield from _those(_TOKEN, plain, lambda match: _is_encoded(match[0]))
    yield from _those(_DENSE, plain, lambda match: _is_base85(match[1]))
    yield from _uu_lines(plain)
    yield from _split_base64(plain.split())
    yield from _those(_HEX, plain, lambda match: len(match[1]) >= _LONG_HEX or _is_text(bytes.fromhex(match[1])))
    yield from _those(_HEX_PIECES, plain, lambda match: _is_words(_from_pieces(match[0])))
    yield from _those(_CODES, plain, lambda match: _is_text(_from_codes(match[0])))
    if _is_shifted(plain):
        yield plain


def _those(pattern: re.Pattern[str], text: str, is_blob: Callable[[re.Match[str]], bool]) -> Iterator[str]:
    for match in pattern.finditer(text):
        if is_blob(match):
            yield match[0]


def _split_base64(words: Sequence[str]) -> Iterator[str]:
    """Find base64 that is split by white space."""
    for count in (2, 3):
        for at in range(len(words) - count + 1):
            chunks = words[at : at + count]
            joined = "".join(chunks)
            if all(map(_CHUNK.fullmatch, chunks)) and _is_mixed(joined) and _is_text(_from_base64(joined)):
                yield " ".join(chunks)


def _is_encoded(token: str) -> bool:
    """Return whether the token is text in base64 or base32, or mixes letters and digits too much to be a name."""
    if _is_text(_from_base64(token)) or _is_text(_from_base32(token)):
        return True
    return any(len(piece) >= _LONG_RUN and _is_mixed(piece) for piece in re.split(r"[-_/]", token))


def _is_mixed(token: str) -> bool:
    """Return whether the token often changes between digits, capitals and small letters."""
    kinds = [(char.isdigit(), char.isupper()) for char in token if char.isalnum()]
    changes = sum(kind != following for kind, following in pairwise(kinds))
    return len(set(kinds)) > 1 and changes > _MIXED * len(kinds)


def _decoded(decode: Callable[[str], bytes], text: str) -> bytes:
    """Return the decoded text, nothing if it isn't encoded so."""
    try:
        return decode(text)
    except ValueError:
        return b""


def _from_base64(token: str) -> bytes:
    body = token.rstrip("=").translate(str.maketrans("-_", "+/"))
    if len(body) % 4 == 1:
        body = body[:-1]
    return _decoded(base64.b64decode, body + "=" * (-len(body) % 4))


def _from_base32(token: str) -> bytes:
    body = token.rstrip("=")
    if not body.isupper():
        return b""
    return _decoded(base64.b32decode, body[: len(body) - len(body) % 8])


def _is_base85(token: str) -> bool:
    return _is_text(_decoded(base64.a85decode, token)) or _is_text(_decoded(base64.b85decode, token))


def _uu_lines(text: str) -> Iterator[str]:
    """Find lines of uuencoded text; the first character of one tells its length."""
    for match in _UU.finditer(text):
        start = match.start()
        length = ord(text[start]) - ord(" ")
        end = start + 1 + (length + 2) // 3 * 4
        line = text[start:end].split("\n", 1)[0]
        if _is_text(_decoded(binascii.a2b_uu, line).rstrip(b"\0")):
            yield line


def _from_pieces(text: str) -> bytes:
    pieces = re.findall(r"(?<![0-9a-fA-F])[0-9a-fA-F]{2}(?![0-9a-fA-F])", text.replace("0x", " "))
    return bytes(int(piece, 16) for piece in pieces)


def _from_codes(text: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if max(numbers) >= _ASCII_END:
        return b""
    letters = sum(chr(number).isalpha() for number in numbers)
    if letters <= len(numbers) * _MANY_LETTERS:
        return b""
    return bytes(numbers)


def _is_text(data: bytes) -> bool:
    if len(data) < _LEAST_TEXT:
        return False
    return all(ord(" ") <= byte <= ord("~") or byte in b"\n\t" for byte in data)


def _is_words(data: bytes) -> bool:
    """Return whether the data is text and mostly letters, unlike the parts of a machine's address."""
    if len(data) < _LEAST_PIECES or max(data) >= _ASCII_END:
        return False
    letters = sum(chr(byte).isalpha() or byte == ord(" ") for byte in data)
    return letters >= len(data) * _MOSTLY_LETTERS


def _is_shifted(plain: str) -> bool:
    """Return whether the text is English only after its letters are shifted (rot13), mirrored or reversed."""
    words = {word.lower() for word in _WORDS.findall(plain)}
    if len(words) < _ROT13_HITS:
        return False

    def is_english(decoded: set[str], hits: int) -> bool:
        return len((decoded & _COMMON) - words) >= hits

    if is_english({word[::-1] for word in words}, _ROT13_HITS):
        return True
    for by in range(1, 26):
        shift = str.maketrans(_ALPHABET, _ALPHABET[by:] + _ALPHABET[:by])
        hits = _ROT13_HITS if by == _ROT13 else _HITS
        if is_english({word.translate(shift) for word in words}, hits):
            return True
    mirror = str.maketrans(_ALPHABET, _ALPHABET[::-1])
    return is_english({word.translate(mirror) for word in words}, _HITS)
