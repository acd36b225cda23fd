"""Collect what the agent answered between two typed turns: its words and its commands."""

from skillopt_sleep.records import Origin, Session

ANSWER_CHARS = 4_000


def answer_between(session: Session, start: int, end: int) -> str:
    """Return what the agent said and ran between the turns `start` and `end`, in order, in at most 4,000 characters.

    Rejected calls count too: they show what the agent was about to do.
    """
    parts: list[str] = []
    for index in range(start, min(end, len(session.turns))):
        turn = session.turns[index]
        if index > start and turn.origin is Origin.ASSISTANT:
            parts.append(turn.text)
        parts += [event.brief for event in session.tools if event.turn == index and event.brief]
    return "\n".join(parts)[:ANSWER_CHARS]


def referred_to(session: Session, ask: int) -> str:
    """Return the agent's last words before a request, which the request may refer to; "" if there are none."""
    for index in range(ask - 1, -1, -1):
        if session.turns[index].origin is Origin.ASSISTANT:
            return session.turns[index].text
    return ""
