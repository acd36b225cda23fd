"""Store everything remembered from night to night in sleep.db, and open the user's store under their settings."""

import hashlib
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep import __version__
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.records import NightReport, Outcome, Recurrence
from skillopt_sleep.settings import (
    BudgetSettings,
    DaemonSettings,
    NightSettings,
    NotifySettings,
    Paths,
    Settings,
    seconds,
)
from skillopt_sleep.stores.bank import SqliteBank
from skillopt_sleep.stores.calls import SqliteCalls, first_drawn
from skillopt_sleep.stores.history import SqliteHistory
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.ledger import SqliteLedger
from skillopt_sleep.stores.lessons import SqliteLessons, SqliteTrend
from skillopt_sleep.stores.page import SqlitePage
from skillopt_sleep.stores.purge import SqlitePurge
from skillopt_sleep.stores.retention import SqliteRetention
from skillopt_sleep.stores.running import alone, is_running
from skillopt_sleep.stores.schema import open_file


class NightLine(NamedTuple):
    """A night's line in a list; `closed` is None while it is open."""

    id: str
    started: datetime
    closed: datetime | None
    outcome: Outcome | None


class SqliteStore:
    """The store of one user; `notice` says if an unusable file was set aside when it was opened.

    `config` is a fingerprint of the settings: an interrupted night is resumed only under the same ones. `only` is the
    project a night is limited to, "" for all. Raises StoreError if the file is corrupt and not to `mend`, or if
    another version of the program wrote it; to begin `anew` sets it aside in either case.
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
        anew: bool = False,
    ) -> None:
        self._data = private_dir(data)
        self._clock = clock
        self._lookback = lookback
        self._config = config
        self._only = only
        self._lock = threading.RLock()
        self._page: SqlitePage | None = None
        self._connection, self.notice = open_file(data / "sleep.db", clock, mend=mend, anew=anew)
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
        with alone(self._data, self._clock):
            yield

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
        return from_json(row[0], NightReport)

    def reports(self) -> Iterator[NightReport]:
        """Yield the reports of closed nights, newest first."""
        for night in self.nights():
            report = self.report(night.id)
            if report is not None:
                yield report

    def recurrences(self) -> dict[str, Recurrence]:
        """Return how often the lesson of a live rule was corrected, as the last night saw it, by the lesson's id."""
        live = self.bank.adoptions()
        last = next(self.reports(), None)
        counted = last.found.recurrences if last else ()
        return {one.lesson: one for one in counted if live.get(one.proposal) == one.adopted}

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


def open_store(
    settings: Settings, paths: Paths, *, only: str = "", asked: str = "", mend: bool = False, anew: bool = False
) -> SqliteStore:
    """Open the user's store; `only` is the project a night is limited to, "" for all.

    `asked` is how the person asked for sessions to be read again, "" if they didn't. To `mend` a corrupt store is to
    set it aside and begin a new one, which is for nights only; to begin `anew` does so with one of another version
    too, which is for the person to ask for.

    An interrupted night is resumed only under the same settings. Limits, prices, workers, hours and notifications
    may differ.
    """
    relevant = replace(
        settings,
        budget=BudgetSettings(),
        prices={},
        night=NightSettings(),
        daemon=DaemonSettings(),
        notify=NotifySettings(),
    )
    return SqliteStore(
        paths.data,
        clock=utc_now,
        lookback=timedelta(seconds=seconds(settings.harvest.lookback)),
        config=hashlib.sha256(to_json(relevant) + f"{only}\0{__version__}{asked}".encode()).hexdigest(),
        only=only,
        mend=mend,
        anew=anew,
    )


@contextmanager
def read_store(settings: Settings, paths: Paths) -> Generator[SqliteStore]:
    """Open the user's store to read it; where there is none, an empty one stands in, and none is created."""
    if paths.database.exists():
        with closing(open_store(settings, paths)) as store:
            yield store
        return
    with empty_store(settings, paths) as store:
        yield store


@contextmanager
def empty_store(settings: Settings, paths: Paths) -> Generator[SqliteStore]:
    """Open an empty store that is gone afterwards, where there is none or none that can be used."""
    with (
        TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as folder,
        closing(open_store(settings, replace(paths, data=Path(folder)))) as store,
    ):
        yield store
