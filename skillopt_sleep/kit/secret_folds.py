"""Secrets that are not in one piece: over line ends, in strings that are added, written in escapes or in base64.

Such a text is read as it is meant, and what is found there is said of the text as it stands.
"""

import base64
import re
import string
from collections.abc import Callable, Iterator

from skillopt_sleep.kit import secret_rules as rules, secret_values as values
from skillopt_sleep.kit.secret_rules import Span

Look = Callable[[str], list[Span]]

_CODE = r"(?:[3-7][0-9A-Fa-f]|2[0-46-9A-Fa-f]|0[AaDd])"
# What mail writes for a sign of equality, and for a line that goes on: in the next one no name is assigned to.
_MAILED = r"=(?:3D|(?<=[\w+/.~:%?&@!-]=)\r?\n(?=(?:=3D|[^\s=\"'`]){2,512}+(?:\s|=\r?\n|$)))"
_BACKSLASHED = rf"\\(?:\r?\n|/|\\{{0,2}}u00{_CODE})"
_ESCAPE = rf"{_BACKSLASHED}|%{_CODE}|{_MAILED}"
# Strings that are added; without a sign between them the second one isn't the name of another value.
_BESIDE = r"\s(?=\s{0,40}[rbfu]?[\"'][^\"'\n]{4,512}[\"']\s{0,4}(?![:=\s]))"
_ADDED = r"(?:\s|\\\r?\n){0,40}(?:[+&.~]|\.\.|\|\|)"
_QUOTE_JOINED = (
    rf"(?<=[\w+/=.:~-].)(?:{_ADDED}|{_BESIDE})(?:\s|\\\n|(?<=\s)[+>](?=\s)){{0,40}}[rbfu]?[\"'](?=[\w+/=.~:-])"
)
_LIST_GOES_ON = r"(?<=[\w+/=.:~-].)\s{0,40},\s{0,40}[\"'](?=[\w+/=.~:-])"
# Alternatives that begin with one character each are searched for many times faster than with a choice of them.
_JOIN, _LISTED = (rf"\"{rest}|'{rest}" for rest in (_QUOTE_JOINED, _LIST_GOES_ON))
_UNSEEN_CHARACTERS = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_UNSEEN_CODE = r"\x1b\[[0-9;]{0,16}[A-Za-z]"
_UNSEEN = "|".join((_UNSEEN_CODE, *_UNSEEN_CHARACTERS))
_LISTS, _UNSEEN_CODES = re.compile(_LISTED), re.compile(_UNSEEN_CODE)
# A search for one character is many times faster than one for two.
_PERCENT, _BACKSLASH, _MAILED_SIGNS = (re.compile(part) for part in (f"%{_CODE}", _BACKSLASHED, _MAILED))
_JOINED_DOUBLE, _JOINED_SINGLE = (re.compile(f"{quote}{_QUOTE_JOINED}") for quote in "\"'")
_FOLD, _FOLD_LISTS = (
    re.compile("|".join(parts)) for parts in ((_ESCAPE, _JOIN, _UNSEEN), (_ESCAPE, _JOIN, _LISTED, _UNSEEN))
)

_WRAP = re.compile(r"\n[ \t>|]*+(?=[\w+/.~=-])")
_BREAK = re.compile(r"\n(?<=[\w+/.~=:$%\r-].)[ \t>|]*+(?=[A-Z]?[a-z_.+/~-]*+[0-9A-Z])", re.DOTALL)
_TOKEN = re.compile(r"[\w.~+/=:$%-]*+", re.ASCII)
_IN_CHAINS = string.ascii_letters + string.digits + "_.~+/=:$%-"
_AS_CHAINS = bytes(ord("a") if chr(code) in _IN_CHAINS else ord(" ") for code in range(256))
_MIXED = re.compile(r"[0-9]|[a-z][A-Z]|[A-Z]{2}")
_SHORTEST = 12  # of so many characters is the shortest token, or so much of it on two lines
_MOST = 512
_NEAR = 600  # so far from a fold what is seen only because of it may begin or end
_MOST_LINES = 40
_FEW_LINES = 6
_REST = re.compile(r"=?(?:\r?\n[ \t>|]{0,40}(?P<rest>[\w.~+/-]{4,512}={0,2})(?=[\s\"'`]|$))", re.ASCII)

# Four characters of base64 of three printable ones, over and over.
_QUAD = r"[CI-Za-f][A-Za-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]"
_ENCODED = re.compile(
    rf"(?<![\w+/])(?:{_QUAD}){{4,}}(?:\r?\n(?:{_QUAD}){{4,}})*(?:\r?\n(?:{_QUAD}){{0,3}})?(?:[I-Za-f][A-Za-z0-3][A-Za-z0-9]?={{0,2}})?"
)
_LINE_OF_BASE64 = 60
_MORE_BASE64 = re.compile(r"(?:\r?\n[A-Za-z0-9+/]{60,80})*+(?:\r?\n[A-Za-z0-9+/]{2,80}={0,2}(?![^\s\"'`]))?")
_MANIFEST = re.compile(r"kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret\b")
_ENTRY = re.compile(
    r"(?P<name>[\w.-]{1,80})[\"']?[ \t]{0,8}:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\n\s{1,40})?"
    r"[\"']?(?P<value>[A-Za-z0-9+/]{8,}={0,2})(?![\w.:/+-])"
)
_PUBLIC = re.compile(
    r"(?i)(?:^|[._-])(?:crt|cert|certificate|pub|public|ca|username|user|host|namespace|url|port|uid)$"
)


def is_folded(text: str, *, digits: bool) -> bool:
    """Whether there are escapes, characters that nobody sees, or, with digits, strings that are added."""
    return bool(
        ("%" in text and _PERCENT.search(text))
        or ("\\" in text and _BACKSLASH.search(text))
        or ("=" in text and ("=\n" in text or "=3D" in text or "=\r" in text) and _MAILED_SIGNS.search(text))
        or (digits and '"' in text and _JOINED_DOUBLE.search(text))
        or (digits and "'" in text and _JOINED_SINGLE.search(text))
        or ("\x1b" in text and _UNSEEN_CODES.search(text))
        or (not text.isascii() and any(map(text.__contains__, _UNSEEN_CHARACTERS)))
        or ("]" in text and "join" in text and _LISTS.search(text))
    )


def unfolded(text: str, look: Look) -> Iterator[Span]:
    """What is seen once escapes are read, strings that are added are one, and what nobody sees is left out."""
    fold = _FOLD_LISTS if "join" in text and _LISTS.search(text) else _FOLD
    for first, last in _around(text, fold):
        part = text[first:last]
        if not (found := look(fold.sub(_read, part))):
            continue
        origin: list[int] = []
        widths: dict[int, int] = {}
        at = 0
        for match in fold.finditer(part):
            origin += range(at, match.start() + len(_read(match)))
            widths[match.start()] = len(match[0])
            at = match.end()
        origin += range(at, len(part))
        for start, end, kind in found:
            yield first + origin[start], first + origin[end - 1] + widths.get(origin[end - 1], 1), kind


def _around(text: str, fold: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The parts of the text near a fold, of whole lines unless they are very long: the rest reads as it stands."""
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


def _read(fold: re.Match[str]) -> str:
    """The character that is written so, or none where a line or a string goes on."""
    if fold[0][0] not in "\\%":
        return "=" if fold[0] == "=3D" else ""
    return fold[0][-1].strip() if fold[0][-1] in "\n/" else chr(int(fold[0][-2:], 16))


def wrapped(text: str, data: bytes) -> Iterator[Span]:
    """Tokens of vendors that go on in the next line; `data` has one byte for each character."""
    chains = b""
    done = 0
    for wrap in _BREAK.finditer(text):
        chains = chains or data.translate(_AS_CHAINS)
        line_end = wrap.start() - (text[wrap.start() - 1 : wrap.start()] == "\r")
        line_end -= text[line_end - 1 : line_end] == "="
        start = max(chains.rfind(b" ", 0, line_end) + 1, line_end - _MOST)
        stop = chains.find(b" ", wrap.end(), wrap.end() + _SHORTEST)
        stop = wrap.end() + _SHORTEST if stop < 0 else stop
        if start < done or line_end - start + stop - wrap.end() < _SHORTEST or not _MIXED.search(text, start, stop):
            continue
        pieces = _pieces(text, [(start, line_end)], wrap.end())
        joined = "".join(text[first:last] for first, last in pieces)
        if len(pieces) > _FEW_LINES:
            done = pieces[-2][0]  # a block; what begins in these lines is looked for now
        for first, last, kind in rules.vendor_tokens(joined, 0, len(joined)):
            spread = _spread(pieces, first, last)
            if spread and not _was_whole(text, pieces, spread):
                done = max(done, spread[1])
                yield *spread, kind


def _pieces(text: str, pieces: list[tuple[int, int]], at: int) -> list[tuple[int, int]]:
    """The parts of one token: before the line's end, behind it, and in further lines that hold nothing else."""
    while len(pieces) < _MOST_LINES:
        token = _TOKEN.match(text, at, at + _MOST)
        end = token.end() if token else at
        if len(pieces) > 1 and not values.scrambled(text[at:end].rstrip("=.")):
            break
        pieces.append((at, end))
        end += text.startswith("=", end)
        wrap = _WRAP.match(text, end + text.startswith("\r", end))
        if not wrap:
            break
        at = wrap.end()
    return pieces


def _spread(pieces: list[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Where the text has what is found in its pieces, if it's in more than one of them."""
    places: list[tuple[int, int]] = []
    at = 0
    for first, last in pieces:
        begin, stop = max(start, at), min(end, at + last - first)
        if begin < stop:
            places.append((first + begin - at, first + stop - at))
        at += last - first
    return (places[0][0], places[-1][1]) if len(places) > 1 else None


def _was_whole(text: str, pieces: list[tuple[int, int]], spread: tuple[int, int]) -> bool:
    """Whether the first line has a token of its own, and the next one a word."""
    first, second = pieces[0], pieces[1]
    if not any(True for _ in rules.vendor_tokens(text, spread[0], first[1])):
        return False
    return not values.scrambled(text[second[0] : second[1]].rstrip(".,:"))


_WHOLE = frozenset({"private-key", "password", "url-password"})


def continued(text: str, spans: list[Span]) -> list[Span]:
    """The spans, with the rest of a value that was broken at the line's end."""
    grown: list[Span] = []
    for start, end, kind in spans:
        last = end
        while (
            kind not in _WHOLE and (rest := _REST.match(text, last)) and values.scrambled(rest["rest"].rstrip(".="))
        ):
            last = rest.end()
        grown.append((start, last, kind))
    return grown


def base64_end(text: str, start: int, end: int) -> int:
    """Where base64 that begins with the line text[start:end] ends, which may be some lines below."""
    more = _MORE_BASE64.match(text, end) if end - start >= _LINE_OF_BASE64 else None
    return more.end() if more else end


def encoded(text: str, start: int, end: int, look: Look) -> Iterator[Span]:
    """Base64 in text[start:end] of a text with secrets in it."""
    for match in _ENCODED.finditer(text, start, end):
        if look(_decoded(match[0])):
            yield *match.span(), "base64"


def manifest(text: str) -> Iterator[Span]:
    """What a Kubernetes manifest of a secret holds in base64."""
    if not _MANIFEST.search(text):
        return
    for entry in _ENTRY.finditer(text):
        clear = _decoded(entry["value"])
        if len(clear) > 3 and clear.isprintable() and not _PUBLIC.search(entry["name"]) and values.near(clear):  # noqa: PLR2004
            yield *entry.span("value"), "secret"


def _decoded(text: str) -> str:
    text = "".join(text.split())
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        return ""
