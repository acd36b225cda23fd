"""The words that the guard knows: words.toml."""

import re
import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("words.toml")


def words(name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(_lists()[name].split())


def phrases(name: str) -> str:
    """The phrases of one list, as a regular expression that takes the longest first."""
    listed = [" ".join(phrase.split()) for phrase in _lists()[name].split("|")]
    return "|".join(re.escape(phrase) for phrase in sorted(listed, key=len, reverse=True))


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
