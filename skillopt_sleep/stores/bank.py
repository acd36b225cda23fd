"""Every task remembered across nights with a person's edits of it, and the proposals with their decisions."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Edit, Lesson, Proof, Proposal, Split, Task
from skillopt_sleep.stores.bank_rows import (
    ROW,
    Banked,
    Decided,
    TaskMark,
    content,
    decided_by,
    equipped,
    first_match,
    from_row,
    is_equipped,
    is_part_of,
    rewritten,
    side_key,
    traces,
    with_edits,
    with_side,
)
from skillopt_sleep.stores.schema import TableGroup, marks

WAITING = "waiting"
ADOPTED = "adopted"
REJECTED = "rejected"
UNDONE = "undone"
WITHDRAWN = "withdrawn"
OPEN = (WAITING, UNDONE)  # what a person can still adopt or reject

_COLUMNS = "id, project, session, lesson, split, at, body"
_BANKED = "SELECT body, night, edited, dropped, pinned, waits, earlier FROM tasks"


class SqliteBank(TableGroup):
    """Tasks with their lesson and split; proposals with their decisions."""

    def tasks(self, projects: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks of earlier nights in these projects, oldest first, without those a person dropped."""
        return self._used_tasks("project", projects)

    def tasks_of(self, lessons: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks of earlier nights for these lessons, oldest first, without those a person dropped."""
        return self._used_tasks("lesson", lessons)

    def _used_tasks(self, column: str, values: Collection[str]) -> tuple[Task, ...]:
        query = (
            f"SELECT body FROM tasks WHERE {column} IN ({marks(values)}) "  # noqa: S608
            "AND dropped IS NULL AND night != '' ORDER BY at, id"
        )
        return tuple(from_json(body, Task) for (body,) in self._rows(query, values))

    def all_tasks(self) -> tuple[Task, ...]:
        """Return every task that wasn't dropped, oldest first."""
        return tuple(entry.task for entry in self.entries() if entry.dropped is None)

    def entries(self, *, lesson: str | None = None) -> tuple[Banked, ...]:
        """Return every task, or those of a lesson, with a person's edits and marks and dropped ones, oldest first."""
        if lesson is None:
            return tuple(self._banked("ORDER BY at, id"))
        return tuple(self._banked("WHERE lesson = ? ORDER BY at, id", (lesson,)))

    def unknown(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return what a person wrote that no night has used: among these tasks, and added or edited in the bank."""
        unused: dict[str, Task] = {}
        for entry in self._banked("WHERE waits AND dropped IS NULL ORDER BY at, id"):
            unused[entry.task.id] = entry.task
        known = self._known(tasks)
        for task in self.kept(tasks):
            entry = known.get(task.id)
            if entry is None or content(entry.task) != content(task):
                unused[task.id] = task
        return tuple(unused.values())

    def kept(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return these tasks as a person left them: with their edits, and without those they dropped.

        A task that was mined again in other words is recognized by the turns it came from. If the entry of a tasks
        file was changed after the edit, the file wins.
        """
        by_id = self._known(tasks)
        by_trace: dict[tuple[str, object], Banked] = {}
        for entry in self._banked("WHERE edited IS NOT NULL OR dropped IS NOT NULL"):
            for version in (*entry.earlier, entry.task):
                by_trace.update(dict.fromkeys(traces(version), entry))
        kept: dict[str, Task] = {}
        for task in tasks:
            entry = by_id.get(task.id) or first_match(task, by_trace)
            current = with_edits(entry, task) if entry else task
            if current is not None:
                kept[current.id] = current
        return tuple(kept.values())

    def pinned(self) -> frozenset[str]:
        """Return the ids of the tasks that take part in every night of their project."""
        rows = self._rows("SELECT id FROM tasks WHERE pinned IS NOT NULL AND dropped IS NULL", ())
        return frozenset(name for (name,) in rows)

    def write(self, tasks: Sequence[Task], *, at: datetime) -> tuple[str, ...]:
        """Save these tasks as a person wrote them, all or none; a known task keeps its session and lesson.

        All tasks of a session are on one split. Returns the ids of other tasks that moved to a new split with theirs.
        """
        moved: list[str] = []
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            known = self._known(tasks)
            for task in tasks:
                entry = known.get(task.id)
                if entry is None:
                    self._insert(task, night="", edited=at.isoformat(), waits=True)
                    continue
                written = rewritten(entry.task, task)
                self._update(
                    written,
                    edited=at.isoformat(),
                    waits=entry.waits or content(written) != content(entry.task),
                    earlier=to_json((*entry.earlier, entry.task)),
                )
                moved += self._move_session(written)
        return tuple(moved)

    def mark(self, ids: Sequence[str], mark: TaskMark, *, at: datetime | None) -> None:
        """Drop or pin these tasks, of which the last one holds; or undo that if no time is given."""
        others = "".join(f"{other.value} = NULL, " for other in TaskMark if at and other is not mark)
        query = f"UPDATE tasks SET {others}{mark.value} = ? WHERE id IN ({marks(ids)})"  # noqa: S608
        with self._lock:
            self._connection.execute(query, (at.isoformat() if at else None, *ids))

    def sides(self, sessions: Collection[str]) -> Mapping[str, str]:
        """Return the split of each of these sessions that has one already."""
        keys = {side_key(session): session for session in sessions}
        kept = self._rows(f"SELECT key, value FROM meta WHERE key IN ({marks(keys)})", tuple(keys))  # noqa: S608
        rows = self._rows(
            f"SELECT session, split FROM tasks WHERE split != '' AND session IN ({marks(sessions)})",  # noqa: S608
            tuple(sessions),
        )
        return {keys[key]: side for key, side in kept} | dict(rows)

    def rejected(self, path: str) -> tuple[Edit, ...]:
        """Return the edits a person rejected for the file at this path."""
        proposals = [entry.proposal for entry in self.proposals(REJECTED) if path in entry.proposal.paths]
        return tuple(edit for proposal in proposals for edit in proposal.edits)

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        """Return the undecided proposals that change the file at this path."""
        return tuple(entry.proposal for entry in self.proposals(WAITING) if path in entry.proposal.paths)

    def live(self) -> tuple[Proposal, ...]:
        """Return the adopted proposals, oldest first."""
        return tuple(entry.proposal for entry in self.proposals(ADOPTED))

    def adoptions(self) -> Mapping[str, datetime]:
        """Return when each adopted proposal was adopted, by its id."""
        adopted = (entry for entry in self.proposals(ADOPTED) if entry.decided)
        return {entry.proposal.id: datetime.fromisoformat(entry.decided) for entry in adopted}

    def withdraw(self, lessons: Sequence[Lesson], *, at: datetime) -> None:
        """Withdraw the waiting proposals that the person's latest words decided, within the caller's transaction.

        Those are the rules of lessons that they took back, and the removals of rules whose lesson they want again.
        """
        for proposal, reason in decided_by(lessons, self.proposals(WAITING)):
            self.decide(proposal.id, WITHDRAWN, at=at, reason=reason, leaving=(WAITING,))

    def still_waiting(self, lessons: Sequence[Lesson], *, at: datetime) -> tuple[str, ...]:
        """Return the ids of what waits for the person and isn't withdrawn because of these lessons."""
        gone = {proposal.id for proposal, _ in decided_by(lessons, self.proposals(WAITING))}
        return tuple(entry.proposal.id for entry in self.to_decide(at) if entry.proposal.id not in gone)

    def proposals(self, *states: str) -> tuple[Decided, ...]:
        """Return the proposals in these states, or in any state if none is named, oldest first."""
        return self._decided(f"WHERE state IN ({marks(states)})" if states else "", states)

    def family(self, name: str) -> tuple[Decided, ...]:
        """Return the proposal of this id and what it was divided into or reworded as, oldest first."""
        return self._decided("WHERE id = ? OR (id > ? AND id < ?)", (name, f"{name}.", f"{name}/"))

    def _decided(self, where: str, values: tuple[str, ...]) -> tuple[Decided, ...]:
        # By number: as text, P-10000 would come before P-9999.
        rows = self._rows(f"SELECT {ROW} FROM proposals {where} ORDER BY length(id), id", values)  # noqa: S608
        return tuple(map(from_row, rows))

    def to_decide(self, at: datetime) -> tuple[Decided, ...]:
        """Return the proposals that wait for the person at this time, without those that are put off."""
        return tuple(entry for entry in self.proposals(WAITING) if entry.until is None or entry.until <= at)

    def postponed(self, at: datetime) -> tuple[Decided, ...]:
        """Return the waiting proposals that sleep at this time."""
        return tuple(entry for entry in self.proposals(WAITING) if entry.until is not None and entry.until > at)

    def postpone(self, proposal: str, until: datetime | None) -> None:
        """Let a waiting proposal wait unseen until then; None wakes it."""
        with self._lock:
            self._connection.execute(
                "UPDATE proposals SET until = ? WHERE id = ? AND state = ?",
                (until.isoformat() if until else None, proposal, WAITING),
            )

    def again(self, state: str = WAITING) -> tuple[Proposal, ...]:
        """Return the proposals of this state in the person's own words that they wanted tested again."""
        return tuple(entry.proposal for entry in self.proposals(state) if entry.again)

    def test_again(self, proposals: Sequence[str], *, wanted: bool) -> None:
        """Note that the person wants these proposals tested again, or that they were."""
        with self._lock:
            self._connection.execute(
                f"UPDATE proposals SET again = ? WHERE id IN ({marks(proposals)})",  # noqa: S608
                (wanted, *proposals),
            )

    def divide(self, whole: str, parts: Sequence[Proposal], *, at: datetime, because: str) -> None:
        """Let the parts of an open proposal wait in its place, or a person's wording of it."""
        names = ", ".join(part.id for part in parts)
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._insert_waiting(parts)
            self.decide(whole, WITHDRAWN, at=at, reason=f"{because}: {names}")

    def decide(
        self, proposal: str, state: str, *, at: datetime, reason: str = "", leaving: Collection[str] = OPEN
    ) -> bool:
        """Record the decision on a proposal; return False, and change nothing, unless its state is in `leaving`.

        Raises StoreError if it can't be written, as on a full disk.
        """
        try:
            with self._lock:
                cursor = self._connection.execute(
                    "UPDATE proposals SET state = ?, decided = ?, reason = ? "  # noqa: S608
                    f"WHERE id = ? AND state IN ({marks(leaving)})",
                    (state, at.isoformat(), reason, proposal, *leaving),
                )
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"can't record in the store that {proposal} is {state}: {error}",
                remedy="free disk space, or end the process that holds the store; then run: skillopt-sleep status",
            ) from error
        return cursor.rowcount > 0

    def add(self, tasks: Sequence[Task], proposals: Sequence[Proposal], *, night: str) -> None:
        """Bank a night's tasks and proposals, within the caller's transaction.

        What a person wrote or dropped while the night was running stays as they left it.
        """
        rows = self._rows("SELECT started FROM nights WHERE id = ?", (night,))
        started = datetime.fromisoformat(rows[0][0])
        known = self._known(tasks)
        for task in tasks:
            entry = known.get(task.id)
            if entry is None:
                self._insert(task, night=night)
                continue
            untouched = entry.dropped is None and (entry.edited is None or entry.edited < started)
            if untouched and is_equipped(entry.task, task):
                self._update(equipped(entry.task, task), night=night, waits=False)
            elif content(entry.task) == content(task):
                since = night if entry.waits else entry.night
                self._update(with_side(entry.task, task), night=since, waits=False)
            elif untouched:
                # `kept` saw every edit made before the night, so a difference is a later change of a tasks file.
                self._update(task, night=night, edited=None, waits=False, earlier=None)
        tonight = {proposal.id for proposal in proposals}
        self._add_evidence(tasks, tonight)
        self._insert_waiting(proposals)
        waiting = {entry.proposal.id: entry for entry in self.proposals(WAITING)}
        for proposal in proposals:
            entry = waiting.get(proposal.id)
            if entry is not None and proposal.version > entry.proposal.version:
                earlier = to_json((*entry.earlier, entry.proposal))
                self._connection.execute("UPDATE proposals SET earlier = ? WHERE id = ?", (earlier, proposal.id))
                self._save(proposal)
            self._withdraw_parts(proposal, waiting.values(), tonight, at=started)

    def _withdraw_parts(
        self, whole: Proposal, waiting: Iterable[Decided], tonight: Collection[str], *, at: datetime
    ) -> None:
        """Withdraw waiting proposals that this one covers."""
        for entry in waiting:
            part = entry.proposal
            if part.id == whole.id or not is_part_of(part, whole, tonight=part.id in tonight):
                continue
            self.decide(part.id, WITHDRAWN, at=at, reason=f"its rule is part of {whole.id} now", leaving=(WAITING,))

    def _add_evidence(self, tasks: Sequence[Task], tonight: Collection[str]) -> None:
        """Add what these tasks show to the earlier proposals for their lessons that wait for the person."""
        for entry in self.proposals(WAITING):
            proposal = entry.proposal
            if proposal.id in tonight or proposal.proof is Proof.WORDS:
                continue
            own = [task for task in tasks if task.lesson in proposal.lessons]
            evidence = dict.fromkeys(
                (*proposal.evidence, *(piece for task in own for piece in task.feedback.evidence))
            )
            deeds = dict.fromkeys((*proposal.deeds, *(deed for task in own for deed in task.feedback.deeds)))
            told = {task.session: Path(task.project).name for task in own if proposal.said_in}
            said_in = tuple((dict(proposal.said_in) | told).items())
            added = replace(proposal, evidence=tuple(evidence), deeds=tuple(deeds), said_in=said_in)
            if added != proposal:
                self._save(added)

    def _insert_waiting(self, proposals: Sequence[Proposal]) -> None:
        rows = [(proposal.id, WAITING, to_json(proposal)) for proposal in proposals]
        self._connection.executemany("INSERT OR IGNORE INTO proposals (id, state, body) VALUES (?, ?, ?)", rows)

    def _save(self, proposal: Proposal) -> None:
        row = to_json(proposal), proposal.id
        self._connection.execute("UPDATE proposals SET body = ? WHERE id = ?", row)

    def _known(self, tasks: Sequence[Task]) -> dict[str, Banked]:
        """Return the bank's entries for these tasks, by id."""
        ids = tuple(task.id for task in tasks)
        entries = self._banked(f"WHERE id IN ({marks(ids)})", ids)
        return {entry.task.id: entry for entry in entries}

    def _banked(self, where: str, values: tuple[str, ...] = ()) -> list[Banked]:
        entries: list[Banked] = []
        for body, night, edited, dropped, pinned, waits, earlier in self._rows(f"{_BANKED} {where}", values):
            entry = Banked(
                task=from_json(body, Task),
                night=night,
                edited=_time(edited),
                dropped=_time(dropped),
                pinned=_time(pinned),
                waits=bool(waits),
                earlier=from_json(earlier, tuple[Task, ...]) if earlier else (),
            )
            entries.append(entry)
        return entries

    def _insert(self, task: Task, **fields: object) -> None:
        names = f"{_COLUMNS}, {', '.join(fields)}"
        values = (*_row(task), *fields.values())
        self._connection.execute(f"INSERT INTO tasks ({names}) VALUES ({marks(values)})", values)  # noqa: S608

    def _update(self, task: Task, **fields: object) -> None:
        names = [*_COLUMNS.split(", "), *fields]
        assignments = ", ".join(f"{name} = ?" for name in names)
        values = (*_row(task), *fields.values(), task.id)
        self._connection.execute(f"UPDATE tasks SET {assignments} WHERE id = ?", values)  # noqa: S608

    def _move_session(self, task: Task) -> list[str]:
        """Put the other tasks of the task's session on its split; return the ids of those that moved."""
        others = self._banked("WHERE session = ? AND split NOT IN ('', ?)", (task.session, task.split or ""))
        for other in others:
            self._update(replace(other.task, split=task.split))
        return [other.task.id for other in others]


def _row(task: Task) -> tuple[object, ...]:
    """Return the task's values for _COLUMNS."""
    split = Split(task.split).value if task.split else ""
    return task.id, task.project, task.session, task.lesson, split, task.at.isoformat(), to_json(task)


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
