"""Let the rules read a session once, when it is indexed; what they read is kept with it."""

from skillopt_sleep.records import Heard, HeardTurn, Session

RULES = 1
"""The version of the rules: raise it when mining takes a typed turn for something else, and all are read again."""


def hear(session: Session) -> Heard:
    """Read what each typed turn of a session is taken for."""
    from skillopt_sleep.mining.asks import takes  # reading what is kept must not wait for the rules to be loaded

    turns: list[HeardTurn] = []
    for index, take in takes(session):
        turns.append(HeardTurn(index, session.turns[index].id, take.value))
    return Heard(
        rules=RULES,
        turns=tuple(turns),
        started=session.started,
        commit=session.commit,
        damaged=session.damaged,
    )
