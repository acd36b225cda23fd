"""Readings: what a source found in one file, on its way into the index."""

import hashlib
from datetime import datetime
from typing import NamedTuple

import msgspec

from skillopt_sleep.records.sessions import LeftOut, Session
from skillopt_sleep.records.tasks import Task

_encode = msgspec.msgpack.Encoder().encode
_sessions = msgspec.msgpack.Decoder(Session)


class Stamp(NamedTuple):
    """The stat values that show whether a file changed without reading it."""

    inode: int
    size: int
    mtime_ns: int


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
        """Encode a session, so that no other process has to do it again."""
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
