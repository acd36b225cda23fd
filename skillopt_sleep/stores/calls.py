"""calls.db: the calls of one training run, how they failed and what they took, in the run's own folder."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import CallFailed, FailureKind, StoreError
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.stores.ledger import SqliteCalls, SqliteLedger
from skillopt_sleep.stores.schema import migrate, refuse_newer

RUN = "run"
_FAILURES = "CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, kind TEXT, message TEXT, remedy TEXT)"


class SqliteFailures:
    """How questions of a run failed, by their keys."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection, self._lock = connection, lock

    def get(self, key: str) -> CallFailed | None:
        """The failure of a question, None where it has none."""
        with self._lock:
            row = self._connection.execute(
                "SELECT kind, message, remedy FROM failures WHERE key = ?", (key,)
            ).fetchone()
        return CallFailed(FailureKind(row[0]), row[1], remedy=row[2]) if row else None

    def put(self, key: str, error: CallFailed) -> None:
        """Keep it."""
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO failures (key, kind, message, remedy) VALUES (?, ?, ?, ?)",
                (key, error.kind, error.message, error.remedy),
            )

    def forget(self) -> None:
        """Let every question that failed be asked again."""
        with self._lock:
            self._connection.execute("DELETE FROM failures")


class CallStore:
    """The completed calls of a run by content, its failures and its ledger.

    Raises StoreError where the file can't be used.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        lock = threading.RLock()
        self._connection = _connect(path)
        self.calls = SqliteCalls(self._connection, lock, lambda: RUN, clock)
        self.failures = SqliteFailures(self._connection, lock)
        self.ledger = SqliteLedger(self._connection, lock, lambda: RUN, clock)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=PRIVATE_FILE)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
    try:
        refuse_newer(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
        connection.execute(_FAILURES)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreError(f"{path}: {error}", remedy="move the file away: its calls are then paid again") from error
    except BaseException:
        connection.close()
        raise
    return connection
