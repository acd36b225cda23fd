"""Reading whole folders of sessions, for the tests of the sources."""

from pathlib import Path

from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import LeftOut, Reading, Session

TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"


def read_all(source: SessionSource) -> dict[str, Reading]:
    """Every file's reading by its path."""
    paths = sorted(path for path, _ in source.stamps())
    return {path: reading for path, _, reading in source.read(paths)}


def sessions_of(source: SessionSource) -> dict[str, tuple[Session, LeftOut | None]]:
    """Every session by the agent's own id, with the reason it is left out."""
    found = [packed for reading in read_all(source).values() for packed in reading.sessions]
    return {packed.id.partition(":")[2]: (packed.session, packed.left_out) for packed in found}


def only_session(source: SessionSource) -> Session:
    """The one session of a source that isn't left out."""
    ((session, why),) = sessions_of(source).values()
    assert why is None
    return session


def typed_by_session(
    source: SessionSource, *, reasons: frozenset[LeftOut | None] = frozenset({None})
) -> dict[str, tuple[str, ...]]:
    """What was typed in every session that is left out for one of these reasons (None: in none)."""
    return {name: session.typed for name, (session, why) in sessions_of(source).items() if why in reasons}
