"""Choose how far back into unread sessions a night reaches: the newest first, within its budget."""

from collections import Counter
from collections.abc import Sequence

from skillopt_sleep.protocols import Reach
from skillopt_sleep.records import Session

_CHARS_PER_TOKEN = 3  # more than a token has in most languages, so that the estimate is high


def within(sessions: Sequence[Session], reach: Reach | None) -> tuple[list[Session], list[str]]:
    """Return the sessions that can be mined within reach, and the ids of those that wait; the newest come first.

    The first session beyond the reach and all older ones wait. One in which only one thing was typed costs no call.
    """
    if reach is None:
        return list(sessions), []
    kept: list[Session] = []
    later: list[str] = []
    of_project: Counter[str] = Counter()
    calls = tokens = 0
    for session in sessions:
        if len(session.typed) > 1 and not later:
            starts_a_call = of_project[session.project] % reach.per_call == 0
            of_project[session.project] += 1
            calls += starts_a_call
            tokens += _tokens(session)
        if later or (kept and (calls > reach.calls or tokens > reach.tokens)):
            later.append(session.id)
        else:
            kept.append(session)
    return kept, later


def _tokens(session: Session) -> int:
    """Estimate the tokens of a session as the miner shows it."""
    from skillopt_sleep.mining.shown import (
        TURN_CHARS,  # looking at the history must not wait for the rules to be loaded
    )

    return sum(min(len(turn.text), TURN_CHARS) for turn in session.turns) // _CHARS_PER_TOKEN
