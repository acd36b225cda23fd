"""Tell the turns that a person typed apart: requests, corrections of the request before, and small talk."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.mining.wishes import is_correction
from skillopt_sleep.mining.words import is_small_talk
from skillopt_sleep.records import Origin, Session


class Take(StrEnum):
    """The ways to understand a typed turn."""

    REQUEST = "request"
    CORRECTION = "correction"
    SMALL_TALK = "small talk"


class Ask(NamedTuple):
    """A request, by the index of its turn, and the turns that corrected it."""

    turn: int
    corrections: tuple[int, ...] = ()


def takes(session: Session) -> Iterator[tuple[int, Take]]:
    """Yield the index of every typed turn with what the turn is taken for, in order.

    Whatever is typed after the person rejected a call or stopped the agent is a correction. If the agent spoke before
    anything that was typed, the first request couldn't be read, and what reads as its correction is one of nothing.
    """
    last: int | None = None  # the last turn that wasn't small talk
    said = [index for index, turn in enumerate(session.turns) if turn.origin is not Origin.HARNESS]
    if said and session.turns[said[0]].origin is Origin.ASSISTANT:
        last = said[0]
    request = ""
    for index, turn in enumerate(session.turns):
        if turn.origin is not Origin.USER:
            continue
        if last is not None and (
            _was_stopped(session, last, index) or is_correction(turn.text, request=request, pasted=turn.pasted)
        ):
            yield index, Take.CORRECTION
        elif is_small_talk(own_words(turn.text, turn.pasted)):
            yield index, Take.SMALL_TALK
            continue
        else:
            yield index, Take.REQUEST
            request = turn.text
        last = index


def asks(session: Session) -> tuple[Ask, ...]:
    """Return the requests of a session, each with the turns that corrected it before the next request."""
    requests: list[Ask] = []
    for index, take in takes(session):
        if take is Take.REQUEST:
            requests.append(Ask(index))
        elif take is Take.CORRECTION and requests:
            last = requests[-1]
            requests[-1] = Ask(last.turn, (*last.corrections, index))
    return tuple(requests)


def _was_stopped(session: Session, since: int, before: int) -> bool:
    """Tell whether the person rejected a call or stopped the agent from turn `since` until turn `before`."""
    for event in session.tools:
        if event.rejected and since <= event.turn < before:
            return True
    return any(since <= stop < before for stop in session.stops)
