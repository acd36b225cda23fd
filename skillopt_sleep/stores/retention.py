"""Forget the words of what is old in the store; numbers, decisions, and what is live or waits stay."""

import sqlite3
import threading
from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager
from datetime import datetime

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import (
    BY_HAND,
    EMPTIED,
    Evidence,
    Lesson,
    LessonState,
    NightReport,
    Session,
    Task,
    unpacked,
)
from skillopt_sleep.stores.lessons import SqliteLessons
from skillopt_sleep.stores.schema import TableGroup, moment

BEFORE = 2  # turns before what was said: the request and its answer
_KEPT = frozenset({LessonState.PROPOSED, LessonState.LIVE})


class SqliteRetention(TableGroup):
    """Forgets what is older than a time; the lock guards the connection."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        super().__init__(connection, lock)
        self._lessons = SqliteLessons(connection, lock)

    def nights(self, before: datetime) -> tuple[str, ...]:
        """Return the nights that were over by then and still have more than numbers."""
        query = "SELECT id FROM nights WHERE closed < ? AND config != ''"
        return tuple(night for (night,) in self._rows(query, (moment(before),)))

    def forget_night(self, night: str, report: NightReport | None) -> None:
        """Delete a night's answers, and put this report in the place of its own."""
        with self._erasing():
            self._connection.execute("DELETE FROM calls WHERE night = ?", (night,))
            if report is not None:
                body = to_json(report)
                self._connection.execute("UPDATE nights SET report = ? WHERE id = ?", (body, night))
            # Nobody resumes a night that is over, so an empty fingerprint of its settings marks it as forgotten.
            self._connection.execute("UPDATE nights SET config = '' WHERE id = ?", (night,))

    def forget_sessions(self, before: datetime) -> int:
        """Empty the sessions that ended by then, but unread ones whose file is there; return how many had a text.

        The turns that taught a lesson stay as long as the lesson, each with the request and the answer before it.
        """
        taught: dict[str, list[Evidence]] = {}
        for lesson in self._lessons.every():
            for sign in lesson.signs:
                taught.setdefault(sign.session, []).append(sign)
        query = """
            SELECT id, body FROM sessions WHERE ended < ?
            AND (read_by IS NOT NULL OR left_out IS NOT NULL OR path NOT IN (SELECT path FROM files))
        """
        emptied: list[tuple[bytes, str]] = []
        with self._erasing():
            for name, body in self._connection.execute(query, (moment(before),)):
                session = unpacked(body)
                empty = _emptied(session, taught.get(name, ()))
                if empty != session:
                    emptied.append((msgspec.msgpack.encode(empty), name))
            self._connection.executemany("UPDATE sessions SET body = ?, heard = NULL WHERE id = ?", emptied)
        return len(emptied)

    def forget_lessons(self, before: datetime, *, asked: datetime, named: Collection[str]) -> tuple[int, int]:
        """Delete the tasks and lessons of before then; return how many.

        Tasks from after `asked` are asked again, those `named` belong to an undecided candidate. What a person wrote
        or changed stays, and so does the lesson of a proposal that is live or waits, with its tasks.
        """
        with self._erasing():
            lessons = [from_json(body, Lesson) for (body,) in self._rows("SELECT body FROM lessons")]
            current = self._lessons.of({lesson.project for lesson in lessons})
            kept = {lesson.id for lesson in current if lesson.state in _KEPT}
            tasks: list[str] = []
            query = "SELECT id, lesson, body FROM tasks WHERE edited IS NULL AND pinned IS NULL AND NOT waits"
            for name, lesson, body in self._connection.execute(query):
                task = from_json(body, Task)
                is_old = task.at < min(before, asked)
                if is_old and lesson not in kept and name not in named and task.source != BY_HAND:
                    tasks.append(name)
            self._delete("tasks", tasks)
            used = {name for (name,) in self._connection.execute("SELECT DISTINCT lesson FROM tasks")}
            old = [one.id for one in lessons if one.last < before and one.id not in kept | used]
            self._delete("lessons", old)
        return len(tasks), len(old)

    def _delete(self, table: str, names: Collection[str]) -> None:
        query = f"DELETE FROM {table} WHERE id = ?"  # noqa: S608 - constants
        self._connection.executemany(query, [(name,) for name in names])

    @contextmanager
    def _erasing(self) -> Generator[None]:
        """Run the block in a transaction that overwrites what it deletes."""
        with self._lock:
            self._connection.execute("PRAGMA secure_delete = ON")
            with self._writing():
                yield


def _emptied(session: Session, taught: Iterable[Evidence]) -> Session:
    """Return the session without anything that was said or done in it, except the turns that taught this."""
    kept: set[int] = set()
    for sign in taught:
        found = session.turn_with(sign.quote, sign.turn) if sign.deed is None else None
        at = sign.turn if found is None else found
        kept.update(range(at - BEFORE, at + 1))
    turns = [turn if number in kept else EMPTIED for number, turn in enumerate(session.turns)]
    return replace(
        session,
        turns=tuple(turns) if kept else (),
        tools=(),
        stops=(),
        commands=(),
        changed_files=(),
        instructions=(),
    )
