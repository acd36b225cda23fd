"""Choose how far back into unread sessions a night reaches: the newest first, within its budget."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from skillopt_sleep.protocols import Reach
from skillopt_sleep.records import Session

# As mining/shown.py cuts a turn. It isn't imported, because looking at the history must not wait for the rules.
TURN_CHARS = 2_000
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
    return sum(min(len(turn.text), TURN_CHARS) for turn in session.turns)


def beyond(loads: Iterable[Load], reach: Reach | None) -> frozenset[str]:
    """Return the sessions that have to wait for a later night; the newest come first.

    The first session beyond the reach and all older ones wait. One that isn't mined costs no call.
    """
    if reach is None:
        return frozenset()
    later: set[str] = set()
    of_project: Counter[str] = Counter()
    calls = chars = 0
    for number, load in enumerate(loads):
        if load.is_mined:
            calls += of_project[load.project] % reach.per_call == 0
            of_project[load.project] += 1
            chars += load.shown
        if number and (calls > reach.calls or chars > reach.tokens * _CHARS_PER_TOKEN):
            later.add(load.session)
    return frozenset(later)
