"""Lesson: what a person wants from now on, what shows it, and what became of it."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

from skillopt_sleep.records.record import Record

LONG_AGO = datetime.min.replace(tzinfo=UTC)  # for what has no time


class DeedKind(StrEnum):
    """What a person did that tells what they wanted."""

    REJECTED = "rejected"
    STOPPED = "stopped"
    RAN = "ran"
    UNDONE = "undone"
    EDITED = "edited"
    ASKED_AGAIN = "asked_again"
    CHECKED = "checked"


# Behind "you", "they" or "the person".
DONE = {
    DeedKind.REJECTED: "rejected a call",
    DeedKind.STOPPED: "stopped the agent",
    DeedKind.RAN: "ran a command",
    DeedKind.UNDONE: "undid a change",
    DeedKind.EDITED: "changed a file",
    DeedKind.ASKED_AGAIN: "asked again",
    DeedKind.CHECKED: "checked the work",
}


class Evidence(Record, frozen=True, kw_only=True):
    """The user's words behind a lesson: the session, the index of the turn, the quoted span, when it was said.

    `deed` is what they did if they said nothing: the quote is then the command that they typed, the file or the call.
    """

    session: str
    turn: int
    quote: str
    at: datetime | None = None
    deed: DeedKind | None = None

    @property
    def verb(self) -> str:
        """What the person did with these words: "said" or as in "checked the work"."""
        return "said" if self.deed is None else DONE[self.deed]


class Deed(Record, frozen=True, kw_only=True):
    """Something a person did: after which turn of which session, and what it says (the command, the file, the call).

    `what` is data: only that the person did it is theirs, not the text it carries.
    """

    kind: DeedKind
    session: str
    turn: int
    what: str = ""
    at: datetime | None = None

    @property
    def verb(self) -> str:
        """What the person did, as in "checked the work"."""
        return DONE[self.kind]


class PlaceKind(StrEnum):
    """How far a lesson reaches."""

    PATH = "path"
    WORK = "work"
    DOCUMENT = "document"
    PROJECT = "project"
    PERSON = "person"


class Place(Record, frozen=True, kw_only=True):
    """Where a lesson holds; `name` is the path, the kind of work or the document."""

    kind: PlaceKind = PlaceKind.PROJECT
    name: str = ""


class LessonState(StrEnum):
    """What became of a lesson.

    A noticed one came up in one session, which couldn't tell whether it is wanted from now on.
    """

    NOTICED = "noticed"
    OPEN = "open"
    PROPOSED = "proposed"
    LIVE = "live"
    RETIRED = "retired"
    TAKEN_BACK = "taken_back"


class Lesson(Record, frozen=True, kw_only=True):
    """What a person wants from now on, as one short command in their own terms.

    `quotes` and `deeds` show it, oldest first; `holds` says where. `takes_back` is the id of the earlier lesson that
    this one ends. `first` and `last` are the starts of the sessions it came up in. It `joins` the lessons with these
    ids, which were found to be the same.
    """

    id: str
    project: str
    wording: str
    first: datetime
    last: datetime
    quotes: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    holds: Place = Place()
    takes_back: str = ""
    joins: tuple[str, ...] = ()
    state: LessonState = LessonState.OPEN

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions it came up in, each once."""
        named = [piece.session for piece in (*self.quotes, *self.deeds)]
        return tuple(dict.fromkeys(named))

    @property
    def signs(self) -> tuple[Evidence, ...]:
        """What the person said and did, oldest first."""
        return signs(self.quotes, self.deeds)


def quotes_and_deeds(lessons: Sequence[Lesson]) -> tuple[tuple[Evidence, ...], tuple[Deed, ...]]:
    """Return what shows these lessons, each once."""
    quotes = dict.fromkeys(piece for lesson in lessons for piece in lesson.quotes)
    deeds = dict.fromkeys(deed for lesson in lessons for deed in lesson.deeds)
    return tuple(quotes), tuple(deeds)


def signs(quotes: Iterable[Evidence], deeds: Iterable[Deed]) -> tuple[Evidence, ...]:
    """Return what a person said and did, oldest first; a quote of what they did stands among the deeds already."""
    found = [piece for piece in quotes if piece.deed is None]
    for deed in deeds:
        found.append(Evidence(session=deed.session, turn=deed.turn, quote=deed.what, at=deed.at, deed=deed.kind))
    return tuple(sorted(found, key=lambda piece: piece.at or LONG_AGO))


def said_or_done(piece: Evidence, words: str) -> str:
    """Return the words in quotes, or what the person did with them, as in "you checked the work: «make lint»"."""
    if piece.deed is None:
        return f"«{words}»"
    return f"you {piece.verb}: «{words}»" if words else f"you {piece.verb}"


def heading(pieces: Iterable[Evidence]) -> str:
    """Return what stands above a list of these: "You said" if some are words, else "You did"."""
    return "You said" if any(piece.deed is None for piece in pieces) else "You did"


def taken_back(lessons: Iterable[Lesson]) -> dict[str, Evidence | None]:
    """Return the ids of the lessons that the person took back, each with their last words on it, if known.

    What took a lesson back may have been taken back itself since; then the first one can hold again.
    """
    ended: dict[str, Evidence | None] = {}
    words: dict[str, Evidence] = {}
    for lesson in lessons:
        if lesson.state is LessonState.TAKEN_BACK:
            ended |= dict.fromkeys((lesson.id, *lesson.joins))
        if lesson.takes_back and lesson.quotes:
            words[lesson.takes_back] = lesson.quotes[-1]
    for name in ended:
        ended[name] = words.get(name)
    return ended


def why_ended(words: Evidence | None) -> str:
    """Say that the person took a lesson back, with their words and the day if these are known."""
    return "you took it back" + _on_day(words)


def why_kept(words: Evidence | None) -> str:
    """Say that the person wants a lesson again that they had taken back, with their words and the day."""
    return "you asked for it again" + _on_day(words)


def _on_day(words: Evidence | None) -> str:
    if words is None:
        return ""
    day = f" on {words.at:%Y-%m-%d}" if words.at else ""
    return f"{day}: «{words.quote}»"
