"""Every task remembered across nights, and what a person decided on proposals."""

import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Edit, Proposal, Task

WAITING = "waiting"
ADOPTED = "adopted"
REJECTED = "rejected"
UNDONE = "undone"


class Decided(NamedTuple):
    """A proposal and what became of it."""

    proposal: Proposal
    state: str
    reason: str
    decided: str


class SqliteBank:
    """Tasks with their cluster and side; proposals with their fate."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection, self._lock = connection, lock

    def tasks(self, projects: Collection[str]) -> tuple[Task, ...]:
        """The tasks of earlier nights in these projects, oldest first."""
        rows = self._rows(
            f"SELECT body FROM tasks WHERE project IN ({_marks(projects)}) ORDER BY at, id",  # noqa: S608
            tuple(projects),
        )
        return tuple(from_json(body, Task) for (body,) in rows)

    def all_tasks(self) -> tuple[Task, ...]:
        """Every task, oldest first."""
        return tuple(from_json(body, Task) for (body,) in self._rows("SELECT body FROM tasks ORDER BY at, id", ()))

    def unknown(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Those of these tasks that no night has banked as they are now."""
        ids = tuple(task.id for task in tasks)
        rows = self._rows(f"SELECT body FROM tasks WHERE id IN ({_marks(ids)})", ids)  # noqa: S608
        known = {_content(from_json(body, Task)) for (body,) in rows}
        return tuple(task for task in tasks if _content(task) not in known)

    def sides(self, sessions: Collection[str]) -> Mapping[str, str]:
        """Which of these sessions already have a side."""
        rows = self._rows(
            f"SELECT session, split FROM tasks WHERE session IN ({_marks(sessions)})",  # noqa: S608
            tuple(sessions),
        )
        return dict(rows)

    def rejected(self, path: str) -> tuple[Edit, ...]:
        """The edits a person refused for the document at this path."""
        rows = self._rows("SELECT body FROM proposals WHERE path = ? AND state = ?", (path, REJECTED))
        return tuple(edit for (body,) in rows for edit in from_json(body, Proposal).edits)

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        """The proposals for the document at this path that nobody has decided on."""
        rows = self._rows("SELECT body FROM proposals WHERE path = ? AND state = ? ORDER BY id", (path, WAITING))
        return tuple(from_json(body, Proposal) for (body,) in rows)

    def proposals(self, *states: str) -> tuple[Decided, ...]:
        """Proposals in these states, oldest first; in any state where none is named."""
        where = f"WHERE state IN ({_marks(states)})" if states else ""
        rows = self._rows(
            f"SELECT body, state, reason, decided FROM proposals {where} ORDER BY id",  # noqa: S608
            states,
        )
        return tuple(Decided(from_json(body, Proposal), state, why or "", at or "") for body, state, why, at in rows)

    def decide(self, proposal: str, state: str, *, at: datetime, reason: str = "") -> None:
        """Remember what became of a proposal."""
        with self._lock:
            self._connection.execute(
                "UPDATE proposals SET state = ?, decided = ?, reason = ? WHERE id = ?",
                (state, at.isoformat(), reason, proposal),
            )

    def add(self, tasks: Sequence[Task], proposals: Sequence[Proposal], *, night: str) -> None:
        """Bank a night's tasks and proposals; within the caller's transaction."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO tasks (id, project, session, cluster, split, at, night, body) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (t.id, t.project, t.session, t.cluster, t.split or "", t.at.isoformat(), night, to_json(t))
                for t in self.unknown(tasks)
            ],
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO proposals (id, night, path, state, body) VALUES (?, ?, ?, ?, ?)",
            [(p.id, night, p.path, WAITING, to_json(p)) for p in proposals],
        )

    def _rows(self, query: str, values: tuple[str, ...]) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _content(task: Task) -> tuple[object, ...]:
    return task.id, task.prompt, task.context, task.reference, task.project


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
