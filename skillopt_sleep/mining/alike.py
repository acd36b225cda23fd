"""Words that mean the same in any language people type (alike.toml, meanings.toml), and a text read as such words."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import OSA

from skillopt_sleep.mining.lexicon import IS_CJK, stem

LONGEST_PHRASE = 4
SHORTEST_MISSPELT = 6

_FILE = Path(__file__).with_name("alike.toml")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)?|[\^~]")
_ELIDED = re.compile(r"^(?:[ldnmtscj]|qu)'(?=\w)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Piece(NamedTuple):
    """A word or a listed phrase: as it is written, what it may mean, and whether it demands nothing of its own."""

    word: str
    means: frozenset[str] = frozenset()
    neutral: bool = False


class Lists(NamedTuple):
    """The listed phrases: what each may mean, which demand nothing, and which meanings a demand may add."""

    means: dict[str, frozenset[str]]
    neutral: frozenset[str]
    mild: frozenset[str]
    unspaced: tuple[str, ...]
    by_letter: dict[str, tuple[str, ...]]


@cache
def lists() -> Lists:
    """Both files, read once."""
    ours = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    theirs = tomllib.loads(_FILE.with_name("meanings.toml").read_text(encoding="utf-8"))["meanings"]
    neutral = {phrase for text in ours["neutral"].values() for phrase in _phrases(text)}
    means: dict[str, set[str]] = {}
    for name, text in (*ours["alike"].items(), *((f"={name}", text) for name, text in theirs.items())):
        for phrase in _phrases(text):
            for one in {phrase, _stemmed(phrase)}:
                means.setdefault(one, set()).add(name)
    unspaced = {phrase for phrase in (*means, *neutral) if IS_CJK.search(phrase)}
    by_letter: dict[str, list[str]] = {}
    for phrase in means:
        if " " not in phrase:
            by_letter.setdefault(phrase[0], []).append(phrase)
    return Lists(
        {phrase: frozenset(names) for phrase, names in means.items()},
        frozenset(neutral),
        frozenset(_phrases(ours["mild"])),
        tuple(sorted(unspaced, key=len, reverse=True)),
        {letter: tuple(some) for letter, some in by_letter.items()},
    )


def plain(text: str) -> str:
    """The text as its words are compared: one form of each character, no capitals, joined words parted."""
    return _CAMEL.sub(" ", unicodedata.normalize("NFKC", text).replace("’", "'")).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text made plain; writing without spaces stays whole."""
    return _TOKEN.findall(text)


def pieces(text: str) -> Iterator[Piece]:
    """The text as listed phrases, the longest first, and single words."""
    words = words_of(plain(text))
    at = 0
    while at < len(words):
        if IS_CJK.match(words[at]):
            yield from _cut(words[at])
            at += 1
            continue
        longest = min(LONGEST_PHRASE, len(words) - at)
        found = next(
            piece
            for length in range(longest, 0, -1)
            if (piece := _piece(words[at : at + length])).means or piece.neutral or length == 1
        )
        yield found
        at += len(found.word.split())


def meanings_in(text: str) -> frozenset[str]:
    """Everything that a text made plain may speak of, in whatever language; a word misspelt by a letter counts."""
    known, words = lists(), words_of(text)
    found = {name for phrase in known.unspaced if phrase in text for name in known.means.get(phrase, ())}
    for at, word in enumerate(words):
        for length in range(1, LONGEST_PHRASE + 1):
            found |= _piece(words[at : at + length]).means
        found |= _of_misspelt(word)
    return frozenset(found)


def _piece(words: Sequence[str]) -> Piece:
    known = lists()
    phrase = " ".join(words)
    bare = " ".join(_ELIDED.sub("", word) for word in words)
    none = frozenset[str]()
    means = known.means.get(bare, none) | known.means.get(_stemmed(bare), none)
    return Piece(phrase, means, phrase in known.neutral or bare in known.neutral)


def _cut(run: str) -> Iterator[Piece]:
    """Writing without spaces, as listed phrases where there are any, else as pairs of characters."""
    known = lists()
    at = start = 0
    while at < len(run):
        phrase = next((phrase for phrase in known.unspaced if run.startswith(phrase, at)), "")
        if phrase:
            yield from _pairs(run[start:at])
            yield Piece(phrase, known.means.get(phrase, frozenset()), phrase in known.neutral)
            start = at = at + len(phrase)
        else:
            at += 1
    yield from _pairs(run[start:])


def _pairs(run: str) -> Iterator[Piece]:
    yield from (Piece(run[at : at + 2]) for at in range(max(len(run) - 1, 1)) if run)


def _of_misspelt(word: str) -> frozenset[str]:
    known = lists()
    if len(word) < SHORTEST_MISSPELT or not word.isalpha() or word in known.means or stem(word) in known.means:
        return frozenset()
    near = (one for one in known.by_letter.get(word[0], ()) if abs(len(one) - len(word)) <= 1)
    return frozenset(
        name for one in near if OSA.distance(word, one, score_cutoff=1) <= 1 for name in known.means[one]
    )


def _phrases(text: str) -> Iterator[str]:
    for part in text.split(","):
        if phrase := " ".join(part.casefold().replace("-", " ").split()):
            yield phrase


def _stemmed(phrase: str) -> str:
    return " ".join(stem(word) for word in phrase.split())
