"""One night of the store, while it is open."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from skillopt_sleep.kit.codec import from_json, map_strings, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import CUT_SHORT, NightReport, Session, Task, report_data
from skillopt_sleep.stores.bank import SqliteBank
from skillopt_sleep.stores.history import SqliteHistory
from skillopt_sleep.stores.index import SqliteIndex

Result = TypeVar("Result")


class SqlitePage:
    """A night: its id and folder, what its stages kept, and how it is sealed."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        *,
        night: str,
        folder: Path,
        started: datetime,
        horizon: datetime,
        resumed: bool,
    ) -> None:
        self._connection, self._lock = connection, lock
        self.night, self.folder, self.started, self.horizon, self.resumed = night, folder, started, horizon, resumed
        self._written: set[str] = set()
        self.index = SqliteIndex(connection, lock)
        self.bank = SqliteBank(connection, lock)
        self.history = SqliteHistory(connection, lock)

    def keep(self, stage: str, kind: type[Result], compute: Callable[[], Result]) -> Result:
        """The stage's output: what an earlier life of this night kept, else computed, and kept before it is used."""
        with self._lock:
            row = self._connection.execute(
                "SELECT body FROM kept WHERE night = ? AND stage = ?", (self.night, stage)
            ).fetchone()
        if row:
            return from_json(row[0], kind)
        output = compute()
        with self._lock:
            self._connection.execute("INSERT INTO kept VALUES (?, ?, ?)", (self.night, stage, to_json(output)))
        return output

    def write(self, stage: str, rows: Sequence[object]) -> None:
        """Append the rows, redacted, to the stage's JSONL in the night's folder; a night that goes on begins anew."""
        path = self.folder / f"{stage}.jsonl"
        if stage not in self._written:
            path.unlink(missing_ok=True)
            path.touch(mode=PRIVATE_FILE)
            self._written.add(stage)
        with path.open("ab") as file:
            file.writelines(to_json(map_strings(row, redact)) + b"\n" for row in rows)

    def next_proposal(self) -> str:
        """A fresh proposal id; never given twice, not even by a database that was begun anew beside older files."""
        nights = self.folder.parent
        given = (*nights.glob("*/proposals/P-*"), *(nights.parent / "adoptions").glob("P-*"))
        numbers = (path.name.removeprefix("P-") for path in given)
        least = max((int(number) for number in numbers if number.isdecimal()), default=0) + 1
        with self._lock:
            row = self._connection.execute(
                "INSERT INTO meta VALUES ('proposals', :least) ON CONFLICT (key) "
                "DO UPDATE SET value = max(CAST(value AS INTEGER) + 1, :least) RETURNING value",
                {"least": least},
            ).fetchone()
        return f"P-{int(row[0]):04d}"

    def close(
        self,
        report: NightReport,
        *,
        found: Sequence[Session],
        tasks: Sequence[Task],
        lost: Sequence[str],
        copies: Sequence[str],
    ) -> None:
        """Seal the night in one transaction; a night that was cut short leaves its sessions unread."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            undone = set(lost)
            for outcome in report.documents:
                undone.update(outcome.sessions.left)
                if outcome.sessions.unfinished:
                    undone.update(outcome.sessions.ids)
            cut = report.verdict in CUT_SHORT
            banked = () if cut else tuple(task for task in tasks if task.session not in undone)
            self.bank.add(banked, report.proposals, night=self.night)
            if not cut:
                finished = [outcome for outcome in report.documents if not outcome.sessions.unfinished]
                self.history.keep(finished, night=self.night)
                read = [session.id for session in found if session.id not in undone]
                ended = {session.id: session.ended for session in found}
                self.index.mark_read([*read, *copies], night=self.night, ended=ended)
            self._connection.execute("DELETE FROM kept WHERE night = ?", (self.night,))
            body = to_json(map_strings(report_data(report), redact))
            self._connection.execute(
                "UPDATE nights SET closed = ?, outcome = ?, report = ? WHERE id = ?",
                (report.ended.isoformat(), report.verdict, body, self.night),
            )
