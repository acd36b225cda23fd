"""What the person said and what the document held before: the very thing that stands there may stand in a rule."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from skillopt_sleep.proposals.guard.seen import plain

_AFTER = re.compile(r"[\w@%-]|[.:]\w")
_AFTER_PACKAGE = re.compile(r"[\w%/-]|[.:]\w")


class Known:
    """The person's words and the text of before; each is looked at only when something is to be found there."""

    def __init__(self, evidence: Sequence[str], held: str) -> None:
        self._texts = tuple(text for text in (*evidence, held) if text)
        self.held = held

    def names(self, word: str) -> bool:
        """Whether it stands there as a whole, not as the begin or end of something longer."""
        return any(_stands_in(word.casefold(), _folded(text)) for text in self._texts)

    def names_package(self, package: str) -> bool:
        """Whether it stands there as a whole, with a version or without."""
        return any(_stands_in(package.casefold(), _folded(text), after=_AFTER_PACKAGE) for text in self._texts)

    def holds(self, piece: str) -> bool:
        """Whether these words stand there one after another."""
        wanted = _words(piece)
        return bool(wanted) and any(wanted in _words(text) for text in self._texts)

    def says(self, command: str, *, told: Callable[[str, str], bool]) -> bool:
        """Whether one of the texts tells the agent to run this command; `told` says so of a text."""
        return any(told(command, text) for text in self._texts)

    def held_line(self, line: str) -> bool:
        """Whether the document held the line, with every character of it."""
        return bool(line) and line in self.held


@lru_cache(maxsize=64)
def _folded(text: str) -> str:
    return plain(text).casefold()


@lru_cache(maxsize=64)
def _words(text: str) -> str:
    return " ".join(_folded(text).split())


def _stands_in(word: str, text: str, *, after: re.Pattern[str] = _AFTER) -> bool:
    at = text.find(word) if word else -1
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        if not (before.isalnum() or before in {".", "-", "@"}) and not after.match(text, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False
