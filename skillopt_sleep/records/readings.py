"""Readings: what a source found in one file, on its way into the index."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import msgspec

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Gaps, LeftOut, Session
from skillopt_sleep.records.tasks import Task

_encode = msgspec.msgpack.Encoder().encode
_sessions = msgspec.msgpack.Decoder(Session)


class Stamp(NamedTuple):
    """The stat values that show whether a file changed without reading it."""

    inode: int
    size: int
    mtime_ns: int


class Heard(Record, frozen=True, kw_only=True):
    """What the rules of version `rules` read in a session, and what else is asked of it without decoding it.

    `typed` holds the agent's own record id of each typed turn, "" where it has none. `shown` is the number of
    characters that a mining model would be shown of it, at most, if it `is_mined` at all. `opening` is a hash of its
    project and the first two texts that were typed, or the only one.
    """

    rules: int
    typed: tuple[str, ...]
    started: datetime
    commit: str = ""
    shown: int = 0
    is_mined: bool = False
    opening: str = ""
    gaps: Gaps = Gaps()


Hear = Callable[[Session], Heard | str]
_heard = msgspec.msgpack.Decoder(Heard)


class Packed(NamedTuple):
    """An encoded session with the fields that decide whether it is used; `left_out` is a reason found in its file."""

    id: str
    source: str
    project: str
    cwd: str
    ended: datetime
    left_out: LeftOut | None
    digest: str
    body: bytes

    @classmethod
    def of(cls, session: Session, left_out: LeftOut | None = None) -> "Packed":
        """Encode a session."""
        body = _encode(session)
        digest = hashlib.blake2b(body, digest_size=16).hexdigest()
        return cls(session.id, session.source, session.project, session.cwd, session.ended, left_out, digest, body)

    @property
    def session(self) -> Session:
        """The session, decoded."""
        return unpacked(self.body)


def unpacked(body: bytes) -> Session:
    """Decode a session; raise msgspec.DecodeError if the body doesn't hold one."""
    return _sessions.decode(body)


def packed_heard(heard: Heard) -> bytes:
    """Encode what the rules read in a session."""
    return _encode(heard)


def unpacked_heard(body: bytes) -> Heard:
    """Decode what the rules read in a session."""
    return _heard.decode(body)


class Reading(NamedTuple):
    """The content of one file: sessions and reviewed tasks, or the reason why it couldn't be read."""

    sessions: tuple[Packed, ...] = ()
    tasks: tuple[Task, ...] = ()
    unreadable: str = ""


class SessionLine(NamedTuple):
    """The fields of a session that are known without decoding it."""

    id: str
    source: str
    project: str
    cwd: str
    ended: datetime
    left_out: LeftOut | None


class IndexedSession(NamedTuple):
    """An indexed session: its file, the night that used it ("" if none), and what the rules read in it.

    `heard` is None if the rules asked about haven't read it yet.
    """

    line: SessionLine
    path: str
    night: str
    heard: Heard | None
