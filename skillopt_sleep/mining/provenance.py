"""Tell the words that a person wrote in a session from everybody else's."""

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.mining.requests import own_turn, pasted_words
from skillopt_sleep.records import Deed, Evidence, Origin, Session

COPIED_WORDS = 3
STEM = 6  # letters that an inflected word keeps
MOSTLY = 2 / 3  # of a sentence's words

_WORD = re.compile(r"\w+")
_SPOKEN = re.compile(r"[^\W\u2e80-\ud7ff]{2,}|[\u2e80-\ud7ff]")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")  # such as read-only
_NAMED = re.compile(
    r"`[^`\n]+`|https?://\S+|\S*[\w]/[\w]\S*"  # quoted, addresses, paths
    r"|\w+(?:[-.]\w+)+"  # hyphened and dotted words
    r"|(?<!\w)--?[A-Za-z][\w-]+"  # flags
    r"|\b\w*(?:\d[A-Za-z_-]|[A-Za-z_-]\d|\w_\w)\w*\b|\b[a-z]\w*[A-Z]\w*|\d+"  # identifiers, numbers
)


class Authors(NamedTuple):
    """All that the person wrote in a session, also as a command, and all that anybody else did."""

    own: str
    foreign: str


def authors(session: Session, *, corrected: Collection[int] = ()) -> Authors:
    """Return the texts of a session by who wrote them, without what the agent says right after `corrected` turns."""
    own = [own_turn(session, index) for index in range(len(session.turns))]
    own += [command.text for command in session.commands]
    foreign = [event.brief for event in session.tools]
    typed = -1
    for index, turn in enumerate(session.turns):
        if turn.origin is Origin.USER:
            typed = index
            foreign.append(pasted_words(turn.text, turn.pasted))
        elif typed not in corrected:
            foreign.append(turn.text)
    return Authors("\n".join(own), "\n".join(foreign))


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


def is_theirs(sentence: str, *, own: str, work: str, foreign: str) -> bool:
    """Tell whether a lesson's sentence may stand for what the person said or did.

    Each name in it must be theirs or of the `work` that they corrected, and no run of three words somebody else's.
    """
    known = f"{own}\n{work}".casefold()
    for match in _NAMED.finditer(sentence):
        name = match[0].strip("`").rstrip(".,;:!?").casefold()
        if name not in known and not _HYPHENED.fullmatch(name):
            return False
    return bool(sentence) and not is_copied(sentence, own=own, foreign=foreign)


def is_said(sentence: str, said: str) -> bool:
    """Tell whether most of a sentence's words are in what was said; in another language they aren't."""
    words, others = ({word[:STEM] for word in _SPOKEN.findall(text.casefold())} for text in (sentence, said))
    return len(words & others) >= MOSTLY * len(words)


def is_copied(text: str, *, own: str, foreign: str) -> bool:
    """Tell whether a run of three words comes from foreign text and not from the person's."""
    return not _runs(text.casefold()).isdisjoint(_runs(foreign.casefold()) - _runs(own.casefold()))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return {tuple(words[at : at + COPIED_WORDS]) for at in range(len(words) - COPIED_WORDS + 1)}
