"""Look up what the person said and what the document contains: a rule may contain anything that is there."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from skillopt_sleep.proposals.guard.seen import plain

_AFTER = re.compile(r"[\w@%-]|[.:]\w")
_AFTER_PACKAGE = re.compile(r"[\w%/-]|[.:]\w")


class Known:
    """The person's words and the document before the edit; each is parsed only when something is looked up."""

    def __init__(self, evidence: Sequence[str], held: str) -> None:
        self._texts = tuple(text for text in (*evidence, held) if text)
        self.held = held

    def names(self, word: str) -> bool:
        """Return whether a text contains the word as a whole, not as a part of a longer one."""
        word = word.casefold()
        return any(_has_whole(word, _folded(text)) for text in self._texts)

    def names_package(self, package: str) -> bool:
        """Return whether a text contains the package as a whole, with or without a version."""
        package = package.casefold()
        return any(_has_whole(package, _folded(text), after=_AFTER_PACKAGE) for text in self._texts)

    def holds(self, piece: str) -> bool:
        """Return whether a text contains these words one after another."""
        wanted = _words(piece)
        if not wanted:
            return False
        return any(wanted in _words(text) for text in self._texts)

    def says(self, command: str, tells: Callable[[str, str], bool]) -> bool:
        """Return whether `tells(command, text)` is true of a text."""
        return any(tells(command, text) for text in self._texts)

    def held_line(self, line: str) -> bool:
        """Return whether the document contained this line, character by character."""
        return bool(line) and line in self.held


@lru_cache(maxsize=64)
def _folded(text: str) -> str:
    return plain(text).casefold()


@lru_cache(maxsize=64)
def _words(text: str) -> str:
    return " ".join(_folded(text).split())


def _has_whole(word: str, text: str, *, after: re.Pattern[str] = _AFTER) -> bool:
    if not word:
        return False
    at = text.find(word)
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        begins = not before.isalnum() and before not in {".", "-", "@"}
        if begins and not after.match(text, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False
