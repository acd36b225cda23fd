"""Open and close the store the way a night does, for tests."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import Lesson, Packed, Reading, Session, Stamp, Task
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_report
from tests.fakes import FakeClock


def open_at(
    folder: Path, *, clock: Callable[[], datetime] | None = None, config: str = "one", lookback: float = 7
) -> SqliteStore:
    """Open the store in this folder; `lookback` is in days."""
    return SqliteStore(folder, clock=clock or FakeClock(), lookback=timedelta(days=lookback), config=config)


def seal(
    page: OpenNight,
    *,
    found: Sequence[Session] = (),
    tasks: Sequence[Task] = (),
    lessons: Sequence[Lesson] = (),
    **fields: Any,
) -> None:
    """Close the night; `lost` and `copies` go to the store, all other fields to the report."""
    lost, copies = fields.pop("lost", ()), fields.pop("copies", ())
    report = a_report(night=page.night, started=page.started, folder=str(page.folder), **fields)
    page.close(report, found=found, tasks=tasks, lessons=lessons, lost=lost, copies=copies)


def put(store: SqliteStore, *sessions: Session) -> None:
    """Index these sessions, each from a file of its own."""
    for session in sessions:
        reading = Reading(sessions=(Packed.of(session),))
        store.index.put(session.source, [(f"/sessions/{session.id}.jsonl", Stamp(1, 2, 3), reading)])


def unread(store: SqliteStore) -> list[str]:
    """Return the ids of the sessions that no night has used."""
    return [line.id for line in store.index.lines(unread=True)]
