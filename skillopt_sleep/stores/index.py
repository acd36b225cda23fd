"""The index in SQLite: which file was read when, what it held, and which sessions no night has used yet."""

import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from threading import RLock
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from skillopt_sleep.records import (
    LeftOut,
    Origin,
    Packed,
    Reading,
    Role,
    Session,
    SessionLine,
    Stamp,
    Task,
    Turn,
    unpacked,
)

_FILE = """
    INSERT INTO files (source, path, inode, size, mtime_ns) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (source, path) DO UPDATE SET
        inode = excluded.inode, size = excluded.size, mtime_ns = excluded.mtime_ns
"""
# Of two files that hold the same session the one that goes on longer counts; a file always replaces itself.
_SESSION = """
    INSERT INTO sessions (id, source, path, project, cwd, ended, left_out, digest, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
        source = excluded.source, path = excluded.path, project = excluded.project, cwd = excluded.cwd,
        ended = excluded.ended, left_out = excluded.left_out, body = excluded.body, digest = excluded.digest,
        read_by = CASE WHEN digest = excluded.digest THEN read_by END
    WHERE path = excluded.path OR ended <= excluded.ended
"""
_LINES = "SELECT id, source, project, cwd, ended, left_out FROM sessions {where} ORDER BY ended DESC, id"
_LOSERS = """
    DELETE FROM files WHERE source = ?
    AND path NOT IN (SELECT path FROM sessions) AND path NOT IN (SELECT path FROM reviewed)
"""
_LAST = "9"  # after every time
_UNKNOWN: Mapping[str, datetime] = MappingProxyType({})
_MANY = 500
_BATCH = 64

# Made directly, a named tuple costs half: there is one for every file there is, every night.
_stamp: Callable[[type[Stamp], tuple[int, int, int]], Stamp] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
# What can't be read is tried again every time: a permission that is given back leaves no trace in a file's stamp.
_NEVER = Stamp(0, 0, 0)
_encode = msgspec.msgpack.Encoder().encode
_tasks = msgspec.msgpack.Decoder(Task)


class Held(NamedTuple):
    """Where a session stands: its file, the night that used it, if one did, and its lines that were of no use."""

    path: str
    night: str
    damaged: int


class _Damage(msgspec.Struct, gc=False):
    """The one field of a session that tells of damage; decoding passes over all others."""

    damaged: int = 0


_damage = msgspec.msgpack.Decoder(_Damage)


class SqliteIndex:
    """The index on the tables files, sessions and reviewed; the lock is the connection's."""

    def __init__(self, connection: sqlite3.Connection, lock: RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._known: dict[str, tuple[tuple[int, int], Mapping[str, Stamp]]] = {}

    def stamps(self, source: str) -> Mapping[str, Stamp]:
        """The stamp every file of this source had when it was last read; fetched anew only after a change."""
        query = "SELECT path, inode, size, mtime_ns FROM files WHERE source = ?"
        with self._lock:
            # The first tells of other connections' changes, the second of our own.
            (others,) = self._connection.execute("PRAGMA data_version").fetchone()
            now = others, self._connection.total_changes
            if source not in self._known or self._known[source][0] != now:
                rows = self._connection.execute(query, (source,)).fetchall()
                self._known[source] = now, {row[0]: _stamp(Stamp, row[1:]) for row in rows}
            return self._known[source][1]

    def put(self, source: str, readings: Iterable[tuple[str, Stamp, Reading]]) -> None:
        """Keep what was read, a file wholly or not at all; a session whose content changed is unread again.

        Files are written in batches, each read before its transaction begins, so that a long harvest neither holds
        the database nor loses everything when it is cut off.
        """
        rest = iter(readings)
        while batch := list(islice(rest, _BATCH)):
            with self._writing():
                self._put_batch(source, batch)

    def lines(self, *, unread: bool) -> Sequence[SessionLine]:
        """What is known of all sessions, or of those no night has used yet; newest first."""
        query = _LINES.format(where="WHERE read_by IS NULL" if unread else "")
        with self._lock:
            rows = self._connection.execute(query).fetchall()
        return [
            SessionLine(name, source, project, cwd, datetime.fromisoformat(ended), LeftOut(why) if why else None)
            for name, source, project, cwd, ended, why in rows
        ]

    def sessions(self, ids: Sequence[str]) -> tuple[Session, ...]:
        """These sessions, decoded, in this order; one that isn't here is missing from the answer."""
        found: dict[str, Session] = {}
        with self._lock:
            for at in range(0, len(ids), _MANY):
                some = ids[at : at + _MANY]
                query = f"SELECT id, body FROM sessions WHERE id IN ({','.join('?' * len(some))})"  # noqa: S608 - only marks
                # Each as it comes: all bodies at once would need their memory beside the sessions'.
                found.update((name, unpacked(body)) for name, body in self._connection.execute(query, some))
        return tuple(found[name] for name in ids if name in found)

    def used_in(self, projects: Collection[str]) -> tuple[Session, ...]:
        """The sessions of these projects that earlier nights used."""
        marks = ",".join("?" * len(projects))
        query = f"SELECT body FROM sessions WHERE read_by IS NOT NULL AND project IN ({marks})"  # noqa: S608 - only marks
        with self._lock:
            rows = self._connection.execute(query, tuple(projects)).fetchall()
        return tuple(unpacked(body) for (body,) in rows)

    def held(self) -> dict[str, Held]:
        """Where every session stands, by its id; reads all of them, so no night asks for it."""
        with self._lock:
            rows = self._connection.execute("SELECT id, path, read_by, body FROM sessions").fetchall()
        return {name: Held(path, night or "", _damage.decode(body).damaged) for name, path, night, body in rows}

    def forget(self, source: str, paths: Collection[str]) -> None:
        """Let go of files that are gone, with their unread sessions and reviewed tasks.

        A file that lost to another one holds no session here. It may have lost to one of these, so it is forgotten
        too, and read again.
        """
        gone = list(paths)
        with self._writing():
            for at in range(0, len(gone), _MANY):
                some = gone[at : at + _MANY]
                among = f"path IN ({','.join('?' * len(some))})"
                self._connection.execute(f"DELETE FROM files WHERE source = ? AND {among}", (source, *some))  # noqa: S608 - only marks
                self._connection.execute(f"DELETE FROM reviewed WHERE {among}", some)  # noqa: S608
                self._connection.execute(f"DELETE FROM sessions WHERE read_by IS NULL AND {among}", some)  # noqa: S608
            if gone:
                self._connection.execute(_LOSERS, (source,))

    def reviewed(self, sources: Collection[str]) -> tuple[Task, ...]:
        """The tasks that a person wrote or reviewed by hand, of these sources."""
        marks = ",".join("?" * len(sources))
        query = f"""
            SELECT body FROM reviewed WHERE path IN (SELECT path FROM files WHERE source IN ({marks}))
            ORDER BY path, id
        """  # noqa: S608 - only marks
        with self._lock:
            rows = self._connection.execute(query, tuple(sources)).fetchall()
        return tuple(_tasks.decode(body) for (body,) in rows)

    def mark_read(self, ids: Iterable[str], night: str, *, ended: Mapping[str, datetime] = _UNKNOWN) -> None:
        """Note that this night used these sessions, but not those that have gone on since they `ended` for it."""
        with self._writing():
            self._connection.executemany(
                "UPDATE sessions SET read_by = ? WHERE id = ? AND ended <= ?",
                ((night, name, _moment(ended[name]) if name in ended else _LAST) for name in ids),
            )

    @contextmanager
    def _writing(self) -> Generator[None]:
        """One transaction, or a part of the one that is already open."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.rollback()
                raise
            self._connection.commit()

    def _put_batch(self, source: str, batch: Sequence[tuple[str, Stamp, Reading]]) -> None:
        many = self._connection.executemany
        many(_FILE, [(source, path, *(_NEVER if got.unreadable else stamp)) for path, stamp, got in batch])
        if unreadable := [path for path, _, got in batch if got.unreadable]:
            # What such a file held before is not used while it can't be read.
            marks = ",".join("?" * len(unreadable))
            query = f"DELETE FROM sessions WHERE read_by IS NULL AND path IN ({marks})"  # noqa: S608 - only marks
            self._connection.execute(query, unreadable)
        many("DELETE FROM reviewed WHERE path = ?", [(path,) for path, _, _ in batch])
        tasks = [(path, task.id, _encode(task)) for path, _, got in batch for task in got.tasks]
        many("INSERT INTO reviewed (path, id, body) VALUES (?, ?, ?)", tasks)
        many(
            "DELETE FROM sessions WHERE id = ?",
            [(_name(source, path),) for path, _, got in batch if not got.unreadable],
        )
        many(
            _SESSION,
            [_row(path, session) for path, stamp, got in batch for session in _sessions(source, path, stamp, got)],
        )


def _row(path: str, session: Packed) -> tuple[str | bytes | None, ...]:
    return (
        *(session.id, session.source, path, session.project, session.cwd),
        *(_moment(session.ended), session.left_out, session.digest, session.body),
    )


def _moment(when: datetime) -> str:
    """A time as it stands in the table, where an earlier one is less."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def _name(source: str, path: str) -> str:
    """The id of the session that stands for a file that can't be read."""
    return f"{source}:file:{path}"


def _sessions(source: str, path: str, stamp: Stamp, reading: Reading) -> tuple[Packed, ...]:
    """What a file held; one that can't be read has a session in its place, so that it is counted, with the reason."""
    if not reading.unreadable:
        return reading.sessions
    when = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
    said = Turn(role=Role.USER, origin=Origin.HARNESS, text=reading.unreadable)
    name = _name(source, path)
    session = Session(id=name, source=source, project="", cwd="", started=when, ended=when, turns=(said,))
    return (Packed.of(session, LeftOut.UNREADABLE),)
