"""What a reader skips or can't read: long runs of blank lines, stacked marks, encoded text."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from skillopt_sleep.proposals.guard.structure import Found
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
_ODD_WORDS = re.compile(r"(?<!\w)(?:[b-df-hj-np-tv-xz]{4,}\s+){4,}[b-df-hj-np-tv-xz]{4,}(?!\w)", re.IGNORECASE)
_MORSE = re.compile(r"(?<!\S)(?=[-/\s]*\.)(?=[./\s]*-)(?:[.-]{1,5}(?:\s+/)?\s+){7,}[.-]{1,5}(?!\S)")
_SPACED = re.compile(r"(?<!\w)(?:[A-Za-z] (?:[./] )?){6,}[A-Za-z](?!\w)")
# Signs by which a byte can be written as one character; a spinner of a terminal has ten of them at most.
_SIGNS = re.compile(
    r"[\u2801-\u28ff\u4dc0-\u4dff\U0001d300-\U0001d35f\U0001f000-\U0001f0ff](?:\s?[\u2801-\u28ff\u4dc0-\u4dff\U0001d300-\U0001d35f\U0001f000-\U0001f0ff]){15,}"
)
_DENSE = re.compile(r"(?<!\S)(?:<~)?([!-~]{16,}?)(?:~>)?[.,]?(?!\S)")
_UU = re.compile(r"(?<!\S)(?=[!-`]{4}[ -`]{8})")
_LEAST_TEXT, _LEAST_PIECES = 8, 6
_LONG_HEX, _LONG_RUN = 32, 24
_MIXED = 0.3
_WORDS = re.compile(r"[A-Za-z]{3,}")
_COMMON = words("common")
_HITS, _ROT13_HITS = 4, 3
_NAMED = re.compile(
    r"\b(?:rot-?\d+|ebg13|atbash|caesar|cipher|decod\w+|decipher\w*|backwards|revers\w+|unscramble)\b", re.IGNORECASE
)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def unread(content: str, plain: str) -> Iterator[Found]:
    """Everything of the text that a reader passes over."""
    yield from _blank_runs(plain)
    yield from _stacked(content)
    for blob in _blobs(plain):
        yield RefusalKind.BLOB, "holds text that is encoded", blob


def _blank_runs(plain: str) -> Iterator[Found]:
    for pattern in (_BLANK_LINES, _EMPTY_LINES, _BLANKS):
        if run := pattern.search(plain):
            yield RefusalKind.BLANK_RUN, "holds a long run of blanks, behind which nobody reads on", run[0]


def _stacked(content: str) -> Iterator[Found]:
    if content.isascii():
        return
    marks, base, overlays = "", "", 0
    for char in unicodedata.normalize("NFC", content):
        overlays += unicodedata.combining(char) == 1
        if overlays > _MOST_OVERLAYS:
            yield RefusalKind.MARK_RUN, "strikes its letters out", base + char
            return
        if unicodedata.category(char) in {"Mn", "Me"} and not "\ufe00" <= char <= "\ufe0f":
            marks += char
            most = _MOST_LATIN_MARKS if base.isascii() or "\u00c0" <= base <= "\u04ff" else _MOST_MARKS
            if len(marks) > most:
                yield RefusalKind.MARK_RUN, "holds a letter under a pile of marks", base + marks
                return
        else:
            marks, base = "", char


def _blobs(plain: str) -> Iterator[str]:
    for pattern in (_ESCAPED, _BITS, _LONG_TOKEN, _ODD_WORDS, _MORSE, _SPACED, _SIGNS):
        yield from (found[0] for found in pattern.finditer(plain))
    yield from (found[0] for found in _TOKEN.finditer(plain) if _is_encoded(found[0]))
    yield from (found[0] for found in _DENSE.finditer(plain) if _is_text(_from_base85(found[1])))
    yield from (line for found in _UU.finditer(plain) if _is_text(_from_uu(line := _uu_line(plain, found.start()))))
    yield from _chunked(plain.split())
    for found in _HEX.finditer(plain):
        if len(found[1]) >= _LONG_HEX or _is_text(bytes.fromhex(found[1])):
            yield found[0]
    yield from (found[0] for found in _HEX_PIECES.finditer(plain) if _is_said(_from_pieces(found[0])))
    yield from (found[0] for found in _CODES.finditer(plain) if _is_text(_from_codes(found[0])))
    if _is_shifted(plain):
        yield plain


def _chunked(words: Sequence[str]) -> Iterator[str]:
    """Base64 that is parted by white space."""
    for count in (2, 3):
        for at in range(len(words) - count + 1):
            chunks = words[at : at + count]
            joined = "".join(chunks)
            if all(map(_CHUNK.fullmatch, chunks)) and _is_mixed(joined) and _is_text(_from_base64(joined)):
                yield " ".join(chunks)


def _is_encoded(token: str) -> bool:
    """Whether it is text in base64 or base32, or too mixed a run of letters and digits to be a name."""
    if _is_text(_from_base64(token)) or _is_text(_from_base32(token)):
        return True
    return any(len(piece) >= _LONG_RUN and _is_mixed(piece) for piece in re.split(r"[-_/]", token))


def _is_mixed(token: str) -> bool:
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" for char in token if char.isalnum()]
    turns = sum(one != other for one, other in pairwise(kinds))
    return len(set(kinds)) > 1 and turns > _MIXED * len(kinds)


def _from_base64(token: str) -> bytes:
    body = token.rstrip("=").translate(str.maketrans("-_", "+/"))
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return b""


def _from_base32(token: str) -> bytes:
    body = token.rstrip("=")
    if not body.isupper():
        return b""
    body = body[: len(body) - len(body) % 8]
    try:
        return base64.b32decode(body)
    except (binascii.Error, ValueError):
        return b""


def _from_base85(token: str) -> bytes:
    for decode in (base64.a85decode, base64.b85decode):
        try:
            if _is_text(data := decode(token)):
                return data
        except ValueError:
            continue
    return b""


def _uu_line(text: str, at: int) -> str:
    """As much of the text as a line of uuencode has that begins there: its first sign tells the length."""
    return text[at : at + 1 + (ord(text[at]) - ord(" ") + 2) // 3 * 4].split("\n", 1)[0]


def _from_uu(line: str) -> bytes:
    try:
        return binascii.a2b_uu(line).rstrip(b"\0")
    except ValueError:
        return b""


def _from_pieces(text: str) -> bytes:
    return bytes(
        int(piece, 16)
        for piece in re.findall(r"(?<![0-9a-fA-F])[0-9a-fA-F]{2}(?![0-9a-fA-F])", text.replace("0x", " "))
    )


def _from_codes(text: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    letters = sum(chr(number).isalpha() for number in numbers if number < 128)  # noqa: PLR2004 - ASCII
    return bytes(numbers) if max(numbers) < 128 and letters > len(numbers) * 0.6 else b""  # noqa: PLR2004 - as above


def _is_text(data: bytes) -> bool:
    return len(data) >= _LEAST_TEXT and all(32 <= byte < 127 or byte in b"\n\t" for byte in data)  # noqa: PLR2004 - ASCII


def _is_said(data: bytes) -> bool:
    """Whether it is text, and most of it letters: the parts of a machine's address are none."""
    letters = sum(chr(byte).isalpha() or byte == ord(" ") for byte in data)
    return len(data) >= _LEAST_PIECES and max(data) < 128 and letters >= len(data) * 0.8  # noqa: PLR2004 - ASCII


def _is_shifted(plain: str) -> bool:
    """Whether the text is English only when it is shifted by some letters (rot13), mirrored or turned round."""
    words = {word.lower() for word in _WORDS.findall(plain)}
    if len(words) < _ROT13_HITS:
        return False
    named = 1 if _NAMED.search(plain) else 0
    shifts = [str.maketrans(_ALPHABET, _ALPHABET[by:] + _ALPHABET[:by]) for by in range(1, 26)]
    shifts.append(str.maketrans(_ALPHABET, _ALPHABET[::-1]))
    ways = [{word.translate(shift) for word in words} for shift in shifts] + [{word[::-1] for word in words}]
    needed = [_HITS - named] * len(ways)
    needed[12] = needed[-1] = _ROT13_HITS - named  # rot13, and from the right
    return any(len((way & _COMMON) - words) >= least for way, least in zip(ways, needed, strict=True))
