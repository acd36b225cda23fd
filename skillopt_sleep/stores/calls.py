"""Save every answer of a model before it is used; and the calls of one training run, in calls.db in its folder."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from pathlib import Path

from skillopt_sleep.errors import CallFailed, FailureKind, StoreError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import CUT_SHORT, Completion
from skillopt_sleep.stores.ledger import SqliteLedger, end_write
from skillopt_sleep.stores.schema import UnusableStore, connect

RUN = "run"
# A call changes a few rows on three pages, and pages are written whole: with small ones it takes a tenth less time.
_PAGE_SIZE = 1024
_ELSEWHERE = "train in another folder: there its calls are made and paid again"
_FAILURES = "CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, kind TEXT, message TEXT, remedy TEXT)"


_CUT = ", ".join(f"'{outcome.value}'" for outcome in sorted(CUT_SHORT))


class AnswerScope(Enum):
    """The nights whose answers may be used, as an SQL condition."""

    ALL = "1"
    TONIGHT = "night = :night"
    WITH_CUT_SHORT = (
        f"(night = :night OR night IN (SELECT id FROM nights WHERE outcome IN ({_CUT}) AND started > coalesce("  # noqa: S608
        f"(SELECT max(started) FROM nights WHERE outcome IS NOT NULL AND outcome NOT IN ({_CUT})), '')))"
    )


def first_drawn(connection: sqlite3.Connection, night: str) -> str:
    """Return the first of the nights whose attempts count in this night: itself, or one cut short before it."""
    query = (
        f"SELECT night FROM (SELECT id AS night, started FROM nights) WHERE {AnswerScope.WITH_CUT_SHORT.value} "  # noqa: S608
        "ORDER BY started, night LIMIT 1"
    )
    row = connection.execute(query, {"night": night}).fetchone()
    return str(row[0]) if row else night


class SqliteCalls:
    """Completed calls by a key of their content."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
        *,
        of: AnswerScope = AnswerScope.ALL,
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._night = night
        self._clock = clock
        self._of = of

    def of_this_night(self) -> "SqliteCalls":
        """Return a view with this night's answers only: what earlier nights asked is asked again, once."""
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=AnswerScope.TONIGHT)

    def draws(self) -> "SqliteCalls":
        """Return a view that adds the nights cut short right before this one, unless it is limited to this night."""
        of = AnswerScope.TONIGHT if self._of is AnswerScope.TONIGHT else AnswerScope.WITH_CUT_SHORT
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=of)

    def get(self, key: str) -> Completion | None:
        """Return the stored answer without its decoded form, or None."""
        query = f"SELECT body FROM calls WHERE key = :key AND {self._of.value}"  # noqa: S608
        values = {"key": key}
        if self._of is not AnswerScope.ALL:
            values["night"] = self._night()
        with self._lock:
            row = self._connection.execute(query, values).fetchone()
        if row is None:
            return None
        return from_json(row[0], Completion)

    def put(self, key: str, completion: Completion) -> None:
        """Save an answer before it is used; its decoded form is left out, and made again after reading."""
        body = to_json(
            {"text": completion.text, "usage": completion.usage, "usd": completion.usd, "model": completion.model}
        )
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO calls (key, night, at, body) VALUES (?, ?, ?, ?)",
                (key, self._night(), self._clock().isoformat(), body),
            )
            end_write(self._connection)


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
        self._connection = _connect(path)
        self.calls = SqliteCalls(self._connection, lock, lambda: RUN, clock)
        self.failures = SqliteFailures(self._connection, lock)
        self.ledger = SqliteLedger(self._connection, lock, lambda: RUN, clock, alone=True)

    def close(self) -> None:
        """Close the file."""
        try:
            end_write(self._connection)
        finally:
            self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = connect(path, page_size=_PAGE_SIZE)
        connection.execute(_FAILURES)
    except UnusableStore as error:
        raise StoreError(error.message, remedy=_ELSEWHERE) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: {error}", remedy=_ELSEWHERE) from error
    return connection
