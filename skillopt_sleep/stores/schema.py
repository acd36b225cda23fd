"""The tables of sleep.db: how the file is opened, and how a part of the store reads and writes its tables."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.files import PRIVATE_FILE, locked, worded

VERSION = 1
BEGIN_ANEW = "skillopt-sleep harvest --new-store"
ASIDE = "aside"  # in the names of stores that were set aside
# A session's body has about 6 KB, which would overflow pages of 4 KB.
_PAGE_SIZE = 16_384
_CACHE_KIB = 32_768
_OPEN_SECONDS = 30
# What is summed up of calls. A call that hasn't reported its tokens or price counts with what was held for it.
# Dollars are added in whole trillionths, so that nothing is lost: ten calls of $0.1 reach a limit of $1.
SUMS = {
    "calls": "1",
    "input_tokens": "coalesce(input_tokens, 0)",
    "output_tokens": "coalesce(output_tokens, 0)",
    "cached_tokens": "coalesce(cached_tokens, 0)",
    "usd": "CAST(round(coalesce(usd, 0) * 1e12) AS INTEGER)",
    "unknown_usd": "(state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL",
    "unnamed": "state != 'failed' AND input_tokens IS NULL",
    "held_tokens": "CASE WHEN input_tokens IS NULL AND state != 'failed' THEN held_tokens ELSE 0 END",
    "held_usd": "CASE WHEN usd IS NULL AND state != 'failed'"
    " THEN CAST(round(coalesce(held_usd, 0) * 1e12) AS INTEGER) ELSE 0 END",
    "unpriced": "(state = 'done' OR input_tokens IS NOT NULL) AND usd IS NULL",
    "repairs": "repair",
    "odd_events": "odd_events",
    "without_held_usd": "state IN ('reserved', 'lost') AND usd IS NULL AND held_usd IS NULL",
}


def _count(row: str, sign: int) -> str:
    """Return the SQL that adds a row of the ledger to the running sums, or takes it out of them."""
    values = ", ".join(f"{sign} * ({expression})" for expression in SUMS.values())
    added = ", ".join(f"{name} = {name} + excluded.{name}" for name in SUMS)
    return (
        f"INSERT INTO spent SELECT night, substr(at, 1, 7), project, purpose, model, coalesce(usd, 0), {values} "  # noqa: S608
        f"FROM ledger WHERE id = {row}.id ON CONFLICT DO UPDATE SET "
        f"highest_usd = max(highest_usd, excluded.highest_usd), {added}"
    )


_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    source TEXT NOT NULL, path TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, PRIMARY KEY (source, path)
) WITHOUT ROWID;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, project TEXT NOT NULL, cwd TEXT NOT NULL,
    ended TEXT NOT NULL, left_out TEXT, digest TEXT NOT NULL, read_by TEXT, rules INTEGER NOT NULL DEFAULT 0,
    heard BLOB, body BLOB NOT NULL
);
CREATE INDEX sessions_unread ON sessions (ended) WHERE read_by IS NULL;
CREATE TABLE reviewed (
    path TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (path, id)
) WITHOUT ROWID;
CREATE TABLE nights (
    id TEXT PRIMARY KEY, config TEXT NOT NULL, started TEXT NOT NULL, closed TEXT, outcome TEXT, report BLOB,
    project TEXT NOT NULL DEFAULT ''
);
CREATE TABLE kept (night TEXT NOT NULL, stage TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (night, stage));
CREATE TABLE tasks (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, session TEXT NOT NULL, lesson TEXT NOT NULL, split TEXT NOT NULL,
    at TEXT NOT NULL, night TEXT NOT NULL, body BLOB NOT NULL, edited TEXT, dropped TEXT, pinned TEXT,
    waits INTEGER NOT NULL DEFAULT 0, earlier BLOB
);
CREATE INDEX tasks_project ON tasks (project, at);
CREATE TABLE calls (key TEXT PRIMARY KEY, night TEXT NOT NULL, at TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, night TEXT NOT NULL, at TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL,
    state TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, usd REAL,
    project TEXT NOT NULL DEFAULT '', repair INTEGER NOT NULL DEFAULT 0, odd_events INTEGER NOT NULL DEFAULT 0,
    held_tokens INTEGER NOT NULL DEFAULT 0, held_usd REAL
);
CREATE TABLE spent (
    night TEXT NOT NULL, month TEXT NOT NULL, project TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL,
    highest_usd REAL NOT NULL, {", ".join(f"{name} INTEGER NOT NULL" for name in SUMS)},
    PRIMARY KEY (night, month, project, purpose, model)
) WITHOUT ROWID;
CREATE TRIGGER ledger_added AFTER INSERT ON ledger BEGIN {_count("NEW", 1)}; END;
CREATE TRIGGER ledger_changes BEFORE UPDATE ON ledger BEGIN {_count("OLD", -1)}; END;
CREATE TRIGGER ledger_changed AFTER UPDATE ON ledger BEGIN {_count("NEW", 1)}; END;
CREATE TABLE proposals (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, decided TEXT, reason TEXT, body BLOB NOT NULL, earlier BLOB, until TEXT,
    again INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE waiting (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE tried (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX tried_path ON tried (path, id);
CREATE TABLE scores (task TEXT PRIMARY KEY, before REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE notebooks (path TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE snapshots (path TEXT PRIMARY KEY, night TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lessons (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE purged (hash TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (hash, session)) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""


class UnusableStore(StoreError):
    """The store is corrupt, or another version of the program wrote it."""


class TableGroup:
    """A part of the store: some tables behind the connection that all parts share, guarded by its lock."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock

    def _rows(self, query: str, values: Collection[object] = ()) -> list[Any]:
        """Return the rows that a query finds."""
        with self._lock:
            return self._connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _writing(self) -> Generator[None]:
        """Run the block in a transaction, or in the one that is already open."""
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


def marks(values: Collection[object]) -> str:
    """Return a question mark for each value, for a list in SQL."""
    return ", ".join("?" * len(values))


def moment(when: datetime) -> str:
    """Format a time for a table, so that earlier times sort first."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def hashed(name: str) -> str:
    """Return what is remembered of a name that itself must not be kept, such as a purged session's."""
    return hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def refuse_other(connection: sqlite3.Connection) -> int:
    """Return the file's schema version, 0 if it is empty.

    Raises UnusableStore, before anything is changed, if another version of the program wrote it.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in {0, VERSION}:
        (file,) = (row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
        raise UnusableStore(
            f"{file or 'the store'} was written by another version of skillopt-sleep"
            f" (schema {version}, this one knows {VERSION})",
            remedy=f"use that version, or set it aside and read your sessions again: {BEGIN_ANEW}",
        )
    return version


def create(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, all or none; whoever opens it at the same moment waits.

    Raises UnusableStore if another version of the program wrote the file, which stays unchanged.
    """
    if refuse_other(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if refuse_other(connection) == 0:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def open_file(path: Path, clock: Callable[[], datetime], *, mend: bool, anew: bool) -> tuple[sqlite3.Connection, str]:
    """Open the user's store, or create it; return a notice if an unusable one was set aside for it.

    To `mend` sets a corrupt file aside, to begin `anew` one of another version too. Only one process does this at a
    time: two that set a file aside together would lose one.
    """
    taken = StoreError(f"{path} is being opened by another process", remedy="try again in a moment")
    with locked(path.with_name("sleep.lock"), lambda: taken, seconds=_OPEN_SECONDS):
        return _opened(path, clock, mend=mend, anew=anew)


def _opened(path: Path, clock: Callable[[], datetime], *, mend: bool, anew: bool) -> tuple[sqlite3.Connection, str]:
    try:
        return _connect_store(path), ""
    except UnusableStore as error:
        unusable, is_wanted = error, anew
    except sqlite3.OperationalError as error:
        message, remedy = worded(error, remedy="check that the folder is writable", place=path)
        raise StoreError(message, remedy=remedy) from error
    except sqlite3.DatabaseError as error:
        unusable, is_wanted = corrupt(path, error), mend or anew
    if not is_wanted:
        raise unusable
    aside = path.with_name(f"{path.name}.{ASIDE}-{clock():%Y%m%dT%H%M%S}")
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    return _connect_store(path), f"{unusable.message}; it was set aside as {aside}, and a new store was created"


def _connect_store(path: Path) -> sqlite3.Connection:
    connection = connect(path, page_size=_PAGE_SIZE, check=True)
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def corrupt(path: Path, error: sqlite3.DatabaseError) -> UnusableStore:
    """Return the error that says that a store is corrupt."""
    remedy = f"restore it from a backup; without one, set it aside and read your sessions again: {BEGIN_ANEW}"
    return UnusableStore(f"{path} is corrupt ({error})", remedy=remedy)


def connect(path: Path, *, page_size: int, check: bool = False) -> sqlite3.Connection:
    """Open a file with our tables, which are created if it is new; on request `check` it for damage first."""
    path.touch(mode=PRIVATE_FILE)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
    try:
        refuse_other(connection)
        connection.execute(f"PRAGMA page_size = {page_size}")  # of a new file
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if check:
            refuse_damage(connection)
        create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_damage(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if SQLite's quick check finds damage."""
    (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if problem != "ok":
        raise sqlite3.DatabaseError(problem)
