"""The store as it is, looked at without making, changing or setting aside anything."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import filelock

from skillopt_sleep.errors import StoreError
from skillopt_sleep.protocols import Tally
from skillopt_sleep.records import Outcome
from skillopt_sleep.stores.holder import living_holder
from skillopt_sleep.stores.ledger import SqliteLedger
from skillopt_sleep.stores.schema import MIGRATIONS, migrate, refuse_newer


class Glance(NamedTuple):
    """What is in the store: `sources` are where its sessions come from, by project."""

    nights: int
    unfinished: tuple[str, ...]
    spent: Tally
    sources: frozenset[tuple[str, str]]


def glance(database: Path, *, since: datetime) -> Glance | None:
    """What is in the store and what was spent since then; None where there is none.

    Raises StoreError where it is corrupt, can't be read, or was written by a newer version.
    """
    if not database.exists():
        return None
    try:
        with _current(database) as connection:
            _refuse_damage(connection)
            nights = connection.execute("SELECT id, closed FROM nights ORDER BY started DESC").fetchall()
            spent = SqliteLedger(connection, threading.RLock(), str, datetime.now).spent_since(since)
            sources = connection.execute("SELECT DISTINCT source, project FROM sessions").fetchall()
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{database}: {error}", remedy="check that it can be read, and that no night runs"
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{database} is corrupt ({error})",
            remedy="put a copy of it there that is whole, or let the next night set it aside and begin a new one",
        ) from error
    unfinished = tuple(night for night, closed in nights if closed is None)
    return Glance(len(nights), unfinished, spent, frozenset(sources))


def last_finished(database: Path, *, now: datetime) -> datetime | None:
    """When the last night of all projects that ran to its end, or to its limit, was closed; none ahead of `now`.

    None also where the store can't be read: the night that opens it says why.
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


def held_by(data: Path) -> int | None:
    """The process of the night that runs; None where none does, or none is verifiably its process."""
    return living_holder(data) if is_running(data) else None


def is_running(data: Path) -> bool:
    """Whether a night holds the lock at this moment; the lock's file isn't made for it."""
    file = data / "night.lock"
    if not file.exists():
        return False
    lock = filelock.FileLock(file, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        return True
    lock.release()
    return False


def _refuse_damage(connection: sqlite3.Connection) -> None:
    (damage,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if damage != "ok":
        raise sqlite3.DatabaseError(damage)


@contextmanager
def _current(database: Path) -> Generator[sqlite3.Connection]:
    """The file, read only; one of an older version as a copy in memory, brought up to date."""
    # Reading a WAL file makes its -wal and -shm, unless it is said that nobody writes it; then there is a -wal.
    how = "mode=ro" if database.with_name(f"{database.name}-wal").exists() else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?{how}", uri=True, timeout=5.0)) as connection:
        if refuse_newer(connection) == len(MIGRATIONS):
            yield connection
            return
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            connection.backup(copy)
            migrate(copy)
            yield copy
