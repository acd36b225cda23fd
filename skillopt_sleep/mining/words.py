"""Recognize how people take back what was done, give thanks or go on, in the languages of words.toml; cut sentences.

Short closed lists find much of what is typed to an agent, and miss irony, hints and other languages. What they miss
is left to behaviour (mining/deeds.py) and to the model miner.
"""

import itertools
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from skillopt_sleep.kit.markdown import visible

_FILE = Path(__file__).with_name("words.toml")
_SMALL_TALK = r"[\s\W]*+(?:(?:<small_talk>)(?!\w)[\s\W]*+)++"
_OPENING = r"\W*(?:(?:<small_talk>|and|und|et|y|e|и)(?!\w)[\s\W]*+){0,6}(?:<openings>)"
_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？]+(?=\s|$)|[.!?](?=\S)[^.!?\n。！？]*|[。！？])*")
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor and screen
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|\Z)"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_MARKERS = re.compile(r"<!--\s*/?\s*(?:skillopt-sleep|slow-update)\b.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
# How a phrase begins: with a word, with the text, or with a sign.
_BEGINNING = re.compile(r"\\b|\^|,|\[[^\]]*\]|")
_CHOICE = re.compile(r"\(\?:([^()\[\\]+)\)(?![?*+{])(.*)")  # of words without patterns in them
_LETTER = re.compile(r"[^\W_](?![?*+{])")


@cache
def _lists() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


@cache
def _listed(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for a text in small letters, in which `<name>` stands for each phrase of that list."""
    return re.compile(_written_out(pattern))


def _written_out(pattern: str) -> str:
    return re.sub(r"<(\w+)>", lambda name: "|".join(_phrases(name[1])), pattern)


def _phrases(name: str) -> list[str]:
    return [_written_out(phrase) for phrase in itertools.chain(*_lists()[name].values())]


@cache
def _searches(name: str) -> tuple[Callable[[str], object], ...]:
    """Return what searches for the phrases of a list: one search for all phrases that begin alike, which is faster.

    Of such phrases, those that go on with the same letter are tried together.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for phrase in _phrases(name):
        beginning = _BEGINNING.findall(phrase)[0]
        for way in _ways(phrase.removeprefix(beginning)):
            letter = way[0] if _LETTER.match(way) else ""
            groups.setdefault(beginning, {}).setdefault(letter, []).append(way.removeprefix(letter))
    searches: list[Callable[[str], object]] = []
    for beginning, by_letter in groups.items():
        ways = [f"{letter}(?:{'|'.join(alike)})" for letter, alike in by_letter.items()]
        searches.append(re.compile(f"{beginning}(?:{'|'.join(ways)})").search)
    return tuple(searches)


def _ways(phrase: str) -> list[str]:
    """Return each way to read a phrase that begins with a choice of words."""
    choice = _CHOICE.fullmatch(phrase)
    if choice is None:
        return [phrase]
    return [word + choice[2] for word in choice[1].split("|")]


def _is_said(name: str, text: str) -> bool:
    plain = _plain(text)
    return any(search(plain) for search in _searches(name))


# Each tells whether the words …
takes_back = partial(_is_said, "corrections")  # take back what was done before, or say that it was wrong
states_rule = partial(_is_said, "rules")  # say how things are done here: never this, always that, X instead of Y
amends = partial(_is_said, "cues")  # speak of the answer before: courtesy, habits, the agent, what is missing
is_lasting = partial(_is_said, "lasting")  # say that something holds from now on
rules_out = partial(_is_said, "negations")  # rule out what their clause names
was_left_out = partial(_is_said, "left_out")  # say that something was left out, or shall not be


def reassures(text: str) -> bool:
    """Tell whether the words take nothing back although they sound so: no worries, not bad."""
    return _listed("<reassuring>").match(_plain(text)) is not None


def opens_request(text: str) -> bool:
    """Tell whether the words begin a request of their own, ask a question, or add to the request before."""
    return _listed(_OPENING).match(_plain(text)) is not None


def is_small_talk(text: str) -> bool:
    """Tell whether the words are nothing but thanks, assent, or a word to go on."""
    return _listed(_SMALL_TALK).fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.strip().replace("’", "'").lower()


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, as they stand in it."""
    stripped = map(str.strip, _SENTENCE.findall(text))
    return list(filter(None, stripped))


def whole_sentences(text: str, part: str) -> str:
    """Return the part of a text with all of the sentences that it stands in.

    A wish must not be cut out of a sentence that denies it.
    """
    start = text.find(part)
    end = start + len(part)
    touched = [match.span() for match in _SENTENCE.finditer(text) if match.start() < end and match.end() > start]
    if start < 0 or not touched:
        return part
    first = touched[0][0]
    last = touched[-1][1]
    return text[min(start, first) : max(end, last)].strip()


def lasting_words(words: str) -> str:
    """Return the words without the sentences that hold for one time only; "" if nothing is left."""
    parts = sentences(words)
    lasting = [part for part in parts if is_lasting(part) or not _is_said("for_once", part)]
    if len(lasting) == len(parts):
        return words
    return "\n".join(lasting)


def all_for_once(quotes: Sequence[str]) -> bool:
    """Tell whether each of these quotes holds for one time only, by its own words."""
    return bool(quotes) and not any(map(lasting_words, quotes))


def clean(text: str) -> str:
    """Return the text without terminal escapes, invisible characters and our own markers."""
    cleaned = _ESCAPES.sub("", text)
    if visible(cleaned) != cleaned:
        cleaned = "".join(char for char in cleaned if visible(char) == char)
    # Removing a marker may put the parts of another one together.
    while (without := _MARKERS.sub("", cleaned)) != cleaned:
        cleaned = without
    return cleaned
