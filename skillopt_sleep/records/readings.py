"""What a source reads out of one file, on its way into the index."""

import hashlib
from datetime import datetime
from typing import NamedTuple

import msgspec

from skillopt_sleep.records.sessions import LeftOut, Session
from skillopt_sleep.records.tasks import Task

_encode = msgspec.msgpack.Encoder().encode
_sessions = msgspec.msgpack.Decoder(Session)


class Stamp(NamedTuple):
    """What tells a changed file from an unchanged one without reading it."""

    inode: int
    size: int
    mtime_ns: int


class Packed(NamedTuple):
    """A session encoded where its file was read, beside it what decides on its use; `left_out` is its own reason."""

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
        """Encode it, once and for all."""
        body = _encode(session)
        digest = hashlib.blake2b(body, digest_size=16).hexdigest()
        return cls(session.id, session.source, session.project, session.cwd, session.ended, left_out, digest, body)

    @property
    def session(self) -> Session:
        """The session, decoded."""
        return unpacked(self.body)


def unpacked(body: bytes) -> Session:
    """The session in a body; msgspec.DecodeError where there is none in it."""
    return _sessions.decode(body)


class Reading(NamedTuple):
    """What one file held: sessions and reviewed tasks, or why it couldn't be read."""

    sessions: tuple[Packed, ...] = ()
    tasks: tuple[Task, ...] = ()
    unreadable: str = ""


class SessionLine(NamedTuple):
    """What is known of an unread session without decoding it."""

    id: str
    source: str
    project: str
    cwd: str
    ended: datetime
    left_out: LeftOut | None
