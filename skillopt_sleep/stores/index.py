"""Index the transcripts in SQLite: which file was read when, what it held, which sessions no night has used."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from threading import RLock
from types import MappingProxyType

import msgspec

from skillopt_sleep.records import (
    Hear,
    IndexedSession,
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
    packed_heard,
    unpacked,
    unpacked_heard,
)
from skillopt_sleep.stores.purge import SqlitePurged
from skillopt_sleep.stores.schema import TableGroup, hashed, marks, moment

_FILE = """
    INSERT INTO files (source, path, inode, size, mtime_ns) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (source, path) DO UPDATE SET
        inode = excluded.inode, size = excluded.size, mtime_ns = excluded.mtime_ns
"""
# If two files hold one session, keep the later-ending one; a file always overwrites its own row, unless it says the
# same again: what was forgotten of a session stays forgotten. What a night has read stays read until the session goes
# on: a newer reader or a file copied elsewhere is no reason to pay again.
_SESSION = """
    INSERT INTO sessions (id, source, path, project, cwd, ended, left_out, digest, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
        source = excluded.source, path = excluded.path, project = excluded.project, cwd = excluded.cwd,
        ended = excluded.ended, left_out = excluded.left_out, body = excluded.body, digest = excluded.digest,
        heard = NULL,
        read_by = CASE WHEN ended >= excluded.ended THEN read_by END
    WHERE (path = excluded.path OR ended <= excluded.ended)
        AND (path, digest, left_out) IS NOT (excluded.path, excluded.digest, excluded.left_out)
"""
_LINES = "SELECT id, source, project, cwd, ended, left_out FROM sessions {where} ORDER BY ended DESC, id"
_HELD = """
    SELECT id, source, project, cwd, ended, left_out, path, read_by, CASE WHEN rules = ? THEN heard END FROM sessions
    {where} ORDER BY ended DESC, id
"""
_REPLACED = """
    DELETE FROM files WHERE source = ?
    AND path NOT IN (SELECT path FROM sessions) AND path NOT IN (SELECT path FROM reviewed)
"""
_GONE = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_LAST = "9"  # sorts after every time
_UNKNOWN: Mapping[str, datetime] = MappingProxyType({})
_MANY = 500
_BATCH = 64

# Building the named tuple directly takes half the time, and every night builds one for every file.
_stamp: Callable[[type[Stamp], tuple[int, int, int]], Stamp] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
# Try an unreadable file again every time: getting its permission back doesn't change a file's stamp.
_NEVER = Stamp(0, 0, 0)
_encode = msgspec.msgpack.Encoder().encode
_tasks = msgspec.msgpack.Decoder(Task)


class SqliteIndex(TableGroup):
    """The index in the tables files, sessions and reviewed; the lock guards the connection."""

    def __init__(self, connection: sqlite3.Connection, lock: RLock) -> None:
        super().__init__(connection, lock)
        self._known: dict[str, tuple[tuple[int, int], Mapping[str, Stamp]]] = {}
        self.purged = SqlitePurged(connection, lock)

    def stamps(self, source: str) -> Mapping[str, Stamp]:
        """Return each file's stamp of this source at its last reading; cached until the database changes."""
        query = "SELECT path, inode, size, mtime_ns FROM files WHERE source = ?"
        with self._lock:
            version = self._version()
            if source not in self._known or self._known[source][0] != version:
                rows = self._connection.execute(query, (source,)).fetchall()
                self._known[source] = version, {row[0]: _stamp(Stamp, row[1:]) for row in rows}
            return self._known[source][1]

    def _version(self) -> tuple[int, int]:
        """Return what differs after any change of the database."""
        with self._lock:
            # data_version counts the changes by other connections, total_changes our own.
            (data_version,) = self._connection.execute("PRAGMA data_version").fetchone()
            return data_version, self._connection.total_changes

    def unpurged(self, paths: Sequence[str]) -> Sequence[str]:
        """Return these files without those of which a person purged every session."""
        purged = self.purged.among(paths)
        return [path for path in paths if path not in purged] if purged else paths

    def put(self, source: str, readings: Iterable[tuple[str, Stamp, Reading]]) -> None:
        """Save what was read from each file, without purged sessions; one that went on becomes unread again.

        A file is saved entirely or not at all. Files are written in batches, and a batch is read before its
        transaction begins: so a long harvest doesn't block the database, and keeps most of its work if interrupted.
        """
        remaining = iter(readings)
        batch = list(islice(remaining, _BATCH))
        while batch:
            with self._writing():
                self._put_batch(source, batch)
            batch = list(islice(remaining, _BATCH))

    def lines(self, *, unread: bool) -> Sequence[SessionLine]:
        """List all sessions, or those that no night has used yet; newest first."""
        query = _LINES.format(where="WHERE read_by IS NULL" if unread else "")
        return [_line(row) for row in self._rows(query)]

    def sessions(self, ids: Sequence[str]) -> tuple[Session, ...]:
        """Return these sessions, decoded, in this order, without those that aren't indexed."""
        found: dict[str, Session] = {}
        with self._lock:
            for at in range(0, len(ids), _MANY):
                some = ids[at : at + _MANY]
                query = f"SELECT id, body FROM sessions WHERE id IN ({marks(some)})"  # noqa: S608 - only marks
                # Decode row by row: fetching all bodies first would hold them in memory beside the sessions.
                for name, body in self._connection.execute(query, some):
                    found[name] = unpacked(body)
        return tuple(found[name] for name in ids if name in found)

    def held(self, rules: int, *, unread: bool) -> Sequence[IndexedSession]:
        """Return all sessions, or those that no night has used yet, with what the rules of this version read in them.

        None is decoded; the newest come first.
        """
        return self._held("WHERE read_by IS NULL" if unread else "", rules)

    def used_in(self, projects: Collection[str], rules: int) -> Sequence[IndexedSession]:
        """Return the sessions of these projects that earlier nights used, in the same way."""
        return self._held(f"WHERE project IN ({marks(projects)}) AND read_by IS NOT NULL", rules, *projects)

    def _held(self, where: str, rules: int, *values: str) -> Sequence[IndexedSession]:
        held: list[IndexedSession] = []
        for *line, path, night, heard in self._rows(_HELD.format(where=where), (rules, *values)):
            held.append(IndexedSession(_line(line), path, night or "", unpacked_heard(heard) if heard else None))
        return held

    def hear(self, hear: Hear, *, rules: int) -> None:
        """Let the rules of this version read every session that they haven't read yet, and keep what they read.

        The file of a session that they fail on, of which `hear` returns the reason, counts as unreadable.
        """
        unheard = "(rules != ? OR heard IS NULL) AND id > ?"
        query = f"SELECT id, source, path, digest, body FROM sessions WHERE {unheard} ORDER BY id LIMIT ?"  # noqa: S608 - constants
        last = ""
        while True:
            rows = self._rows(query, (rules, last, _BATCH))
            if not rows:
                return
            heard: list[tuple[int, bytes, str, str]] = []
            failed: list[tuple[str, tuple[str, Stamp, Reading]]] = []
            for name, source, path, digest, body in rows:
                last = name
                session = unpacked(body)
                read = hear(session)
                if isinstance(read, str):
                    ended = Stamp(0, 0, int(session.ended.timestamp() * 1e9))
                    failed.append((source, (path, ended, Reading(unreadable=f"{path}: {read}"))))
                else:
                    heard.append((rules, packed_heard(read), name, digest))
            with self._writing():
                for source, reading in failed:
                    self._put_batch(source, [reading])
                # If the session has changed in the meantime, what was read isn't true of it any more.
                self._connection.executemany(
                    "UPDATE sessions SET rules = ?, heard = ? WHERE id = ? AND digest = ?", heard
                )

    def forget(self, source: str, paths: Collection[str]) -> None:
        """Remove deleted files with their reviewed tasks, and of their sessions those that nights leave out anyway.

        A file whose session was replaced by another file's has no session here. One of the removed files may have
        replaced it, so it is removed too and will be read again.
        """
        deleted, at_now = list(paths), datetime.now(tz=UTC)
        with self._writing():
            for at in range(0, len(deleted), _MANY):
                some = deleted[at : at + _MANY]
                among = f"path IN ({marks(some)})"
                of_no_use = f"read_by IS NULL AND left_out != '{LeftOut.HEADLESS}' AND {among}"
                self._connection.execute(f"DELETE FROM files WHERE source = ? AND {among}", (source, *some))  # noqa: S608 - only marks
                self._connection.execute(f"DELETE FROM reviewed WHERE {among}", some)  # noqa: S608
                self._connection.execute(f"DELETE FROM sessions WHERE {of_no_use}", some)  # noqa: S608
                rows = self._rows(f"SELECT id FROM sessions WHERE {among}", some)  # noqa: S608
                self._connection.executemany(_GONE, [(gone_key(name), moment(at_now)) for (name,) in rows])
            if deleted:
                self._connection.execute(_REPLACED, (source,))

    def gone(self) -> Mapping[str, datetime | None]:
        """Return the sessions whose file the agent deleted, each with when that was noticed, if it is known."""
        rows = self._rows("SELECT id FROM sessions WHERE path NOT IN (SELECT path FROM files)")
        noticed = dict(self._rows("SELECT key, value FROM meta WHERE key LIKE 'gone %'"))
        found: dict[str, datetime | None] = {}
        for (name,) in rows:
            at = noticed.get(gone_key(name))
            found[name] = datetime.fromisoformat(at) if at else None
        return found

    def place(self, session: str) -> str:
        """Return the path of the file that a session was read from; "" if it isn't indexed."""
        rows = self._rows("SELECT path FROM sessions WHERE id = ?", (session,))
        return rows[0][0] if rows else ""

    def reviewed(self, sources: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks from these sources that a person wrote or reviewed by hand."""
        query = f"""
            SELECT body FROM reviewed WHERE path IN (SELECT path FROM files WHERE source IN ({marks(sources)}))
            ORDER BY path, id
        """  # noqa: S608 - only marks
        return tuple(_tasks.decode(body) for (body,) in self._rows(query, sources))

    def mark_read(self, ids: Iterable[str], night: str, *, ended: Mapping[str, datetime] = _UNKNOWN) -> None:
        """Mark these sessions as used by this night, except those that continued after the end in `ended`."""
        rows: list[tuple[str, str, str]] = []
        for name in ids:
            latest = moment(ended[name]) if name in ended else _LAST
            rows.append((night, name, latest))
        with self._writing():
            self._connection.executemany("UPDATE sessions SET read_by = ? WHERE id = ? AND ended <= ?", rows)

    def _put_batch(self, source: str, batch: Sequence[tuple[str, Stamp, Reading]]) -> None:
        files: list[tuple[str | int, ...]] = []
        unreadable: list[str] = []
        readable: list[tuple[str]] = []
        tasks: list[tuple[str, str, bytes]] = []
        sessions: list[tuple[str | bytes | int | None, ...]] = []
        for path, stamp, reading in self.purged.taken_out(batch):
            if reading.unreadable:
                files.append((source, path, *_NEVER))
                unreadable.append(path)
            else:
                files.append((source, path, *stamp))
                readable.append((_stand_in_id(source, path),))
            tasks += [(path, task.id, _encode(task)) for task in reading.tasks]
            sessions += [_row(path, session) for session in _sessions(source, path, stamp, reading)]
        many = self._connection.executemany
        many(_FILE, files)
        if unreadable:
            # What an unreadable file held before isn't used until the file can be read again.
            query = f"DELETE FROM sessions WHERE read_by IS NULL AND path IN ({marks(unreadable)})"  # noqa: S608 - only marks
            self._connection.execute(query, unreadable)
        many("DELETE FROM reviewed WHERE path = ?", [(path,) for path, _, _ in batch])
        many("INSERT INTO reviewed (path, id, body) VALUES (?, ?, ?)", tasks)
        many("DELETE FROM sessions WHERE id = ?", readable)
        many(_SESSION, sessions)


def gone_key(session: str) -> str:
    """Return the key under which it stands in the table meta when a session's file was missed; it doesn't name it."""
    return f"gone {hashed(session)}"


def _row(path: str, session: Packed) -> tuple[str | bytes | int | None, ...]:
    return (
        session.id,
        session.source,
        path,
        session.project,
        session.cwd,
        moment(session.ended),
        session.left_out,
        session.digest,
        session.body,
    )


def _line(row: Sequence[str]) -> SessionLine:
    name, source, project, cwd, ended, why = row
    return SessionLine(name, source, project, cwd, datetime.fromisoformat(ended), LeftOut(why) if why else None)


def _stand_in_id(source: str, path: str) -> str:
    """Return the id of the session that stands in for an unreadable file."""
    return f"{source}:file:{path}"


def _sessions(source: str, path: str, stamp: Stamp, reading: Reading) -> tuple[Packed, ...]:
    """Return a file's sessions; for an unreadable file one stand-in with the reason, so that it is counted."""
    if not reading.unreadable:
        return reading.sessions
    when = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
    reason = Turn(role=Role.USER, origin=Origin.HARNESS, text=reading.unreadable)
    session = Session(
        id=_stand_in_id(source, path),
        source=source,
        project="",
        cwd="",
        started=when,
        ended=when,
        turns=(reason,),
    )
    return (Packed.of(session, LeftOut.UNREADABLE),)
