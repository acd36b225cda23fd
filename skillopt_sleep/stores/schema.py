"""The tables of sleep.db."""

import sqlite3

from skillopt_sleep.errors import StoreError

VERSION = 11
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
CREATE TABLE calls (
    key TEXT PRIMARY KEY, night TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL, at TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, night TEXT NOT NULL, at TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL,
    state TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, usd REAL,
    project TEXT NOT NULL DEFAULT '', repair INTEGER NOT NULL DEFAULT 0, odd_events INTEGER NOT NULL DEFAULT 0,
    held_tokens INTEGER NOT NULL DEFAULT 0, held_usd REAL
);
CREATE INDEX ledger_night ON ledger (night);
CREATE INDEX ledger_at ON ledger (at);
CREATE TABLE proposals (
    id TEXT PRIMARY KEY, night TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, decided TEXT, reason TEXT,
    body BLOB NOT NULL, version INTEGER NOT NULL DEFAULT 1, earlier BLOB, until TEXT,
    again INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE waiting (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE tried (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX tried_path ON tried (path, id);
CREATE TABLE scores (task TEXT PRIMARY KEY, night TEXT NOT NULL, before REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE notebooks (path TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE snapshots (path TEXT PRIMARY KEY, night TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lessons (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, state TEXT NOT NULL, night TEXT NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX lessons_project ON lessons (project);
CREATE TABLE purged (hash TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (hash, session)) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""


def refuse_other(connection: sqlite3.Connection) -> int:
    """Return the file's schema version, 0 if it is empty.

    Raises StoreError, before anything is changed, if another version of the program wrote it.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise StoreError(
            f"the store was written by a newer version (schema {version}, this one knows {VERSION})",
            remedy="upgrade skillopt-sleep",
        )
    if 0 < version < VERSION:
        (file,) = (row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
        raise StoreError(
            f"the store was written by an older version (schema {version}, this one knows {VERSION})",
            remedy=f"move {file or 'it'} away: sessions are read anew, and adopted rules can still be undone",
        )
    return version


def create(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, all or none; whoever opens it at the same moment waits.

    Raises StoreError if another version of the program wrote the file, which stays unchanged.
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


def refuse_damage(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if SQLite's quick check finds damage."""
    (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if problem != "ok":
        raise sqlite3.DatabaseError(problem)
