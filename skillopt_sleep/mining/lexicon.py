"""The listed words of meanings.toml, and a text read as such words, names of things, other words and breaks."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

SCALE = 1.6
MEANING = 1.3
ACT = 1.0
SOFT = 0.4
LONGEST_PHRASE = 4
LONGEST_CJK = 8
LONGEST_TEXT = 1_500
SHORTEST_STEM = 4
SHORTEST_ROOT = 3

_FILE = Path(__file__).with_name("meanings.toml")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々"
_TOKEN = re.compile(
    r"`[^`\n]{1,60}`|\"[^\"\n]{1,40}\"|“[^”\n]{1,40}”|«[^»\n]{1,40}»|「[^」\n]{1,40}」"
    rf"|(?<![^\W{_CJK}])--?[a-zA-Z][\w-]*"
    rf"|[{_CJK}]+"
    rf"|(?<![^\W{_CJK}])\.?[^\W{_CJK}]+(?:['./:+#@-][^\W{_CJK}]+)*(?:\+\+|#(?!\w))?"
    r"|(?:[.,;!?()\n—–。，、！？；：]|:(?!\w))+|\s-\s"
)
_BREAK = re.compile(r"[.,;:!?()\n—–。，、！？；：]+|\s-\s")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CODE = re.compile(r"[._/\\:@#+]|^-|\d[^\W\d]|[^\W\d]\d")
_ELIDED = re.compile(r"^(?:[ldnmtscj]|qu)'(?=\w)")
IS_CJK = re.compile(rf"[{_CJK}]")


class Entry(NamedTuple):
    """What a listed phrase is: a role, or a key with its sign and weight."""

    role: str
    key: str = ""
    sign: int = 1
    weight: float = 0.0


class Word(NamedTuple):
    """A listed phrase or a single word of a text; `code` is a name of something rather than a word."""

    text: str
    entry: Entry | None
    code: bool = False


def read_words(text: str) -> Iterator[Word]:
    """The text as listed phrases, the longest first, single words, and breaks between clauses."""
    tokens = list(_tokens(unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).replace("’", "'")))
    listed = _listed()
    at = 0
    while at < len(tokens):
        token, code = tokens[at]
        if _BREAK.fullmatch(token):
            yield Word(token, Entry("break"))
            at += 1
            continue
        longest = min(LONGEST_PHRASE, len(tokens) - at) if stem(token) in _beginnings() else 1
        for length in range(longest, 0, -1):
            phrase = " ".join(part for part, _ in tokens[at : at + length])
            entry = listed.get(phrase) or (None if code and length == 1 else _listed_stems().get(_stemmed(phrase)))
            if not entry and code and length == 1:
                entry = listed.get(token.rsplit(".", 1)[0])
            if entry and code and length == 1 and not entry.key:
                continue
            if entry:
                yield Word(phrase, entry)
                at += length
                break
        else:
            yield Word(token, None, code=code)
            at += 1


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words in lower case, and whether each is a name of something."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if IS_CJK.match(token):
            yield from ((part, False) for part in _cut(token))
        elif _BREAK.fullmatch(token):
            yield token, False
        elif token[0] in '`"“«「':
            yield token[1:-1].strip().casefold(), True
        elif token.startswith("--"):
            yield token[2:].casefold(), True
        else:
            folded = token.casefold()
            if folded not in _listed() and folded not in _parts_of_phrases():
                folded = _ELIDED.sub("", _CAMEL.sub("_", token).casefold().removesuffix("'s"))
            # A hyphen alone is a way of writing two words.
            plain = folded.replace("-", " ")
            if folded not in _listed() and "-" in folded.strip("-") and not _CODE.search(folded):
                yield from ((part, False) for part in plain.split())
            else:
                yield folded, bool(_CAMEL.search(token) or _CODE.search(folded)) and not folded.isdigit()


def _cut(run: str) -> Iterator[str]:
    """Writing without spaces, as listed words where there are any, else as pairs of characters."""
    listed = _listed()
    at = start = 0
    while at < len(run):
        length = next(
            (size for size in range(min(LONGEST_CJK, len(run) - at), 0, -1) if run[at : at + size] in listed), 0
        )
        if length:
            yield from _pairs(run[start:at])
            yield run[at : at + length]
            start = at = at + length
        else:
            at += 1
    yield from _pairs(run[start:])


def _pairs(run: str) -> Iterator[str]:
    yield from (run[i : i + 2] for i in range(max(len(run) - 1, 1)) if run)


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """The word without its commonest endings."""
    if not word.isascii():
        return re.sub(r"(?<=\w{4})[аеиоуыэюяйьéáàíóús]{1,2}$", "", word)
    for endings in (("s",), ("ation", "ate", "ing", "ed", "e", "a", "o")):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_ROOT and not word.endswith("ss"):
                word = word[: -len(ending)]
                break
    return word[:-1] if len(word) > SHORTEST_ROOT and word[-1] == word[-2] and word[-1] not in "aeiouls" else word


@cache
def _listed() -> dict[str, Entry]:
    """Every listed phrase; of several entries of one phrase the first counts."""
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    found: dict[str, Entry] = {}
    for name, ends in lists["scales"].items():
        for end, sign in (("more", 1), ("less", -1)):
            _enter(found, ends[end], Entry("scale", f"~{name}", sign, SCALE))
    for name, phrases in lists["meanings"].items():
        _enter(found, phrases, Entry("meaning", f"={name}", 1, MEANING))
    for name, phrases in lists["acts"].items():
        _enter(found, phrases, Entry("act", f"={name}", 1, ACT))
    soft_words = lists["roles"].pop("soft")
    for role, phrases in lists["roles"].items():
        _enter(found, phrases, Entry(role))
    soft = {phrase: Entry("soft", stem(phrase), 1, SOFT) for phrase in _phrases(soft_words)}
    return {**soft, **found}


@cache
def _listed_stems() -> dict[str, Entry]:
    """The phrases that mean something, with their words stemmed."""
    stems = ((_stemmed(phrase), entry) for phrase, entry in _listed().items() if entry.key)
    return {phrase: entry for phrase, entry in stems if len(phrase) >= SHORTEST_STEM}


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(stem(phrase.split()[0]) for phrase in _listed() if " " in phrase)


@cache
def _parts_of_phrases() -> frozenset[str]:
    return frozenset(word for phrase in _listed() if " " in phrase for word in phrase.split())


def _enter(found: dict[str, Entry], phrases: str, entry: Entry) -> None:
    for phrase in _phrases(phrases):
        found.setdefault(phrase, entry)


def _phrases(text: str) -> Iterator[str]:
    for part in text.split(","):
        phrase = " ".join(part.casefold().split())
        if phrase:
            yield phrase
            if "-" in phrase.strip("-"):
                yield phrase.replace("-", " ")


def _stemmed(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.split())
