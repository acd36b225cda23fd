"""Store the calls of one training run, their failures and their cost, in calls.db in the run's folder."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import CallFailed, FailureKind, StoreError
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.stores.ledger import SqliteCalls, SqliteLedger, end_write
from skillopt_sleep.stores.schema import create, refuse_other

RUN = "run"
_SCORED = "scored"  # in this folder, before there was a run, skills were scored
# A call changes a few rows on three pages, and pages are written whole: with small ones it takes a tenth less time.
_PAGE_SIZE = 1024
# All of a run's calls are of one night, so these only make writing slower.
_UNINDEXED = "DROP INDEX IF EXISTS ledger_night; DROP INDEX IF EXISTS ledger_at;"
_FAILURES = "CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, kind TEXT, message TEXT, remedy TEXT)"


class SqliteFailures:
    """The failed calls of a run, by key: they are few, and asked for before every call, so they are in memory too."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._known: dict[str, tuple[str, str, str]] = {}
        for key, kind, message, remedy in connection.execute("SELECT key, kind, message, remedy FROM failures"):
            self._known[key] = (kind, message, remedy)

    def get(self, key: str) -> CallFailed | None:
        """Return how this call failed, or None if it didn't."""
        known = self._known.get(key)
        if known is None:
            return None
        kind, message, remedy = known
        return CallFailed(FailureKind(kind), message, remedy=remedy)

    def put(self, key: str, error: CallFailed) -> None:
        """Save the failure of a call."""
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO failures (key, kind, message, remedy) VALUES (?, ?, ?, ?)",
                (key, error.kind, error.message, error.remedy),
            )
            end_write(self._connection)
            self._known[key] = (error.kind, error.message, error.remedy)

    def forget(self) -> None:
        """Delete all failures, so that their calls are made again."""
        with self._lock:
            self._connection.execute("DELETE FROM failures")
            self._known.clear()


class CallStore:
    """A run's completed calls by content, its failures and its ledger; raises StoreError if the file is unusable."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        lock = threading.RLock()
        self._folder = str(path.parent.absolute())
        self._connection = _connect(path)
        self.calls = SqliteCalls(self._connection, lock, lambda: RUN, clock)
        self.failures = SqliteFailures(self._connection, lock)
        self.ledger = SqliteLedger(self._connection, lock, lambda: RUN, clock, alone=True)

    def take_calls(self, other: Path) -> int:
        """Add the completed calls of another run's file; return how many calls there are now."""
        self._connection.execute("ATTACH ? AS other", (str(other),))
        self._connection.execute("INSERT OR IGNORE INTO main.calls SELECT * FROM other.calls")
        self._connection.execute("DETACH other")
        (count,) = self._connection.execute("SELECT count(*) FROM main.calls").fetchone()
        return int(count)

    def take_over(self) -> None:
        """Begin a run: keep the answers, but not what another run spent on those of a copied file, and what failed.

        What was spent here to score skills before there was a run counts.
        """
        self._forget_others()
        self._connection.execute("DELETE FROM meta WHERE key = ?", (_SCORED,))
        self.failures.forget()

    def score_before_a_run(self) -> None:
        """Keep the answers of a copied file as `take_over` does; what is spent from now on is this folder's own."""
        self._forget_others()
        self._connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_SCORED, self._folder))
        self.failures.forget()

    def _forget_others(self) -> None:
        """Delete what was spent in another folder, or by a run that is gone."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (_SCORED,)).fetchone()
        if row != (self._folder,):
            self._connection.execute("DELETE FROM ledger")

    def close(self) -> None:
        """Close the file."""
        try:
            end_write(self._connection)
        finally:
            self._connection.close()


def completed_calls(path: Path) -> int:
    """Return how many completed calls a file of answers holds, 0 if there is none; StoreError if it is unusable."""
    if not path.exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM calls").fetchone()
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error
    return int(count)


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=PRIVATE_FILE)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
    try:
        refuse_other(connection)
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")  # of a new file
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        create(connection)
        connection.executescript(_UNINDEXED)
        connection.execute(_FAILURES)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _unusable(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _unusable(path: Path, error: sqlite3.DatabaseError) -> StoreError:
    return StoreError(
        f"{path}: {error}",
        remedy="name another train.folder or train.shared: there its calls are made and paid again",
    )
