"""Recognize how people take back what was done, give thanks or go on, in the languages of words.toml.

Short closed lists find much of what is typed to an agent, and miss irony, hints and other languages. What they miss
is left to behaviour (mining/deeds.py) and to the model miner.
"""

import itertools
import re
import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("words.toml")


def languages() -> tuple[str, ...]:
    """Return the languages whose words are known."""
    return tuple(_lists()["corrections"])


def takes_back(text: str) -> bool:
    """Tell whether the words take back what was done before, or say that it was wrong."""
    return _pattern("corrections").search(_plain(text)) is not None


def states_rule(text: str) -> bool:
    """Tell whether the words say how things are done here: never this, always that, X instead of Y."""
    return _pattern("rules").search(_plain(text)) is not None


def amends(text: str) -> bool:
    """Tell whether short words speak of the answer before: courtesy, habits, the agent, what is missing."""
    return _pattern("cues").search(_plain(text)) is not None


def reassures(text: str) -> bool:
    """Tell whether the words take nothing back although they sound so: no worries, not bad."""
    return _pattern("reassuring").match(_plain(text)) is not None


def opens_request(text: str) -> bool:
    """Tell whether the words begin a request of their own, ask a question, or add to the request before."""
    return _openings().match(_plain(text)) is not None


def is_small_talk(text: str) -> bool:
    """Tell whether the words are nothing but thanks, assent, or a word to go on."""
    return _small_talk().fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.strip().replace("’", "'")


@cache
def _lists() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_any_of(name), re.IGNORECASE)


@cache
def _openings() -> re.Pattern[str]:
    polite = rf"(?:(?:{_any_of('small_talk')}|and|und|et|y|e|и)(?!\w)[\s\W]*+){{0,6}}"
    return re.compile(rf"\W*{polite}(?:{_any_of('openings')})", re.IGNORECASE)


@cache
def _small_talk() -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{_any_of('small_talk')})(?!\w)[\s\W]*+)++", re.IGNORECASE)


def _any_of(name: str) -> str:
    patterns = itertools.chain.from_iterable(_lists()[name].values())
    return "|".join(patterns)
