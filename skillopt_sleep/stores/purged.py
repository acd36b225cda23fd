"""Remember which sessions were purged, by nothing but a hash, so that they aren't read again."""

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from threading import RLock

from skillopt_sleep.records import Reading, Stamp

_MANY = 500


class SqlitePurged:
    """The hashes of purged sessions, and those of the files that hold nothing else."""

    def __init__(self, connection: sqlite3.Connection, lock: RLock) -> None:
        self._connection = connection
        self._lock = lock

    def add(self, sessions: Iterable[str]) -> None:
        """Remember these sessions, within the caller's transaction."""
        rows = [(hashed(session), hashed(session)) for session in sessions]
        self._connection.executemany("INSERT OR IGNORE INTO purged VALUES (?, ?)", rows)

    def has_any(self) -> bool:
        """Return whether a person purged any session."""
        with self._lock:
            return bool(self._connection.execute("SELECT EXISTS (SELECT 1 FROM purged)").fetchone()[0])

    def among(self, names: Collection[str]) -> frozenset[str]:
        """Return which of these sessions or files were purged."""
        by_hash = {hashed(name): name for name in names}
        hashes = list(by_hash)
        found: set[str] = set()
        with self._lock:
            if not self.has_any():
                return frozenset()
            for at in range(0, len(hashes), _MANY):
                some = hashes[at : at + _MANY]
                marks = ", ".join("?" * len(some))
                rows = self._connection.execute(f"SELECT hash FROM purged WHERE hash IN ({marks})", some)  # noqa: S608
                found.update(by_hash[name] for (name,) in rows)
        return frozenset(found)

    def read_again(self, sessions: Collection[str]) -> bool:
        """Let these sessions be read again, with their files; return whether any of them was purged."""
        purged = self.among(sessions)
        with self._lock:
            self._connection.executemany(
                "DELETE FROM purged WHERE session = ?", [(hashed(session),) for session in purged]
            )
        return bool(purged)

    def taken_out(self, batch: Sequence[tuple[str, Stamp, Reading]]) -> list[tuple[str, Stamp, Reading]]:
        """Return what was read without purged sessions, and remember the files that hold nothing else."""
        named = [session.id for _, _, reading in batch for session in reading.sessions]
        purged = self.among(named)
        if not purged:
            return list(batch)
        rest: list[tuple[str, Stamp, Reading]] = []
        for path, stamp, reading in batch:
            sessions = tuple(session for session in reading.sessions if session.id not in purged)
            if len(sessions) == len(reading.sessions):
                rest.append((path, stamp, reading))
            elif sessions or reading.tasks:
                rest.append((path, stamp, reading._replace(sessions=sessions)))
            else:
                rows = [(hashed(path), hashed(session.id)) for session in reading.sessions]
                self._connection.executemany("INSERT OR IGNORE INTO purged VALUES (?, ?)", rows)
                self._connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return rest


def hashed(name: str) -> str:
    """Return what is remembered of a purged session's id."""
    return hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()
