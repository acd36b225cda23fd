"""Let the rules read a session once, when it is indexed; what they read is kept with it."""

from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b

from skillopt_sleep.night.reach import shown
from skillopt_sleep.records import Heard, HeardTurn, Origin, Role, Session, Turn

RULES = 8
"""The version of the rules: raise it when they read something else in a session, and all are read again."""


def hear(session: Session) -> Heard:
    """Read what each typed turn of a session is taken for, and whether the session is mined."""
    # Reading what is kept must not wait for the rules to be loaded.
    from skillopt_sleep.mining.requests import may_hold_a_lesson, takes

    turns: list[HeardTurn] = []
    for index, take in takes(session):
        turns.append(HeardTurn(index, session.turns[index].id, take.value))
    return Heard(
        rules=RULES,
        turns=tuple(turns),
        started=session.started,
        commit=session.commit,
        damaged=session.damaged,
        shown=shown(session),
        is_mined=may_hold_a_lesson(session),
        opening=_opening(session),
        half_read=session.half_read,
    )


def _opening(session: Session) -> str:
    texts = [text.strip() for text in session.typed[:2]]
    return blake2b(repr((session.project, texts)).encode()).hexdigest() if texts else ""


@cache
def load_rules() -> None:
    """Load the rules now, so that the processes this one forks needn't each load them."""
    turn = Turn(role=Role.USER, origin=Origin.USER, text="green — apples")
    when = datetime.fromtimestamp(0, UTC)
    for turns in ((turn,), (turn, turn)):
        hear(Session(id="", source="", project="", cwd="", started=when, ended=when, turns=turns))
