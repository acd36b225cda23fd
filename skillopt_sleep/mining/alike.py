"""Read a text as words that may mean the same in any language people type (alike.toml, meanings.toml)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import OSA

from skillopt_sleep.mining.lexicon import IS_CJK, pairs, stem

LONGEST_PHRASE = 4
SHORTEST_MISSPELT = 6

_FILE = Path(__file__).with_name("alike.toml")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)?|[\^~]")
_ELIDED = re.compile(r"^(?:[ldnmtscj]|qu)'(?=\w)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Piece(NamedTuple):
    """A word or a listed phrase: as it is written, what it may mean, and whether by itself it demands nothing."""

    word: str
    means: frozenset[str] = frozenset()
    neutral: bool = False


class Lists(NamedTuple):
    """The listed phrases: what each may mean, which by themselves demand nothing, and which meanings are ordinary.

    `unspaced` are those in writing without spaces, the longest first; `by_letter` the single words by first letter.
    """

    means: dict[str, frozenset[str]]
    neutral: frozenset[str]
    mild: frozenset[str]
    unspaced: tuple[str, ...]
    by_letter: dict[str, list[str]]


@cache
def lists() -> Lists:
    """Return the lists of both files, read once."""
    alike = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    meanings = tomllib.loads(_FILE.with_name("meanings.toml").read_text(encoding="utf-8"))["meanings"]
    means: dict[str, set[str]] = {}
    for name, text in alike["alike"].items():
        _enter(means, name, text)
    for name, text in meanings.items():
        _enter(means, f"={name}", text)
    neutral: set[str] = set()
    for text in alike["neutral"].values():
        neutral.update(_phrases(text))
    unspaced = {phrase for phrase in (*means, *neutral) if IS_CJK.search(phrase)}
    return Lists(
        means={phrase: frozenset(names) for phrase, names in means.items()},
        neutral=frozenset(neutral),
        mild=frozenset(_phrases(alike["mild"])),
        unspaced=tuple(sorted(unspaced, key=len, reverse=True)),
        by_letter=_words_by_letter(means),
    )


def plain(text: str) -> str:
    """Return the text as its words are compared: each character in one form, no capitals, camelCase split."""
    return _CAMEL.sub(" ", unicodedata.normalize("NFKC", text).replace("’", "'")).casefold()


def words_of(text: str) -> list[str]:
    """Return the words of a plain text; writing without spaces stays whole."""
    return _TOKEN.findall(text)


def pieces(text: str) -> Iterator[Piece]:
    """Yield the text as listed phrases (the longest first) and single words."""
    words = words_of(plain(text))
    at = 0
    while at < len(words):
        if IS_CJK.match(words[at]):
            yield from _cut(words[at])
            at += 1
            continue
        piece = _longest_piece(words[at : at + LONGEST_PHRASE])
        yield piece
        at += len(piece.word.split())


def meanings_in(text: str) -> frozenset[str]:
    """Return every listed meaning that a plain text may speak of, in any language; one wrong letter is forgiven."""
    known = lists()
    words = words_of(text)
    found: set[str] = set()
    for phrase in known.unspaced:
        if phrase in text:
            found |= known.means.get(phrase, frozenset())
    for at, word in enumerate(words):
        for length in range(1, LONGEST_PHRASE + 1):
            found |= _piece(words[at : at + length]).means
        found |= _meanings_of_misspelt(word)
    return frozenset(found)


def _longest_piece(words: Sequence[str]) -> Piece:
    """Return the longest listed phrase that the words begin with, or else the first word."""
    for length in range(len(words), 1, -1):
        piece = _piece(words[:length])
        if piece.means or piece.neutral:
            return piece
    return _piece(words[:1])


def _piece(words: Sequence[str]) -> Piece:
    known = lists()
    phrase = " ".join(words)
    bare = " ".join(_ELIDED.sub("", word) for word in words)
    nothing = frozenset[str]()
    means = known.means.get(bare, nothing) | known.means.get(_stemmed(bare), nothing)
    return Piece(phrase, means, phrase in known.neutral or bare in known.neutral)


def _cut(run: str) -> Iterator[Piece]:
    """Cut writing without spaces into listed phrases, and into pairs of characters between them."""
    known = lists()
    start = at = 0
    while at < len(run):
        phrase = next((phrase for phrase in known.unspaced if run.startswith(phrase, at)), "")
        if not phrase:
            at += 1
            continue
        yield from map(Piece, pairs(run[start:at]))
        yield Piece(phrase, known.means.get(phrase, frozenset()), phrase in known.neutral)
        at += len(phrase)
        start = at
    yield from map(Piece, pairs(run[start:]))


def _meanings_of_misspelt(word: str) -> frozenset[str]:
    """Return the meanings of the listed words that differ from an unlisted one by a letter."""
    known = lists()
    if len(word) < SHORTEST_MISSPELT or not word.isalpha():
        return frozenset()
    if word in known.means or stem(word) in known.means:
        return frozenset()
    found: set[str] = set()
    for listed in known.by_letter.get(word[0], ()):
        if abs(len(listed) - len(word)) <= 1 and OSA.distance(word, listed, score_cutoff=1) <= 1:
            found |= known.means[listed]
    return frozenset(found)


def _words_by_letter(phrases: Iterable[str]) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for phrase in phrases:
        if " " not in phrase:
            words.setdefault(phrase[0], []).append(phrase)
    return words


def _enter(means: dict[str, set[str]], name: str, phrases: str) -> None:
    for phrase in _phrases(phrases):
        means.setdefault(phrase, set()).add(name)
        means.setdefault(_stemmed(phrase), set()).add(name)


def _phrases(text: str) -> Iterator[str]:
    for part in text.split(","):
        phrase = " ".join(part.casefold().replace("-", " ").split())
        if phrase:
            yield phrase


def _stemmed(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.split())
