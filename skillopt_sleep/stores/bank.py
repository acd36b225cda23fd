"""Every task remembered across nights, what a person made of it, and what they decided on proposals."""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import BY_HAND, Edit, Proposal, Split, Task

WAITING = "waiting"
ADOPTED = "adopted"
REJECTED = "rejected"
UNDONE = "undone"
OPEN = (WAITING, UNDONE)  # what a person can still adopt or reject

_COLUMNS = "id, project, session, cluster, split, at, body"
_BANKED = "SELECT body, night, edited, dropped, pinned, waits, earlier FROM tasks"


class Decided(NamedTuple):
    """A proposal and what became of it."""

    proposal: Proposal
    state: str
    reason: str
    decided: str


class Mark(StrEnum):
    """What a person can put on a task without changing it."""

    DROPPED = "dropped"
    PINNED = "pinned"


class Banked(NamedTuple):
    """A task and its fate: when a person wrote, dropped or pinned it, or None, and what it was before, oldest first.

    `night` banked it as it is, empty where none did yet; it `waits` while no night has used what the person wrote.
    """

    task: Task
    night: str = ""
    edited: datetime | None = None
    dropped: datetime | None = None
    pinned: datetime | None = None
    waits: bool = False
    earlier: tuple[Task, ...] = ()


class SqliteBank:
    """Tasks with their cluster and side; proposals with their fate."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection, self._lock = connection, lock

    def tasks(self, projects: Collection[str]) -> tuple[Task, ...]:
        """The tasks of earlier nights in these projects, oldest first; what a person dropped is left out."""
        rows = self._rows(
            f"SELECT body FROM tasks WHERE project IN ({_marks(projects)}) "  # noqa: S608
            "AND dropped IS NULL AND night != '' ORDER BY at, id",
            tuple(projects),
        )
        return tuple(from_json(body, Task) for (body,) in rows)

    def all_tasks(self) -> tuple[Task, ...]:
        """Every task that wasn't dropped, oldest first."""
        return tuple(entry.task for entry in self.entries() if entry.dropped is None)

    def entries(self) -> tuple[Banked, ...]:
        """Every task with its fate, dropped ones too, oldest first."""
        return self._banked("ORDER BY at, id")

    def unknown(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """What a person wrote and no night has used as it is: of these tasks, and of those added or edited here."""
        waiting = {
            entry.task.id: entry.task for entry in self._banked("WHERE waits AND dropped IS NULL ORDER BY at, id")
        }
        known = {_content(entry.task) for entry in self._named(task.id for task in tasks)}
        fresh = {task.id: task for task in self.kept(tasks) if _content(task) not in known}
        return tuple((waiting | fresh).values())

    def kept(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """These tasks as a person left them: their edits in place of what was found again, nothing they dropped.

        A task that was found again in other words is known by the turns it came from. An entry of a tasks file that
        changed since the edit is the later word, and holds.
        """
        own = {entry.task.id: entry for entry in self._named(task.id for task in tasks)}
        touched = self._banked("WHERE edited IS NOT NULL OR dropped IS NOT NULL")
        by_trace = {
            trace: entry for entry in touched for one in (*entry.earlier, entry.task) for trace in _traces(one)
        }
        out: dict[str, Task] = {}
        for task in tasks:
            found = (by_trace[trace] for trace in _traces(task) if trace in by_trace)
            entry = own.get(task.id) or next(found, None)
            left = _left(entry, task) if entry else task
            if left is not None:
                out[left.id] = left
        return tuple(out.values())

    def pinned(self) -> frozenset[str]:
        """The ids of the tasks that take part in every night of their project."""
        rows = self._rows("SELECT id FROM tasks WHERE pinned IS NOT NULL AND dropped IS NULL", ())
        return frozenset(name for (name,) in rows)

    def write(self, tasks: Sequence[Task], *, at: datetime) -> tuple[str, ...]:
        """Keep these as a person wrote them, all or none; a known one stays of its session and cluster.

        A session is on one side only: the ids are those of other tasks that moved along with a new side.
        """
        moved: list[str] = []
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            known = {entry.task.id: entry for entry in self._named(task.id for task in tasks)}
            for task in tasks:
                entry = known.get(task.id)
                if entry is None:
                    self._insert(task, night="", edited=at.isoformat(), waits=True)
                    continue
                written = _onto(entry.task, task)
                changes = _content(written) != _content(entry.task)
                self._update(
                    written,
                    edited=at.isoformat(),
                    waits=entry.waits or changes,
                    earlier=to_json((*entry.earlier, entry.task)),
                )
                moved += self._move_session(written)
        return tuple(moved)

    def mark(self, ids: Sequence[str], mark: Mark, *, at: datetime | None) -> None:
        """Drop or pin these tasks, or take that back where no time is given."""
        with self._lock:
            self._connection.execute(
                f"UPDATE tasks SET {mark.value} = ? WHERE id IN ({_marks(ids)})",  # noqa: S608
                (at.isoformat() if at else None, *ids),
            )

    def sides(self, sessions: Collection[str]) -> Mapping[str, str]:
        """Which of these sessions already have a side."""
        rows = self._rows(
            f"SELECT session, split FROM tasks WHERE split != '' AND session IN ({_marks(sessions)})",  # noqa: S608
            tuple(sessions),
        )
        return dict(rows)

    def rejected(self, path: str) -> tuple[Edit, ...]:
        """The edits a person refused for the document at this path."""
        return self._edits(path, REJECTED)

    def adopted(self, path: str) -> tuple[Edit, ...]:
        """The edits that a person put live in the document at this path and didn't undo, oldest first."""
        return self._edits(path, ADOPTED)

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        """The proposals for the document at this path that nobody has decided on."""
        return tuple(found.proposal for found in self.proposals(WAITING) if found.proposal.path == path)

    def proposals(self, *states: str) -> tuple[Decided, ...]:
        """Proposals in these states, oldest first; in any state where none is named."""
        where = f"WHERE state IN ({_marks(states)})" if states else ""
        # By number: as text, P-10000 would come before P-9999.
        rows = self._rows(
            f"SELECT body, state, reason, decided FROM proposals {where} ORDER BY length(id), id",  # noqa: S608
            states,
        )
        return tuple(Decided(from_json(body, Proposal), state, why or "", at or "") for body, state, why, at in rows)

    def decide(
        self, proposal: str, state: str, *, at: datetime, reason: str = "", leaving: Collection[str] = OPEN
    ) -> bool:
        """Remember what became of a proposal; False, and nothing changed, where it isn't in a state to be left.

        Raises StoreError where the disk refuses.
        """
        try:
            with self._lock:
                done = self._connection.execute(
                    "UPDATE proposals SET state = ?, decided = ?, reason = ? "  # noqa: S608
                    f"WHERE id = ? AND state IN ({_marks(leaving)})",
                    (state, at.isoformat(), reason, proposal, *leaving),
                )
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"that {proposal} is {state} can't be written into the store: {error}",
                remedy="make room, or end what holds the store; then: skillopt-sleep status",
            ) from error
        return done.rowcount > 0

    def add(self, tasks: Sequence[Task], proposals: Sequence[Proposal], *, night: str) -> None:
        """Bank a night's tasks and proposals; within the caller's transaction.

        What a person wrote or dropped while the night ran stays as they left it.
        """
        begun = self._rows("SELECT started FROM nights WHERE id = ?", (night,))
        started = datetime.fromisoformat(begun[0][0])
        known = {entry.task.id: entry for entry in self._named(task.id for task in tasks)}
        for task in tasks:
            entry = known.get(task.id)
            if entry is None:
                self._insert(task, night=night)
            elif _content(entry.task) == _content(task):
                if entry.waits:
                    self._update(_with_sides(entry.task, task), night=night, waits=False)
            elif entry.dropped is None and (entry.edited is None or entry.edited < started):
                # `kept` knew of an edit made before the night: what differs from it is the later word of a file.
                self._update(task, night=night, edited=None, waits=False, earlier=None)
        self._connection.executemany(
            "INSERT OR IGNORE INTO proposals (id, night, path, state, body) VALUES (?, ?, ?, ?, ?)",
            [(p.id, night, p.path, WAITING, to_json(p)) for p in proposals],
        )

    def _edits(self, path: str, state: str) -> tuple[Edit, ...]:
        found = (one.proposal for one in self.proposals(state) if one.proposal.path == path)
        return tuple(edit for proposal in found for edit in proposal.edits)

    def _named(self, ids: Iterable[str]) -> tuple[Banked, ...]:
        names = tuple(ids)
        return self._banked(f"WHERE id IN ({_marks(names)})", names)

    def _banked(self, where: str, values: tuple[str, ...] = ()) -> tuple[Banked, ...]:
        return tuple(
            Banked(
                task=from_json(body, Task),
                night=night,
                edited=_time(edited),
                dropped=_time(dropped),
                pinned=_time(pinned),
                waits=bool(waits),
                earlier=from_json(earlier, tuple[Task, ...]) if earlier else (),
            )
            for body, night, edited, dropped, pinned, waits, earlier in self._rows(f"{_BANKED} {where}", values)
        )

    def _insert(self, task: Task, **fields: object) -> None:
        names = f"{_COLUMNS}, {', '.join(fields)}"
        values = (*_row(task), *fields.values())
        self._connection.execute(f"INSERT INTO tasks ({names}) VALUES ({_marks(values)})", values)  # noqa: S608

    def _update(self, task: Task, **fields: object) -> None:
        names = ", ".join(f"{name} = ?" for name in (*_COLUMNS.split(", "), *fields))
        values = (*_row(task), *fields.values(), task.id)
        self._connection.execute(f"UPDATE tasks SET {names} WHERE id = ?", values)  # noqa: S608

    def _move_session(self, task: Task) -> list[str]:
        """Put the other tasks of the task's session on its side; which ones weren't there."""
        others = self._banked("WHERE session = ? AND split NOT IN ('', ?)", (task.session, task.split or ""))
        for other in others:
            self._update(replace(other.task, split=task.split))
        return [other.task.id for other in others]

    def _rows(self, query: str, values: tuple[str, ...]) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _left(entry: Banked, task: Task) -> Task | None:
    """What a person left of a task that was found; None where they dropped it."""
    if entry.dropped:
        return None
    if task.source == BY_HAND and _content(task) not in map(_content, (*entry.earlier, entry.task)):
        return task if task.session == entry.task.session else _onto(entry.task, task)
    return _with_sides(entry.task, task) if entry.edited else task


def _onto(known: Task, written: Task) -> Task:
    """What a person wrote, in place of what the task said; where it comes from stays.

    What a model called the lesson was about the reference that it was mined with.
    """
    return replace(
        known,
        lesson=known.lesson if written.reference == known.reference else "",
        prompt=written.prompt,
        context=written.context,
        reference=written.reference,
        project=written.project,
        at=written.at,
        split=written.split or known.split,
    )


def _with_sides(known: Task, tonight: Task) -> Task:
    """The task as it is known, with tonight's cluster and side where it has none."""
    return replace(known, cluster=known.cluster or tonight.cluster, split=known.split or tonight.split)


def _traces(task: Task) -> set[tuple[str, object]]:
    """By what a task that is found again is known: the turns that tell of it, and its words."""
    return {(task.session, task.prompt), *((said.session, said.turn) for said in task.evidence)}


def _content(task: Task) -> tuple[object, ...]:
    return task.id, task.prompt, task.context, task.reference, task.project


def _row(task: Task) -> tuple[object, ...]:
    """The values of _COLUMNS."""
    side = Split(task.split).value if task.split else ""
    return task.id, task.project, task.session, task.cluster, side, task.at.isoformat(), to_json(task)


def _time(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said) if said else None


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))
