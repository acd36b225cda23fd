"""What each typed turn was: a request, a correction of the request before it, or small talk."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.mining.wishes import is_correction
from skillopt_sleep.mining.words import is_small_talk
from skillopt_sleep.records import Origin, Session


class Take(StrEnum):
    """What a typed turn is taken for."""

    REQUEST = "request"
    CORRECTION = "correction"
    SMALL_TALK = "small talk"


class Ask(NamedTuple):
    """A request by the index of its turn, and the turns that corrected it."""

    turn: int
    corrections: tuple[int, ...] = ()


def takes(session: Session) -> Iterator[tuple[int, Take]]:
    """Every typed turn with what it is taken for, in order.

    What is typed after the person rejected a call or stopped the agent is a correction whatever its words.
    """
    last: int | None = None
    request = ""
    for index, turn in enumerate(session.turns):
        if turn.origin is not Origin.USER:
            continue
        if last is not None and (_was_stopped(session, last, index) or is_correction(turn.text, request=request)):
            yield index, Take.CORRECTION
        elif is_small_talk(own_words(turn.text)):
            yield index, Take.SMALL_TALK
            continue
        else:
            yield index, Take.REQUEST
            request = turn.text
        last = index


def asks(session: Session) -> tuple[Ask, ...]:
    """The requests of a session, each with what corrected it before the next one."""
    found: list[Ask] = []
    for index, take in takes(session):
        if take is Take.REQUEST:
            found.append(Ask(index))
        elif take is Take.CORRECTION:
            found[-1] = Ask(found[-1].turn, (*found[-1].corrections, index))
    return tuple(found)


def _was_stopped(session: Session, since: int, before: int) -> bool:
    """Whether the person rejected a call or stopped the agent between these turns."""
    rejected = any(event.rejected and since <= event.turn < before for event in session.tools)
    return rejected or any(since <= stop < before for stop in session.stops)
