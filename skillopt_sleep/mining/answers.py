"""Collect what the agent answered between two typed turns: its words and what it did."""

from skillopt_sleep.agents import SHELLS, WRITERS
from skillopt_sleep.records import Origin, Session, ToolEvent

ANSWER_CHARS = 4_000
_LEFT_OUT = "\n[…]\n"


def answer_between(session: Session, start: int, end: int) -> str:
    """Return what the agent said and did between the turns `start` and `end`, in order, in at most 4,000 characters.

    Rejected calls count too: they show what the agent was about to do. Of more than that, the beginning and the end
    stay, which the person answered.
    """
    parts: list[str] = []
    for index in range(start, min(end, len(session.turns))):
        turn = session.turns[index]
        if index > start and turn.origin is Origin.ASSISTANT:
            parts.append(turn.text)
        parts += [_in_words(event) for event in session.tools if event.turn == index and event.brief]
    whole = "\n".join(parts)
    if len(whole) <= ANSWER_CHARS:
        return whole
    head = ANSWER_CHARS // 4
    return whole[:head] + _LEFT_OUT + whole[head + len(_LEFT_OUT) - ANSWER_CHARS :]


def _in_words(event: ToolEvent) -> str:
    """Return a command as a target without tools writes it, and a file with what was done to it."""
    if event.name in SHELLS:
        return f"$ {event.brief}"
    return f"changed {event.brief}" if event.name in WRITERS else f"{event.name}: {event.brief}"


def referred_to(session: Session, ask: int) -> str:
    """Return the agent's last words before a request, which the request may refer to; "" if there are none."""
    for index in range(ask - 1, -1, -1):
        if session.turns[index].origin is Origin.ASSISTANT:
            return session.turns[index].text
    return ""
