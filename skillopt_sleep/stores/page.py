"""Hold one open night: keep its stages' outputs, write its files, and seal it."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from skillopt_sleep.kit.codec import from_json, map_strings, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import CUT_SHORT, Decision, EditStatus, Lesson, NightReport, Session, Task
from skillopt_sleep.stores.bank import SqliteBank
from skillopt_sleep.stores.bank_rows import side_key
from skillopt_sleep.stores.history import SqliteHistory
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.lessons import SqliteLessons, SqliteTrend

Result = TypeVar("Result")
_DECIDED = (EditStatus.LIVE, EditStatus.UNDONE, EditStatus.REFUSED)


class SqlitePage:
    """An open night: its id, its folder, and the outputs of its stages.

    `drawn` is the first night whose attempts count in this one: itself, or one that was cut short before it.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        *,
        night: str,
        drawn: str,
        folder: Path,
        started: datetime,
        horizon: datetime,
        resumed: bool,
    ) -> None:
        self._connection = connection
        self._lock = lock
        self.night = night
        self.drawn = drawn
        self.folder = folder
        self.started = started
        self.horizon = horizon
        self.resumed = resumed
        self._written: set[str] = set()
        self.index = SqliteIndex(connection, lock)
        self.bank = SqliteBank(connection, lock)
        self.lessons = SqliteLessons(connection, lock)
        self.trend = SqliteTrend(connection, lock)
        self.history = SqliteHistory(connection, lock)

    def keep(self, stage: str, kind: type[Result], compute: Callable[[], Result]) -> Result:
        """Return the stage's output that an interrupted run of this night saved, or compute it and save it first."""
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
        """Append the rows, redacted, to the stage's JSONL file in the night's folder; a resumed night rewrites it."""
        path = self.folder / f"{stage}.jsonl"
        if stage not in self._written:
            path.unlink(missing_ok=True)
            path.touch(mode=PRIVATE_FILE)
            self._written.add(stage)
        with path.open("ab") as file:
            for row in rows:
                file.write(to_json(map_strings(row, redact)) + b"\n")

    def next_proposal(self) -> str:
        """Return a new proposal id, above those of existing files too, which may be older than the database."""
        nights = self.folder.parent
        least = 1
        for path in (*nights.glob("*/proposals/P-*"), *(nights.parent / "adoptions").glob("P-*")):
            number = path.name.removeprefix("P-")
            if number.isdecimal():
                least = max(least, int(number) + 1)
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
        lessons: Sequence[Lesson],
        lost: Sequence[str],
        copies: Sequence[str],
    ) -> None:
        """Seal the night in one transaction; if it was cut short, its sessions stay unread."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            # Also of a session that stays unread, or what was learned from may decide in a later night.
            sides = [(side_key(task.session), task.split.value) for task in tasks if task.split is not None]
            self._connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", sides)
            if report.verdict in CUT_SHORT:
                self.bank.add((), report.proposals, night=self.night)
            else:
                unread = _still_unread(report, lost)
                banked = [task for task in tasks if task.session not in unread]
                self.bank.add(banked, report.proposals, night=self.night)
                unread_lessons = {task.lesson for task in tasks} - {task.lesson for task in banked}
                known = [lesson for lesson in lessons if lesson.id not in unread_lessons]
                self.lessons.keep(known)
                self.bank.withdraw(known, at=report.ended)
                finished = [outcome for outcome in report.documents if not outcome.sessions.unfinished]
                self.history.keep(finished, night=self.night)
                decided = [one.id for state in _DECIDED for one in self.bank.again(state)]
                self.bank.test_again([*_retested(report), *decided], wanted=False)
                read = [session.id for session in found if session.id not in unread]
                ended = {session.id: session.ended for session in found}
                self.index.mark_read([*read, *copies], night=self.night, ended=ended)
            self._connection.execute("DELETE FROM kept WHERE night = ?", (self.night,))
            body = to_json(map_strings(report, redact))
            self._connection.execute(
                "UPDATE nights SET closed = ?, outcome = ?, report = ? WHERE id = ?",
                (report.ended.isoformat(), report.verdict, body, self.night),
            )


def _retested(report: NightReport) -> list[str]:
    """Return the proposals in the person's own words that were tested again; not one that could not be staged."""
    names: list[str] = []
    for outcome in report.documents:
        lost = outcome.sessions.unfinished and outcome.verdict.decision is Decision.ACCEPT
        if not lost:
            names += [one.proposal for one in outcome.tried.retested]
    return names


def _still_unread(report: NightReport, lost: Sequence[str]) -> set[str]:
    """Return the sessions that a later night has to read again: lost, or part of unfinished work."""
    unread = set(lost)
    for outcome in report.documents:
        unread.update(outcome.sessions.left)
        if outcome.sessions.unfinished:
            unread.update(outcome.sessions.ids)
    return unread
