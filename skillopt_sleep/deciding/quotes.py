"""Open a quote in its place: the turns around it, looked up again, and what became of the file it was read from."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from skillopt_sleep.agents import TITLES
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import ago, home_path, span
from skillopt_sleep.pages.blocks import Block, Heading, Item, Items, Sentence
from skillopt_sleep.records import EMPTIED, Evidence, Origin, Session, said_or_done
from skillopt_sleep.stores.sqlite import SqliteStore

AROUND = 2  # turns before and after it
TURN_CHARS = 600
QUOTE_CHARS = 120
SESSION_CHARS = 8
FORGOTTEN = "This session isn't kept any more: it was purged, or its text was forgotten (`bank.keep`)."
CHANGED = "These words aren't in that turn any more: the session's file was changed since."
_SPEAKERS = {Origin.USER: "you", Origin.ASSISTANT: "the agent", Origin.HARNESS: "the program"}


def opened(said: Iterable[Evidence], store: SqliteStore, *, now: datetime) -> Iterator[Block]:
    """Yield each quote with the turns around it, as they are kept now: redacted, whether the file is there or not."""
    gone = store.index.gone()
    for piece in said:
        agent, _, name = piece.session.partition(":")
        when = f", {ago(piece.at, now)}" if piece.at else ""
        yield Heading(said_or_done(piece, one_line(piece.quote, limit=QUOTE_CHARS)), 3)
        yield Sentence(f"{TITLES.get(agent, agent)} {name[:SESSION_CHARS]}, turn {piece.turn}{when}", "about")
        if piece.session in gone:
            at = gone[piece.session]
            since = f" since {span(at, at, now)}" if at else ""
            yield Sentence(f"This session is gone{since}: its agent deleted the file. We keep this:", "careful")
        else:
            place = store.index.place(piece.session)
            yield Sentence(f"File: {home_path(place)}" if place else FORGOTTEN, "soft" if place else "careful")
        for session in store.index.sessions([piece.session]):
            yield from _in_place(session, piece)


def around(session: Session, at: int) -> Items:
    """Return a turn between those around it; none of a session whose text was forgotten."""
    items: list[Item] = []
    for number in range(max(at - AROUND, 0), min(at + AROUND + 1, len(session.turns))):
        turn = session.turns[number]
        if turn != EMPTIED:
            mark = "→ " if number == at else ""
            record = f" (record {turn.id})" if turn.id and mark else ""
            text = one_line(redact(turn.text), limit=TURN_CHARS)
            items.append(Item(f"{mark}turn {number}, {_SPEAKERS[turn.origin]}: {text}{record}"))
    return Items(tuple(items))


def _in_place(session: Session, piece: Evidence) -> Iterator[Block]:
    """Yield the turn with the quote between those around it."""
    at = session.turn_with(piece.quote, piece.turn) if piece.deed is None else piece.turn
    found = around(session, piece.turn if at is None else at)
    if not found.items:
        yield Sentence(FORGOTTEN, "careful")
        return
    yield found
    if at is None:
        yield Sentence(CHANGED, "careful")
