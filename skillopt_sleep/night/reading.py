"""Let the rules read a session once, when it is indexed; what they read is kept with it."""

from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from skillopt_sleep.agents.transcripts.files import read_or_say_why
from skillopt_sleep.protocols.crew import Reach
from skillopt_sleep.records import Heard, Origin, Session, Snapshot

RULES = 10
"""The version of the rules: raise it when they read something else in a session, and all are read again."""

# As mining/session_text.py cuts turns and fills calls. Not imported, as the history must not wait for the rules.
TURN_CHARS = {Origin.USER: 2_000, Origin.ASSISTANT: 600, Origin.HARNESS: 0}
CALL_CHARS = 60_000
_CHARS_PER_TOKEN = 3  # fewer than a token has in most languages, so that the estimate is high


class Surveyed(NamedTuple):
    """A session that may be used: its project as it is now, and what the rules read in its own part.

    `snapshot` is the project's state when it began, if a hook made one. `part` is the session decoded, without what
    it copied from another one; None if it copied nothing.
    """

    id: str
    source: str
    project: str
    commit: str
    ended: datetime
    night: str
    heard: Heard
    snapshot: Snapshot | None = None
    part: Session | None = None


def read_by_rules(session: Session) -> Heard:
    """Read whether a session is mined, how much of it is shown then, and by what its copies are known."""
    # Reading what is kept must not wait for the rules to be loaded.
    from skillopt_sleep.mining.requests import may_hold_a_lesson

    texts = [text.strip() for text in session.typed[:2]]
    opening = blake2b(repr((session.project, texts)).encode()).hexdigest() if texts else ""
    return Heard(
        rules=RULES,
        typed=tuple(turn.id for turn in session.turns if turn.origin is Origin.USER),
        started=session.started,
        commit=session.commit,
        shown=sum(min(len(turn.text), TURN_CHARS[turn.origin]) for turn in session.turns),
        is_mined=may_hold_a_lesson(session),
        opening=opening,
        gaps=session.gaps,
    )


def heard_or_why_not(session: Session) -> Heard | str:
    """Read a session by the rules, or return why they fail on it."""
    return read_or_say_why(read_by_rules, session)


def left_for_later(sessions: Iterable[Surveyed], reach: Reach | None) -> frozenset[str]:
    """Return the sessions that have to wait for a later night; the newest come first.

    The first session beyond the reach and all older ones wait. One that isn't mined costs no call.
    """
    if reach is None:
        return frozenset()
    later: set[str] = set()
    left: dict[str, tuple[int, int]] = {}  # sessions and characters for which a project's last call has room
    calls = chars = 0
    for number, session in enumerate(sessions):
        heard = session.heard
        if heard.is_mined:
            places, room = left.get(session.project, (0, 0))
            if not places or room < heard.shown:
                calls += 1
                places, room = reach.per_call, CALL_CHARS
            left[session.project] = places - 1, room - heard.shown
            chars += heard.shown
        if number and (calls > reach.calls or chars > reach.tokens * _CHARS_PER_TOKEN):
            later.add(session.id)
    return frozenset(later)
