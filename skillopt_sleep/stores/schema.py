"""The tables of sleep.db, and the migrations that bring an older file up to date."""

import sqlite3

from skillopt_sleep.errors import StoreError

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        source TEXT NOT NULL, path TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, PRIMARY KEY (source, path)
    ) WITHOUT ROWID;
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, project TEXT NOT NULL, cwd TEXT NOT NULL,
        ended TEXT NOT NULL, left_out TEXT, digest TEXT NOT NULL, body BLOB NOT NULL, read_by TEXT
    );
    CREATE INDEX sessions_unread ON sessions (ended) WHERE read_by IS NULL;
    CREATE TABLE reviewed (
        path TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (path, id)
    ) WITHOUT ROWID;
    CREATE TABLE nights (
        id TEXT PRIMARY KEY, config TEXT NOT NULL, started TEXT NOT NULL, closed TEXT, outcome TEXT, report BLOB
    );
    CREATE TABLE kept (night TEXT NOT NULL, stage TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (night, stage));
    CREATE TABLE tasks (
        id TEXT PRIMARY KEY, project TEXT NOT NULL, session TEXT NOT NULL, cluster TEXT NOT NULL, split TEXT NOT NULL,
        at TEXT NOT NULL, night TEXT NOT NULL, body BLOB NOT NULL
    );
    CREATE INDEX tasks_project ON tasks (project, at);
    CREATE TABLE calls (
        key TEXT PRIMARY KEY, night TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL, at TEXT NOT NULL,
        body BLOB NOT NULL
    );
    CREATE TABLE ledger (
        id INTEGER PRIMARY KEY, night TEXT NOT NULL, at TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL,
        state TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, usd REAL
    );
    CREATE INDEX ledger_night ON ledger (night);
    """,
    """
    CREATE TABLE proposals (
        id TEXT PRIMARY KEY, night TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, decided TEXT, reason TEXT,
        body BLOB NOT NULL
    );
    """,
    """
    ALTER TABLE tasks ADD COLUMN edited TEXT;
    ALTER TABLE tasks ADD COLUMN dropped TEXT;
    ALTER TABLE tasks ADD COLUMN pinned TEXT;
    ALTER TABLE tasks ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tasks ADD COLUMN earlier BLOB;
    """,
    """
    ALTER TABLE ledger ADD COLUMN project TEXT NOT NULL DEFAULT '';
    ALTER TABLE ledger ADD COLUMN repair INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ledger ADD COLUMN odd_events INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ledger ADD COLUMN held_tokens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ledger ADD COLUMN held_usd REAL;
    CREATE INDEX ledger_at ON ledger (at);
    """,
    """
    CREATE TABLE waiting (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
    CREATE TABLE tried (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body BLOB NOT NULL);
    CREATE INDEX tried_path ON tried (path, id);
    CREATE TABLE scores (task TEXT PRIMARY KEY, night TEXT NOT NULL, before REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE notebooks (path TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE snapshots (path TEXT PRIMARY KEY, night TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
    """,
    """
    ALTER TABLE nights ADD COLUMN project TEXT NOT NULL DEFAULT '';
    """,
    """
    ALTER TABLE tasks RENAME COLUMN cluster TO lesson;
    UPDATE tasks SET body = CAST(json_set(
        json_remove(CAST(body AS TEXT), '$.cluster', '$.signals'),
        '$.wording', coalesce(json_extract(CAST(body AS TEXT), '$.lesson'), ''), '$.lesson', lesson
    ) AS BLOB) WHERE json_valid(CAST(body AS TEXT));
    UPDATE tasks SET earlier = CAST((
        SELECT json_group_array(json(json_set(
            json_remove(value, '$.cluster', '$.signals'),
            '$.wording', coalesce(json_extract(value, '$.lesson'), ''),
            '$.lesson', coalesce(json_extract(value, '$.cluster'), '')
        ))) FROM json_each(CAST(tasks.earlier AS TEXT))
    ) AS BLOB) WHERE json_valid(CAST(earlier AS TEXT));
    UPDATE reviewed SET body = CAST(json_set(
        json_remove(CAST(body AS TEXT), '$.cluster', '$.signals'),
        '$.wording', coalesce(json_extract(CAST(body AS TEXT), '$.lesson'), ''),
        '$.lesson', coalesce(json_extract(CAST(body AS TEXT), '$.cluster'), '')
    ) AS BLOB) WHERE json_valid(CAST(body AS TEXT));
    DELETE FROM kept;
    ALTER TABLE proposals ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE proposals ADD COLUMN earlier BLOB;
    CREATE TABLE lessons (
        id TEXT PRIMARY KEY, project TEXT NOT NULL, state TEXT NOT NULL, night TEXT NOT NULL, body BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX lessons_project ON lessons (project);
    INSERT INTO lessons SELECT lesson, min(project), 'open', min(night), CAST(json_object(
        'id', lesson,
        'project', min(project),
        'wording', coalesce((
            SELECT json_extract(CAST(named.body AS TEXT), '$.wording') FROM tasks AS named
            WHERE named.lesson = tasks.lesson AND json_extract(CAST(named.body AS TEXT), '$.wording') != ''
            ORDER BY named.at DESC LIMIT 1
        ), ''),
        'first', (SELECT json_extract(CAST(named.body AS TEXT), '$.at') FROM tasks AS named
                  WHERE named.lesson = tasks.lesson ORDER BY named.at LIMIT 1),
        'last', (SELECT json_extract(CAST(named.body AS TEXT), '$.at') FROM tasks AS named
                 WHERE named.lesson = tasks.lesson ORDER BY named.at DESC LIMIT 1),
        'quotes', json(coalesce((
            SELECT json_group_array(json(quote.value)) FROM tasks AS named,
                json_each(CAST(named.body AS TEXT), '$.evidence') AS quote WHERE named.lesson = tasks.lesson
        ), '[]'))
    ) AS BLOB) FROM tasks WHERE lesson != '' AND json_valid(CAST(body AS TEXT)) GROUP BY lesson;
    ALTER TABLE sessions ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN heard BLOB;
    """,
    """
    CREATE TABLE purged (hash TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (hash, session)) WITHOUT ROWID;
    """,
    """
    ALTER TABLE proposals ADD COLUMN until TEXT;
    """,
    """
    ALTER TABLE proposals ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
    """,
)


def refuse_newer(connection: sqlite3.Connection) -> int:
    """Return the file's schema version; raise StoreError, before changing anything, if a newer program wrote it."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise StoreError(
            f"the store was written by a newer version (schema {version}, this one knows {len(MIGRATIONS)})",
            remedy="upgrade skillopt-sleep",
        )
    return version


def migrate(connection: sqlite3.Connection) -> int:
    """Bring an older file up to date, one transaction per version; return the version it had.

    Raises StoreError if a newer version wrote the file, which stays unchanged.
    """
    old_version = refuse_newer(connection)
    for version, script in enumerate(MIGRATIONS[old_version:], start=old_version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            _step(connection, version, script)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    return old_version


def _step(connection: sqlite3.Connection, version: int, script: str) -> None:
    """Bring the file up to this version, unless whoever opened it at the same moment has done so."""
    (now,) = connection.execute("PRAGMA user_version").fetchone()
    if now >= version:
        return
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute(f"PRAGMA user_version = {version}")


def refuse_damage(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if SQLite's quick check finds damage."""
    (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if problem != "ok":
        raise sqlite3.DatabaseError(problem)
