"""Tell what holds for one time only from what holds from now on, by the phrases of words.toml."""

from collections.abc import Sequence

from skillopt_sleep.mining.sentences import sentences
from skillopt_sleep.mining.words import is_for_once, is_lasting


def lasting_words(words: str) -> str:
    """Return the words without the sentences that hold for one time only; "" if nothing is left."""
    parts = sentences(words)
    lasting = [part for part in parts if not _holds_once(part)]
    if len(lasting) == len(parts):
        return words
    return "\n".join(lasting)


def all_for_once(quotes: Sequence[str]) -> bool:
    """Tell whether each of these quotes holds for one time only, by its own words."""
    return bool(quotes) and not any(map(lasting_words, quotes))


def _holds_once(sentence: str) -> bool:
    return is_for_once(sentence) and not is_lasting(sentence)
