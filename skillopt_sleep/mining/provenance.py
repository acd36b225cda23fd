"""Tell the words that a person wrote in a session from everybody else's."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.mining.requests import pasted_words
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.records import Deed, Evidence, Origin, Session, Turn

COPIED_WORDS = 3
STEM = 6

_WORD = re.compile(r"\w+")
_LONG_WORD = re.compile(r"[^\W\u2e80-\ud7ff]{4,}")  # shorter ones are in any sentence
_PAIR = re.compile(r"(?=([\u2e80-\ud7ff]{2}))")
_SPOKEN = re.compile(r"[^\W\u2e80-\ud7ff]{2,}|[\u2e80-\ud7ff]")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")  # such as read-only
_NAMED = re.compile(
    r"`[^`\n]+`|https?://\S+|\S*[\w]/[\w]\S*"  # quoted, addresses, paths
    r"|\w+(?:[-.]\w+)+"  # hyphened and dotted words
    r"|(?<!\w)--?[A-Za-z][\w-]+|\b\w*(?:\d[A-Za-z_-]|[A-Za-z_-]\d|[a-z][A-Z]|\w_\w)\w*\b"  # flags, identifiers
    r"|\d+"
)


class Authors(NamedTuple):
    """All that the person wrote in a session, also as a command, and all that anybody else did."""

    own: str
    foreign: str


def authors(session: Session) -> Authors:
    """Return the texts of a session by who wrote them."""
    own: list[str] = []
    foreign: list[str] = []
    for index, turn in enumerate(session.turns):
        own.append(own_turn(session, index))
        foreign.append(_foreign_words(turn))
    own += [command.text for command in session.commands]
    foreign += [event.brief for event in session.tools]
    return Authors("\n".join(own), "\n".join(foreign))


def _foreign_words(turn: Turn) -> str:
    if turn.origin is Origin.USER:
        return pasted_words(turn.text, turn.pasted)
    return turn.text


def own_turn(session: Session, turn: int) -> str:
    """Return the person's own words in a turn, or "" if they typed nothing there."""
    if not 0 <= turn < len(session.turns) or session.turns[turn].origin is not Origin.USER:
        return ""
    said = session.turns[turn]
    return own_words(said.text, said.pasted)


def said_at(session: Session, turn: int) -> datetime:
    """Return when a turn was written, or when its session began if that isn't known."""
    if not 0 <= turn < len(session.turns):
        return session.started
    return session.turns[turn].at or session.started


def quote_of_command(deed: Deed, session: Session) -> Evidence:
    """Return the command of a deed as words that the person typed."""
    at = deed.at or said_at(session, deed.turn)
    return Evidence(session=session.id, turn=deed.turn, quote=deed.what, at=at, deed=deed.kind)


def quotes_of(evidence: Iterable[Evidence]) -> list[str]:
    """Return the words that the pieces of evidence quote."""
    return [piece.quote for piece in evidence]


def is_theirs(sentence: str, *, own: str, foreign: str) -> bool:
    """Tell whether a lesson's sentence may stand for what the person said or did.

    Each name in it must be theirs, no run of three words may be somebody else's, and with no paragraph of somebody
    else may it have more words in common than with all of theirs.
    """
    own = own.casefold()
    foreign = foreign.casefold()
    if not sentence or is_copied(sentence, own=own, foreign=foreign):
        return False
    for match in _NAMED.finditer(sentence):
        if match[0].strip("`").casefold() not in own and not _HYPHENED.fullmatch(match[0]):
            return False
    words = _content(sentence.casefold())
    shared = len(words & _content(own))
    return all(len(words & _content(other)) <= shared for other in foreign.splitlines())


def is_said(sentence: str, said: str) -> bool:
    """Tell whether at least half of a sentence's words are in what was said; in another language they aren't."""
    words, others = ({word[:STEM] for word in _SPOKEN.findall(text.casefold())} for text in (sentence, said))
    return 2 * len(words & others) >= len(words)


def is_copied(text: str, *, own: str, foreign: str) -> bool:
    """Tell whether a named thing or a run of three words comes from foreign text and not from the person's."""
    own = own.casefold()
    foreign = foreign.casefold()
    for match in _NAMED.finditer(text):
        name = match[0].strip("`").casefold()
        if name in foreign and name not in own:
            return True
    runs = _runs(text.casefold())
    return not runs.isdisjoint(_runs(foreign) - _runs(own))


def _content(text: str) -> set[str]:
    """Return the beginnings of a text's longer words, and each two characters of a script without blanks."""
    return {word[:STEM] for word in _LONG_WORD.findall(text)} | set(_PAIR.findall(text))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return {tuple(words[at : at + COPIED_WORDS]) for at in range(len(words) - COPIED_WORDS + 1)}
