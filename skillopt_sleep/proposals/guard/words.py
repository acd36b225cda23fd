"""Read the guard's lists of words from words.toml."""

import re
import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("words.toml")


def words(name: str) -> frozenset[str]:
    """Return the words of one list."""
    return frozenset(_lists()[name].split())


def phrases(name: str) -> str:
    """Return the phrases of one list as a regular expression that tries the longest first."""
    normalized = [" ".join(phrase.split()) for phrase in _lists()[name].split("|")]
    normalized.sort(key=len, reverse=True)
    return "|".join(map(re.escape, normalized))


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
