"""Show where a rule comes from, and what became of something the person said: their words first, ids behind."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, NAME, Part, say_row
from skillopt_sleep.deciding.origin_words import decision, often, tried
from skillopt_sleep.kit.markdown import one_line, spelled, visible
from skillopt_sleep.kit.words import ago, counted
from skillopt_sleep.proposals.absence import Absence
from skillopt_sleep.proposals.origins import Origin
from skillopt_sleep.records import Evidence, heading, said_or_done
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WAITING, WITHDRAWN

QUOTES = 3  # so many of the person's quotes are shown
QUOTE_CHARS = 240
SESSION_CHARS = 8
Row = tuple[str, Part]  # what stands before a text, and the text
STYLES = {WAITING: CAREFUL, ADOPTED: GOOD, REJECTED: BAD}
_BELOW = " " * 6


def show(rows: Iterable[Row]) -> None:
    """Print rows; one that is wrapped goes on below its text."""
    for label, part in rows:
        say_row(label, part, width=len(label))


def origin_rows(origin: Origin, *, now: datetime) -> Iterator[Row]:
    """Yield why a rule is there: what the person said, what was tried, what they decided, and the ids."""
    if origin.state == WITHDRAWN:
        yield "", ("No longer proposed:", CAREFUL)
    yield "", (visible(origin.rule), BOLD)
    yield "  ", f"in {' and '.join(map(spelled, origin.documents))}"
    yield "", ""
    yield from said_rows(origin.said, now=now, often=often(origin, now=now))
    yield "", ""
    yield "", sentence(tried(origin))
    if origin.label:
        yield "", (sentence(origin.label), CAREFUL)
    yield "", (sentence(decision(origin, now=now)), STYLES.get(origin.state, ""))
    yield "", ""
    for name, wording in zip(origin.lessons, origin.wordings, strict=False):
        yield "lesson    ", (f"{spelled(name)}: {one_line(wording, limit=60)}", DIM)
    yield "proposal  ", (f"{origin.proposal}, of the night of {origin.night}", DIM)


def said_rows(said: Sequence[Evidence], *, now: datetime, often: str = "", how: str = "") -> Iterator[Row]:
    """Yield what the person said and did, each with when and where, behind how `often` it came up."""
    if not said:
        return
    how = how or heading(said)
    yield "", f"{how} {often}:" if often else f"{how}:"
    for piece in said[:QUOTES]:
        yield "  ", (said_or_done(piece, one_line(piece.quote, limit=QUOTE_CHARS)), NAME)
        yield "    ", (f"{when(piece, now=now)}{_session(piece)}", DIM)
    if len(said) > QUOTES:
        yield "  ", f"and {counted(len(said) - QUOTES, 'more time')}"


def when(piece: Evidence, *, now: datetime) -> str:
    """Return when something was said, "" if that isn't known."""
    if piece.at is None:
        return ""
    return f"{piece.at.astimezone():%Y-%m-%d} ({ago(piece.at, now)}), "


def _session(piece: Evidence) -> str:
    """Return a session by its agent and as much of its id as `harvest --why` needs."""
    agent, _, name = piece.session.partition(":")
    return f"{spelled(agent)} {spelled(name[:SESSION_CHARS])}, turn {piece.turn}"


def absence_rows(absence: Absence, *, now: datetime) -> Iterator[Row]:
    """Yield what became of something the person said, why, and what to do next."""
    if absence.said:
        yield from said_rows(absence.said, now=now, how="You pasted" if absence.pasted else "")
        yield "", ""
    yield "", sentence(visible(absence.because))
    for line in visible(absence.rule).splitlines():
        yield "  ", line
    yield "→ ", (visible(absence.next), BOLD)
    ids = {
        "lesson": absence.lesson,
        "task": absence.task,
        "proposal": absence.proposal,
        "night": absence.night,
    }
    known = [f"{name} {spelled(value)}" for name, value in ids.items() if value]
    if known:
        yield "", ""
        yield "", (", ".join(known), DIM)


def blamed_rows(number: int, line: str, origin: Origin | None, *, now: datetime, recorded: bool) -> Iterator[Row]:
    """Yield one managed line, ours if none of its file is `recorded`: its words, its trial, who approved it when."""
    yield f"{number:>4}  ", (one_line(line, limit=200), BOLD)
    if origin is None:
        purged = "adopted by skillopt-sleep; its record was purged"
        yield _BELOW, ("yours: no proposal is known that brought it" if recorded else purged, CAREFUL)
        return
    if origin.said:
        first = next((piece for piece in origin.said if piece.deed is None), origin.said[0])
        more = f", asked for in {counted(origin.sessions, 'session')}" if origin.sessions > 1 else ""
        yield _BELOW, (said_or_done(first, one_line(first.quote, limit=QUOTE_CHARS)), NAME)
        yield _BELOW, (f"{when(first, now=now)}{_session(first)}{more}", DIM)
    yield _BELOW, tried(origin)
    if origin.label:
        yield _BELOW, (origin.label, CAREFUL)
    yield _BELOW, f"{decision(origin, now=now)}: {origin.proposal}"
