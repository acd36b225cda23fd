"""Choose how far back into unread sessions a night reaches: the newest first, within its budget."""

from collections.abc import Iterable
from typing import NamedTuple

from skillopt_sleep.protocols import Reach
from skillopt_sleep.records import Origin, Session

# As mining/shown.py cuts turns and fills calls. Not imported, as the history must not wait for the rules.
TURN_CHARS = {Origin.USER: 2_000, Origin.ASSISTANT: 600, Origin.HARNESS: 0}
CALL_CHARS = 60_000
_CHARS_PER_TOKEN = 3  # fewer than a token has in most languages, so that the estimate is high


class Load(NamedTuple):
    """The cost of mining one session: the `shown` characters that a model reads, or nothing unless it `is_mined`."""

    session: str
    project: str
    is_mined: bool
    shown: int


def load_of(session: Session) -> Load:
    """Return what it costs to mine this session."""
    from skillopt_sleep.mining.requests import may_hold_a_lesson  # only here, so that `beyond` needs no rules

    return Load(session.id, session.project, may_hold_a_lesson(session), shown(session))


def shown(session: Session) -> int:
    """Return the number of characters that the miner shows of a session at most."""
    return sum(min(len(turn.text), TURN_CHARS[turn.origin]) for turn in session.turns)


def beyond(loads: Iterable[Load], reach: Reach | None) -> frozenset[str]:
    """Return the sessions that have to wait for a later night; the newest come first.

    The first session beyond the reach and all older ones wait. One that isn't mined costs no call.
    """
    if reach is None:
        return frozenset()
    later: set[str] = set()
    left: dict[str, tuple[int, int]] = {}  # sessions and characters for which a project's last call has room
    calls = chars = 0
    for number, load in enumerate(loads):
        if load.is_mined:
            sessions, room = left.get(load.project, (0, 0))
            if not sessions or room < load.shown:
                calls += 1
                sessions, room = reach.per_call, CALL_CHARS
            left[load.project] = sessions - 1, room - load.shown
            chars += load.shown
        if number and (calls > reach.calls or chars > reach.tokens * _CHARS_PER_TOKEN):
            later.add(load.session)
    return frozenset(later)
