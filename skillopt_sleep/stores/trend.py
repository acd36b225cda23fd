"""Count corrections week by week, with the rules that were adopted and the models that changed meanwhile."""

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from skillopt_sleep.records import Lesson, LessonTrend, ModelChange, Trend, model_names
from skillopt_sleep.stores.bank import ADOPTED, SqliteBank
from skillopt_sleep.stores.banked import Decided
from skillopt_sleep.stores.lessons import SqliteLessons

WEEKS = 12
MOST_LESSONS = 12
_WEEK = timedelta(weeks=1)


class Weeks:
    """The last weeks until a time, by the local calendar, numbered from 0."""

    def __init__(self, until: datetime) -> None:
        day = until.astimezone().date()
        self.first = day - timedelta(days=day.weekday()) - (WEEKS - 1) * _WEEK

    def number(self, at: datetime) -> int | None:
        """Return the week of a time, None if it isn't among them."""
        number = (at.astimezone().date() - self.first) // _WEEK
        return number if 0 <= number < WEEKS else None

    def counts(self, times: Iterable[datetime]) -> tuple[int, ...]:
        """Return how many of these times are in each week."""
        counts = [0] * WEEKS
        for at in times:
            number = self.number(at)
            if number is not None:
                counts[number] += 1
        return tuple(counts)


class SqliteTrend:
    """Reads the trend of all lessons, of those that a night is about to store too."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._bank = SqliteBank(connection, lock)
        self._lessons = SqliteLessons(connection, lock)

    def until(self, at: datetime, *, lessons: Sequence[Lesson] = (), models: str = "") -> Trend:
        """Return the trend of the last weeks until a time.

        `lessons` are newer than what is stored of them, and `models` those of a night that isn't stored yet.
        """
        weeks = Weeks(at)
        known = {lesson.id: lesson for lesson in (*self._lessons.every(), *lessons)}
        adopted = self._bank.proposals(ADOPTED)
        found = [_of_lesson(lesson, weeks, adopted) for lesson in known.values()]
        found = sorted((one for one in found if any(one.corrections)), key=_most_first)
        return Trend(
            first=weeks.first,
            sessions=weeks.counts(self._ends(weeks.first)),
            lessons=tuple(found[:MOST_LESSONS]),
            left_out=len(found[MOST_LESSONS:]),
            models=_changes(weeks, [*self._models(), (at, models)]),
        )

    def _ends(self, first: date) -> list[datetime]:
        """Return when sessions ended since then; a day earlier counts too, as times are kept in UTC."""
        since = (first - timedelta(days=1)).isoformat()
        query = "SELECT ended FROM sessions WHERE ended >= ? AND left_out IS NULL"
        with self._lock:
            rows = self._connection.execute(query, (since,)).fetchall()
        return [datetime.fromisoformat(ended) for (ended,) in rows]

    def _models(self) -> list[tuple[datetime, str]]:
        """Return when each night began, oldest first, and its models."""
        query = (
            "SELECT started, json_extract(CAST(report AS TEXT), '$.model') FROM nights"
            " WHERE report IS NOT NULL ORDER BY started"
        )
        with self._lock:
            rows = self._connection.execute(query).fetchall()
        return [(datetime.fromisoformat(started), models or "") for started, models in rows]


def _changes(weeks: Weeks, nights: Iterable[tuple[datetime, str]]) -> tuple[ModelChange, ...]:
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


def _of_lesson(lesson: Lesson, weeks: Weeks, adopted: Sequence[Decided]) -> LessonTrend:
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
