"""Every lesson remembered across nights, and what became of it."""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Lesson, LessonState, PlaceKind, Proof, Proposal
from skillopt_sleep.stores.bank import ADOPTED, OPEN, SqliteBank

AS_KEPT = frozenset({LessonState.NOTICED, LessonState.RETIRED, LessonState.TAKEN_BACK})


class SqliteLessons:
    """The lessons of each project; whether one is proposed or live follows from the proposals."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._bank = SqliteBank(connection, lock)

    def of(self, projects: Collection[str]) -> tuple[Lesson, ...]:
        """Return the lessons of these projects, and those of the person, in the order they first came up.

        Each has its state as it is now.
        """
        every = self.every()
        return tuple(one for one in every if one.project in projects or one.holds.kind is PlaceKind.PERSON)

    def every(self) -> tuple[Lesson, ...]:
        """Return all lessons, each with its state as it is now, in the order they first came up."""
        lessons = [from_json(body, Lesson) for (body,) in self._rows("SELECT body FROM lessons", ())]
        proposed = self.taught_by(entry.proposal for entry in self._bank.proposals(*OPEN))
        live = self.taught_by(entry.proposal for entry in self._bank.proposals(ADOPTED))
        current = [_with_state(lesson, proposed, live) for lesson in lessons]
        return tuple(sorted(current, key=lambda lesson: (lesson.first, lesson.id)))

    def named(self, ids: Collection[str]) -> tuple[Lesson, ...]:
        """Return the lessons of these ids as they were kept, whatever became of them since."""
        marks = ", ".join("?" * len(ids))
        rows = self._rows(f"SELECT body FROM lessons WHERE id IN ({marks}) ORDER BY id", tuple(ids))  # noqa: S608
        return tuple(from_json(body, Lesson) for (body,) in rows)

    def of_session(self, session: str) -> tuple[Lesson, ...]:
        """Return the lessons that came up in this session, as they were kept, in the order they first came up."""
        rows = self._rows("SELECT body FROM lessons WHERE instr(body, ?)", (session,))
        found = [from_json(body, Lesson) for (body,) in rows]
        among = [lesson for lesson in found if session in lesson.sessions]
        return tuple(sorted(among, key=lambda lesson: (lesson.first, lesson.id)))

    def keep(self, lessons: Sequence[Lesson], *, night: str) -> None:
        """Store these lessons as they are now, within the caller's transaction.

        The tasks of a lesson of the person are those of all projects. A lesson has those of the ones that it joins.
        """
        for lesson in lessons:
            self._connection.executemany("DELETE FROM lessons WHERE id = ?", [(name,) for name in lesson.joins])
            if lesson.joins or lesson.holds.kind is PlaceKind.PERSON:
                self._hand_over(lesson)
            self._connection.execute(
                "INSERT INTO lessons VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                "project = excluded.project, state = excluded.state, body = excluded.body",
                (lesson.id, lesson.project, lesson.state.value, night, to_json(lesson)),
            )

    def _hand_over(self, lesson: Lesson) -> None:
        """Give a lesson the tasks of those that it joins, and its reach to all of them."""
        for name in (lesson.id, *lesson.joins):
            for entry in self._bank.entries(lesson=name):
                body = to_json(replace(entry.task, lesson=lesson.id, holds=lesson.holds))
                row = (lesson.id, body, entry.task.id)
                self._connection.execute("UPDATE tasks SET lesson = ?, body = ? WHERE id = ?", row)

    def taught_by(self, proposals: Iterable[Proposal]) -> set[str]:
        """Return the ids of the lessons of these proposals, and of those that their edits were learned from."""
        tasks: dict[str, None] = {}
        named: set[str] = set()
        for proposal in proposals:
            if proposal.proof is Proof.WORDS:
                continue  # it takes its lesson's rule away
            named.update(proposal.lessons)
            for edit in proposal.edits:
                tasks |= dict.fromkeys(edit.tasks)
        marks = ", ".join("?" * len(tasks))
        rows = self._rows(f"SELECT DISTINCT lesson FROM tasks WHERE id IN ({marks})", tuple(tasks))  # noqa: S608
        return named | {lesson for (lesson,) in rows}

    def _rows(self, query: str, values: tuple[str, ...]) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _with_state(lesson: Lesson, proposed: Collection[str], live: Collection[str]) -> Lesson:
    if lesson.state in AS_KEPT:
        return lesson
    if lesson.id in live:
        return replace(lesson, state=LessonState.LIVE)
    if lesson.id in proposed:
        return replace(lesson, state=LessonState.PROPOSED)
    return replace(lesson, state=LessonState.OPEN)
