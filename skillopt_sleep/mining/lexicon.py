"""Read a text as the listed words of meanings.toml, names of things, other words, and breaks between clauses."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
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
    """The meaning of a listed phrase: its role and, if it means something, a key with a sign and a weight."""

    role: str
    key: str = ""
    sign: int = 1
    weight: float = 0.0


class Word(NamedTuple):
    """A listed phrase or a single word of a text; `code` if it is the name of a thing rather than a word."""

    text: str
    entry: Entry | None
    code: bool = False


class _Token(NamedTuple):
    """A token in lower case; `code` if it is the name of a thing."""

    text: str
    code: bool = False


def read_words(text: str) -> Iterator[Word]:
    """Yield the text's listed phrases (the longest first), single words, and breaks between clauses."""
    plain = unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).replace("’", "'")
    tokens = [token for token in _tokens(plain) if token.text]  # what is quoted may be blank
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if _BREAK.fullmatch(token.text):
            yield Word(token.text, Entry("break"))
            at += 1
            continue
        longest = min(LONGEST_PHRASE, len(tokens) - at) if stem(token.text) in _beginnings() else 1
        for length in range(longest, 0, -1):
            words = tokens[at : at + length]
            entry = _entry_of(words)
            if entry:
                yield Word(" ".join(word.text for word in words), entry)
                at += length
                break
        else:
            yield Word(token.text, None, code=token.code)
            at += 1


def _entry_of(tokens: Sequence[_Token]) -> Entry | None:
    """Return the entry of a phrase; a thing's name may be listed without its ending, and must mean something."""
    listed = _listed()
    if len(tokens) > 1 or not tokens[0].code:
        phrase = " ".join(token.text for token in tokens)
        return listed.get(phrase) or _listed_stems().get(_stemmed(phrase))
    name = tokens[0].text
    entry = listed.get(name) or listed.get(name.rsplit(".", 1)[0])
    return entry if entry and entry.key else None


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        token = match[0]
        if IS_CJK.match(token):
            for part in _cut(token):
                yield _Token(part)
        elif _BREAK.fullmatch(token):
            yield _Token(token)
        elif token[0] in '`"“«「':
            yield _Token(token[1:-1].strip().casefold(), code=True)
        elif token.startswith("--"):
            yield _Token(token[2:].casefold(), code=True)
        else:
            yield from _word_tokens(token)


def _word_tokens(token: str) -> Iterator[_Token]:
    """Yield a word or a name, or the words that only a hyphen joins."""
    listed = _listed()
    folded = token.casefold()
    if folded not in listed and folded not in _parts_of_phrases():
        folded = _ELIDED.sub("", _CAMEL.sub("_", token).casefold().removesuffix("'s"))
    if folded not in listed and "-" in folded.strip("-") and not _CODE.search(folded):
        for part in folded.replace("-", " ").split():
            yield _Token(part)
        return
    is_code = _CAMEL.search(token) or _CODE.search(folded)
    yield _Token(folded, code=bool(is_code) and not folded.isdigit())


def _cut(run: str) -> Iterator[str]:
    """Cut writing without spaces into listed words, and into pairs of characters between them."""
    start = at = 0
    while at < len(run):
        length = _listed_length(run, at)
        if not length:
            at += 1
            continue
        yield from pairs(run[start:at])
        yield run[at : at + length]
        at += length
        start = at
    yield from pairs(run[start:])


def _listed_length(run: str, at: int) -> int:
    """Return the length of the longest listed word that begins there, or 0."""
    listed = _listed()
    for length in range(min(LONGEST_CJK, len(run) - at), 0, -1):
        if run[at : at + length] in listed:
            return length
    return 0


def pairs(run: str) -> Iterator[str]:
    """Yield the pairs of neighbouring characters; a lone character by itself."""
    if len(run) == 1:
        yield run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Return the word without its commonest endings."""
    if not word.isascii():
        return re.sub(r"(?<=\w{4})[аеиоуыэюяйьéáàíóús]{1,2}$", "", word)
    word = _without_ending(word, ("s",))
    word = _without_ending(word, ("ation", "ate", "ing", "ed", "e", "a", "o"))
    has_double_end = len(word) > SHORTEST_ROOT and word[-1] == word[-2]
    if has_double_end and word[-1] not in "aeiouls":
        return word[:-1]
    return word


def _without_ending(word: str, endings: Sequence[str]) -> str:
    if word.endswith("ss"):
        return word
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_ROOT:
            return word[: -len(ending)]
    return word


@cache
def _listed() -> dict[str, Entry]:
    """Return every listed phrase; if one has several entries, the first counts."""
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    listed: dict[str, Entry] = {}
    for name, ends in lists["scales"].items():
        _enter(listed, ends["more"], Entry("scale", f"~{name}", 1, SCALE))
        _enter(listed, ends["less"], Entry("scale", f"~{name}", -1, SCALE))
    for name, phrases in lists["meanings"].items():
        _enter(listed, phrases, Entry("meaning", f"={name}", 1, MEANING))
    for name, phrases in lists["acts"].items():
        _enter(listed, phrases, Entry("act", f"={name}", 1, ACT))
    soft_words = lists["roles"].pop("soft")
    for role, phrases in lists["roles"].items():
        _enter(listed, phrases, Entry(role))
    soft = {phrase: Entry("soft", stem(phrase), 1, SOFT) for phrase in _phrases(soft_words)}
    # In this order: of two phrases with one stem the later counts.
    return {**soft, **listed}


@cache
def _listed_stems() -> dict[str, Entry]:
    """Return the phrases that mean something, with their words stemmed."""
    stems: dict[str, Entry] = {}
    for phrase, entry in _listed().items():
        stemmed = _stemmed(phrase)
        if entry.key and len(stemmed) >= SHORTEST_STEM:
            stems[stemmed] = entry
    return stems


@cache
def _beginnings() -> frozenset[str]:
    """Return the stems that a listed phrase of several words may begin with."""
    return frozenset(stem(phrase.split()[0]) for phrase in _listed() if " " in phrase)


@cache
def _parts_of_phrases() -> frozenset[str]:
    parts: set[str] = set()
    for phrase in _listed():
        if " " in phrase:
            parts.update(phrase.split())
    return frozenset(parts)


def _enter(listed: dict[str, Entry], phrases: str, entry: Entry) -> None:
    for phrase in _phrases(phrases):
        listed.setdefault(phrase, entry)


def _phrases(text: str) -> Iterator[str]:
    """Yield the phrases of a list with commas, those with a hyphen also as separate words."""
    for part in text.split(","):
        phrase = " ".join(part.casefold().split())
        if phrase:
            yield phrase
            if "-" in phrase.strip("-"):
                yield phrase.replace("-", " ")


def _stemmed(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.split())
