"""Every lesson remembered across nights, what became of it, and how often it came up week by week."""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta

from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import (
    Lesson,
    LessonState,
    LessonTrend,
    ModelChange,
    PlaceKind,
    Proof,
    Proposal,
    Trend,
    model_names,
)
from skillopt_sleep.stores.bank import ADOPTED, OPEN, SqliteBank
from skillopt_sleep.stores.bank_rows import Decided
from skillopt_sleep.stores.schema import TableGroup, marks

WEEKS = 12
MOST_LESSONS = 12
_WEEK = timedelta(weeks=1)
AS_KEPT = frozenset({LessonState.NOTICED, LessonState.RETIRED, LessonState.TAKEN_BACK})


class SqliteLessons(TableGroup):
    """The lessons of each project; whether one is proposed or live follows from the proposals."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        super().__init__(connection, lock)
        self._bank = SqliteBank(connection, lock)

    def of(self, projects: Collection[str]) -> tuple[Lesson, ...]:
        """Return the lessons of these projects, and those of the person, in the order they first came up.

        Each has its state as it is now.
        """
        every = self.every()
        return tuple(one for one in every if one.project in projects or one.holds.kind is PlaceKind.PERSON)

    def every(self) -> tuple[Lesson, ...]:
        """Return all lessons, each with its state as it is now, in the order they first came up."""
        lessons = [from_json(body, Lesson) for (body,) in self._rows("SELECT body FROM lessons")]
        proposed = self.taught_by(entry.proposal for entry in self._bank.proposals(*OPEN))
        live = self.taught_by(entry.proposal for entry in self._bank.proposals(ADOPTED))
        current = [_with_state(lesson, proposed, live) for lesson in lessons]
        return tuple(sorted(current, key=lambda lesson: (lesson.first, lesson.id)))

    def named(self, ids: Collection[str]) -> tuple[Lesson, ...]:
        """Return the lessons of these ids as they were kept, whatever became of them since."""
        rows = self._rows(f"SELECT body FROM lessons WHERE id IN ({marks(ids)}) ORDER BY id", ids)  # noqa: S608
        return tuple(from_json(body, Lesson) for (body,) in rows)

    def of_session(self, session: str) -> tuple[Lesson, ...]:
        """Return the lessons that came up in this session, as they were kept, in the order they first came up."""
        rows = self._rows("SELECT body FROM lessons WHERE instr(body, ?)", (session,))
        found = [from_json(body, Lesson) for (body,) in rows]
        among = [lesson for lesson in found if session in lesson.sessions]
        return tuple(sorted(among, key=lambda lesson: (lesson.first, lesson.id)))

    def keep(self, lessons: Sequence[Lesson]) -> None:
        """Store these lessons as they are now, within the caller's transaction.

        The tasks of a lesson of the person are those of all projects. A lesson has those of the ones that it joins.
        """
        for lesson in lessons:
            self._connection.executemany("DELETE FROM lessons WHERE id = ?", [(name,) for name in lesson.joins])
            if lesson.joins or lesson.holds.kind is PlaceKind.PERSON:
                self._hand_over(lesson)
            self._connection.execute(
                "INSERT INTO lessons VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (lesson.id, to_json(lesson)),
            )

    def _hand_over(self, lesson: Lesson) -> None:
        """Give a lesson the tasks of those that it joins, and its reach to all of them."""
        for name in (lesson.id, *lesson.joins):
            for entry in self._bank.entries(lesson=name):
                body = to_json(entry.task.of_lesson(lesson.id, lesson.holds))
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
        rows = self._rows(f"SELECT DISTINCT lesson FROM tasks WHERE id IN ({marks(tasks)})", tasks)  # noqa: S608
        return named | {lesson for (lesson,) in rows}


class LocalWeeks:
    """The last weeks until a time, but not those before `since`, by the local calendar, numbered from 0."""

    def __init__(self, until: datetime, *, since: datetime | None) -> None:
        last = _monday(until)
        self.first = last - (WEEKS - 1) * _WEEK
        if since is not None:
            self.first = max(self.first, min(_monday(since), last))
        self.count = (last - self.first) // _WEEK + 1

    def number(self, at: datetime) -> int | None:
        """Return the week of a time, None if it isn't among them."""
        number = (at.astimezone().date() - self.first) // _WEEK
        return number if 0 <= number < self.count else None

    def counts(self, times: Iterable[datetime]) -> tuple[int, ...]:
        """Return how many of these times are in each week."""
        counts = [0] * self.count
        for at in times:
            number = self.number(at)
            if number is not None:
                counts[number] += 1
        return tuple(counts)


def _monday(at: datetime) -> date:
    day = at.astimezone().date()
    return day - timedelta(days=day.weekday())


class SqliteTrend(TableGroup):
    """Reads the trend of all lessons, of those that a night is about to store too."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        super().__init__(connection, lock)
        self._bank = SqliteBank(connection, lock)
        self._lessons = SqliteLessons(connection, lock)

    def until(self, at: datetime, *, lessons: Sequence[Lesson] = (), models: str = "") -> Trend:
        """Return the trend of the last weeks until a time, from that of the first session on.

        `lessons` are newer than what is stored of them, and `models` those of a night that isn't stored yet.
        """
        ends = self._ends()
        weeks = LocalWeeks(at, since=min(ends, default=None))
        known = {lesson.id: lesson for lesson in (*self._lessons.every(), *lessons)}
        adopted = self._bank.proposals(ADOPTED)
        found = [_of_lesson(lesson, weeks, adopted) for lesson in known.values()]
        found = sorted((one for one in found if any(one.corrections)), key=_most_first)
        return Trend(
            first=weeks.first,
            sessions=weeks.counts(ends),
            lessons=tuple(found[:MOST_LESSONS]),
            left_out=len(found[MOST_LESSONS:]),
            models=_changes(weeks, [*self._models(), (at, models)]),
        )

    def _ends(self) -> list[datetime]:
        """Return when each session ended that could be read."""
        query = "SELECT ended FROM sessions WHERE left_out IS NULL"
        return [datetime.fromisoformat(ended) for (ended,) in self._rows(query)]

    def _models(self) -> list[tuple[datetime, str]]:
        """Return when each night began, oldest first, and its models."""
        query = (
            "SELECT started, json_extract(CAST(report AS TEXT), '$.run.model') FROM nights"
            " WHERE report IS NOT NULL ORDER BY started"
        )
        return [(datetime.fromisoformat(started), models or "") for started, models in self._rows(query)]


def _with_state(lesson: Lesson, proposed: Collection[str], live: Collection[str]) -> Lesson:
    if lesson.state in AS_KEPT:
        return lesson
    if lesson.id in live:
        return replace(lesson, state=LessonState.LIVE)
    if lesson.id in proposed:
        return replace(lesson, state=LessonState.PROPOSED)
    return replace(lesson, state=LessonState.OPEN)


def _changes(weeks: LocalWeeks, nights: Iterable[tuple[datetime, str]]) -> tuple[ModelChange, ...]:
    """Return the weeks in which a night ran with other models than the one before it."""
    changes: list[ModelChange] = []
    before = ""
    for started, models in nights:
        week = weeks.number(started)
        if models and before and models != before and week is not None:
            changes.append(ModelChange(week=week, models=model_names(models)))
        before = models or before
    return tuple(changes)


def _most_first(trend: LessonTrend) -> tuple[int, str]:
    return -sum(trend.corrections), trend.lesson


def _of_lesson(lesson: Lesson, weeks: LocalWeeks, adopted: Sequence[Decided]) -> LessonTrend:
    # What was said and done in one turn was one correction.
    times = {(piece.session, piece.turn): piece.at for piece in (*lesson.quotes, *lesson.deeds) if piece.at}
    births: set[int] = set()
    for decided in adopted:
        named = {*decided.proposal.lessons, *(name for edit in decided.proposal.edits for name in edit.lessons)}
        week = weeks.number(datetime.fromisoformat(decided.decided)) if decided.decided else None
        if lesson.id in named and week is not None:
            births.add(week)
    return LessonTrend(
        lesson=lesson.id,
        wording=lesson.wording,
        project=lesson.project,
        corrections=weeks.counts(times.values()),
        adopted=tuple(sorted(births)),
    )
