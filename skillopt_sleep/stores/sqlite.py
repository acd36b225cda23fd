"""Store everything remembered from night to night in sleep.db, and let only one night run at a time."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import filelock

from skillopt_sleep.errors import NightLocked, StoreError
from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.disk import worded
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.records import NightReport, Outcome, read_report
from skillopt_sleep.stores.bank import SqliteBank
from skillopt_sleep.stores.glance import is_running
from skillopt_sleep.stores.history import SqliteHistory
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.ledger import SqliteCalls, SqliteLedger, first_drawn
from skillopt_sleep.stores.lessons import SqliteLessons
from skillopt_sleep.stores.page import SqlitePage
from skillopt_sleep.stores.purge import SqlitePurge
from skillopt_sleep.stores.retention import SqliteRetention
from skillopt_sleep.stores.schema import create, refuse_damage, refuse_other
from skillopt_sleep.stores.trend import SqliteTrend

# A session's body has about 6 KB, which would overflow pages of 4 KB.
_PAGE_SIZE = 16_384
_CACHE_KIB = 32_768
_HOLDER_SECONDS = 1.0  # how long to wait for the lock's holder to write its name
_OPEN_SECONDS = 30
_TICK = 0.02


class NightLine(NamedTuple):
    """A night's line in a list; `closed` is None while it is open."""

    id: str
    started: datetime
    closed: datetime | None
    outcome: Outcome | None


class SqliteStore:
    """The store of one user; `notice` says if a corrupt file was set aside when it was opened.

    `config` is a fingerprint of the settings: an interrupted night is resumed only under the same ones. `only` is the
    project a night is limited to, "" for all. Raises StoreError if a newer version wrote the file, or if it is
    corrupt and not to `mend`.
    """

    def __init__(
        self,
        data: Path,
        *,
        clock: Callable[[], datetime],
        lookback: timedelta,
        config: str,
        only: str = "",
        mend: bool = True,
    ) -> None:
        self._data = private_dir(data)
        self._clock = clock
        self._lookback = lookback
        self._config = config
        self._only = only
        self._lock = threading.RLock()
        self._page: SqlitePage | None = None
        self._connection, self.notice = _open(data / "sleep.db", clock, mend=mend)
        self.index = SqliteIndex(self._connection, self._lock)
        self.bank = SqliteBank(self._connection, self._lock)
        self.lessons = SqliteLessons(self._connection, self._lock)
        self.trend = SqliteTrend(self._connection, self._lock)
        self.history = SqliteHistory(self._connection, self._lock)
        self.purge = SqlitePurge(self._connection, self._lock)
        self.retention = SqliteRetention(self._connection, self._lock)
        self.ledger = SqliteLedger(self._connection, self._lock, lambda: self.page.night, clock)
        self.calls = SqliteCalls(self._connection, self._lock, lambda: self.page.night, clock)

    @property
    def page(self) -> SqlitePage:
        """Return the open night; raise RuntimeError if none is open."""
        if self._page is None:
            raise RuntimeError("no night is open")
        return self._page

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def open_night(self) -> Generator[SqlitePage]:
        """Take the lock; resume a night that was interrupted under the same settings, or begin a new one."""
        with self.alone():
            try:
                self._page = self._begin()
                yield self._page
            finally:
                self._page = None

    @contextmanager
    def alone(self) -> Generator[None]:
        """Hold the lock of nights, so that none runs meanwhile; raise NightLocked, naming its holder, if one does."""
        lock = filelock.FileLock(self._data / "night.lock", timeout=0, mode=PRIVATE_FILE)
        holder = self._data / "night.holder"
        _take(lock, holder)
        try:
            write_atomic(holder, json.dumps({"pid": os.getpid(), "since": self._clock().isoformat()}).encode())
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    def is_running(self) -> bool:
        """Return whether a night holds the lock right now."""
        return is_running(self._data)

    def nights(self) -> tuple[NightLine, ...]:
        """List all nights, newest first."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT id, started, closed, outcome FROM nights ORDER BY started DESC, id DESC"
            ).fetchall()
        lines: list[NightLine] = []
        for night, started, closed, outcome in rows:
            line = NightLine(
                id=night,
                started=datetime.fromisoformat(started),
                closed=datetime.fromisoformat(closed) if closed else None,
                outcome=Outcome(outcome) if outcome else None,
            )
            lines.append(line)
        return tuple(lines)

    def report(self, night: str) -> NightReport | None:
        """Return the report of a closed night, None if there is none."""
        with self._lock:
            row = self._connection.execute("SELECT report FROM nights WHERE id = ?", (night,)).fetchone()
        if row is None or not row[0]:
            return None
        return read_report(row[0])

    def reports(self) -> Iterator[NightReport]:
        """Yield the reports of closed nights, newest first."""
        for night in self.nights():
            report = self.report(night.id)
            if report is not None:
                yield report

    def folder(self, night: str) -> Path:
        """Return the folder of a night's files."""
        return self._data / "nights" / night

    def horizon(self) -> datetime:
        """Return the time before which sessions are too old: `lookback` before the first night, or before now."""
        with self._lock:
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'first_night'").fetchone()
        start = self._clock()
        if row:
            # If the clock was ahead in the first night, later sessions must not count as too old.
            start = min(datetime.fromisoformat(row[0]), start)
        return start - self._lookback

    def _begin(self) -> SqlitePage:
        now = self._clock()
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "UPDATE nights SET closed = ?, outcome = ? WHERE closed IS NULL AND config != ?",
                (now.isoformat(), Outcome.INTERRUPTED, self._config),
            )
            self._connection.execute(
                "DELETE FROM kept WHERE night NOT IN (SELECT id FROM nights WHERE closed IS NULL)"
            )
            self._connection.execute("INSERT OR IGNORE INTO meta VALUES ('first_night', ?)", (now.isoformat(),))
            row = self._connection.execute("SELECT id, started FROM nights WHERE closed IS NULL").fetchone()
            night, started = row or (self._fresh_id(now), now.isoformat())
            if row is None:
                self._connection.execute(
                    "INSERT INTO nights (id, config, started, project) VALUES (?, ?, ?, ?)",
                    (night, self._config, started, self._only),
                )
        return SqlitePage(
            self._connection,
            self._lock,
            night=night,
            drawn=first_drawn(self._connection, night),
            folder=private_dir(self.folder(night)),
            started=datetime.fromisoformat(started),
            horizon=self.horizon(),
            resumed=row is not None,
        )

    def _fresh_id(self, now: datetime) -> str:
        """Return the date, numbered from the day's second night on; skip ids that have a folder already."""
        day = f"{now:%Y-%m-%d}"
        (count,) = self._connection.execute(
            "SELECT count(*) FROM nights WHERE id = ? OR id LIKE ? || '-%'", (day, day)
        ).fetchone()
        number = count + 1
        while True:
            name = f"{day}-{number}" if number > 1 else day
            if not self.folder(name).exists():
                return name
            number += 1


def _take(lock: filelock.BaseFileLock, holder: Path) -> None:
    """Take the lock, or raise NightLocked naming its holder.

    A night writes its name right after taking the lock; a lock without a name is held for a moment by a status check.
    """
    until = time.monotonic() + _HOLDER_SECONDS
    while True:
        try:
            lock.acquire()
        except filelock.Timeout as error:
            name = _holder_name(holder)
            if not name and time.monotonic() < until:
                time.sleep(_TICK)
                continue
            raise NightLocked(
                f"a night is already running{name}",
                remedy="follow it: skillopt-sleep status --watch, or stop it: skillopt-sleep cancel",
            ) from error
        return


def _holder_name(file: Path) -> str:
    try:
        holder = json.loads(file.read_bytes())
        return f" (process {holder['pid']}, since {shown(datetime.fromisoformat(holder['since']))})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _open(path: Path, clock: Callable[[], datetime], *, mend: bool) -> tuple[sqlite3.Connection, str]:
    """Open the database, or create it; set a corrupt file aside and return a notice about it.

    Only one process does this at a time: two that set a corrupt file aside together would lose one.
    """
    try:
        with filelock.FileLock(path.with_name("sleep.lock"), timeout=_OPEN_SECONDS, mode=PRIVATE_FILE):
            return _opened(path, clock, mend=mend)
    except filelock.Timeout as error:
        raise StoreError(f"{path} is being opened by another process", remedy="try again in a moment") from error


def _opened(path: Path, clock: Callable[[], datetime], *, mend: bool) -> tuple[sqlite3.Connection, str]:
    try:
        return _connect(path), ""
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            message, remedy = worded(error, remedy="check that the folder is writable", place=path)
            raise StoreError(message, remedy=remedy) from error
        if not mend:
            raise StoreError(
                f"{path} is corrupt ({error})",
                remedy="restore it from a backup; without one, skillopt-sleep run sets it aside and begins a new one",
            ) from error
        aside = path.with_name(f"{path.name}.corrupt-{clock():%Y%m%dT%H%M%S}")
        for ending in ("", "-wal", "-shm"):
            part = path.with_name(path.name + ending)
            if part.exists():
                part.rename(aside.with_name(aside.name + ending))
        notice = f"{path} is corrupt ({error}); it was set aside as {aside}, and a new store was created"
        return _connect(path), notice


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=PRIVATE_FILE)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
    try:
        refuse_other(connection)
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        refuse_damage(connection)
        create(connection)
    except BaseException:
        connection.close()
        raise
    return connection
