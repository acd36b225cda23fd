"""Read the store without creating, changing or setting aside any file."""

import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from skillopt_sleep.errors import StoreError
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import HalfRead, Outcome, unpacked_heard
from skillopt_sleep.stores.ledger import SqliteLedger
from skillopt_sleep.stores.schema import corrupt, create, refuse_damage, refuse_other

_COUNTS = {
    "session": "SELECT count(*) FROM sessions",
    "project": "SELECT count(DISTINCT project) FROM sessions WHERE project != ''",
    "task": "SELECT count(*) FROM tasks",
    "lesson": "SELECT count(*) FROM lessons",
    "proposal": "SELECT count(*) FROM proposals",
    "model answer": "SELECT count(*) FROM calls",
    "id hash of purged session": "SELECT count(DISTINCT session) FROM purged",
}


class StoreSummary(NamedTuple):
    """A summary of the store; `sources` are the (source, project) pairs its sessions come from.

    `rows` counts what is kept, by the name of one; `half_read` sessions come with their source.
    """

    nights: int
    unfinished: tuple[str, ...]
    spent: SpendTally
    sources: frozenset[tuple[str, str]]
    rows: Mapping[str, int] = MappingProxyType({})
    half_read: tuple[tuple[str, HalfRead | None], ...] = ()


def summarize(database: Path, *, month: datetime) -> StoreSummary | None:
    """Summarize the store and what was spent in this month; return None if there is no store.

    Raises StoreError if it is corrupt, can't be read, or was written by another version.
    """
    if not database.exists():
        return None
    try:
        with _current(database) as connection:
            refuse_damage(connection)
            nights = connection.execute("SELECT id, closed FROM nights ORDER BY started DESC").fetchall()
            spent = SqliteLedger(connection, threading.RLock(), str, datetime.now).spent_in_month(month)
            sources = connection.execute("SELECT DISTINCT source, project FROM sessions").fetchall()
            heard = connection.execute("SELECT source, heard FROM sessions WHERE heard IS NOT NULL")
            half_read = tuple((source, unpacked_heard(body).gaps.half_read) for source, body in heard)
            rows = {what: connection.execute(count).fetchone()[0] for what, count in _COUNTS.items()}
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{database}: {error}", remedy="check that the file is readable and that no night is running"
        ) from error
    except sqlite3.DatabaseError as error:
        raise corrupt(database, error) from error
    unfinished = tuple(night for night, closed in nights if closed is None)
    return StoreSummary(len(nights), unfinished, spent, frozenset(sources), rows, half_read)


def last_finished(database: Path, *, now: datetime) -> datetime | None:
    """Return when the last night over all projects finished or reached its limit; times after `now` don't count.

    Returns None also if the store can't be read: the next night reports why.
    """
    if not database.exists():
        return None
    query = "SELECT max(closed) FROM nights WHERE closed <= ? AND outcome NOT IN (?, ?) AND project = ''"
    unfinished = (Outcome.BACKEND_FAILED.value, Outcome.INTERRUPTED.value)
    try:
        with _current(database) as connection:
            (closed,) = connection.execute(query, (now.astimezone(UTC).isoformat(), *unfinished)).fetchone()
    except (sqlite3.DatabaseError, StoreError):
        return None
    return datetime.fromisoformat(closed) if closed else None


def nights(database: Path) -> tuple[str, ...]:
    """List the ids of all nights, newest first; none if the store can't be read."""
    return tuple(str(row[0]) for row in _rows(database, "SELECT id FROM nights ORDER BY started DESC"))


def proposals(database: Path) -> tuple[tuple[str, str], ...]:
    """List the id and summary of all proposals, waiting ones first; none if the store can't be read."""
    query = (
        "SELECT id, coalesce(json_extract(CAST(body AS TEXT), '$.summary'), '') FROM proposals "
        "ORDER BY state != 'waiting', id DESC"
    )
    return tuple((str(name), str(summary)) for name, summary in _rows(database, query))


def _rows(database: Path, query: str) -> list[tuple[object, ...]]:
    if not database.exists():
        return []
    try:
        with _current(database) as connection:
            return connection.execute(query).fetchall()
    except (sqlite3.DatabaseError, StoreError):
        return []


@contextmanager
def _current(database: Path) -> Generator[sqlite3.Connection]:
    """Open the file read-only; raise StoreError if another version of the program wrote it."""
    # Opening a database in WAL mode creates its -wal and -shm files, unless it is declared immutable. That is true
    # only if nobody writes it, and a writer would have a -wal file.
    is_written = database.with_name(f"{database.name}-wal").exists()
    options = "mode=ro" if is_written else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?{options}", uri=True, timeout=5.0)) as connection:
        if refuse_other(connection):
            yield connection
            return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:  # the file is just being created
        create(empty)
        yield empty
