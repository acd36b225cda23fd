"""Wrap the store of a night: log when it starts and ends, and show its progress to those who watch."""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.errors import CallPending, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import tell
from skillopt_sleep.protocols.models import Meter
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import CUT_SHORT, NightReport, StepOutcome
from skillopt_sleep.reporters.tried import in_short
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.stores.running import name_running
from skillopt_sleep.stores.sqlite import SqliteStore


class Observed:
    """Opens the store's night, logs it, and keeps the log of its events, which those who watch read.

    `afterwards` is called at the end of a night, while no other can begin.
    """

    def __init__(
        self,
        store: SqliteStore,
        meter: Meter,
        *,
        data: Path,
        most_calls: int,
        most_minutes: int,
        afterwards: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._meter = meter
        self._data = data
        self._most_calls = most_calls
        self._most_minutes = most_minutes
        self._afterwards = afterwards
        self._events: EventLog | None = None
        self._began: dict[str, float] = {}

    @contextmanager
    def open_night(self) -> Generator[OpenNight]:
        """Open the store's night; its progress can be watched until it is over."""
        with self._store.open_night() as page:
            tell("night begins", night=page.night, resumed=page.resumed)
            self._events = EventLog(page.folder, spent=self._meter.spend, clock=utc_now)
            name_running(
                self._data,
                night=page.night,
                started=utc_now(),
                folder=page.folder,
                most_calls=self._most_calls,
                most_minutes=self._most_minutes,
            )
            try:
                yield page
            except BaseException as error:
                _log_stop(error, page.night)
                raise
            finally:
                self._events.close()
                self._events = None
            report = self._store.report(page.night)
            if report:
                _log_end(report)
            self._afterwards()

    def advance(self, label: str, done: int, total: int) -> None:
        """Note that `done` of `total` calls of this stage are done."""
        if self._events:
            self._events.advance(label, done, total)
        if not done:
            self._began[label] = time.monotonic()
        elif done == total:
            now = time.monotonic()
            elapsed = now - self._began.pop(label, now)
            tell("stage ends", night=self._store.page.night, stage=label, items=total, seconds=round(elapsed, 1))

    def decided(self, outcome: StepOutcome) -> None:
        """Note what became of a document."""
        if self._events:
            self._events.decided(outcome.document.id, in_short(outcome), outcome.verdict.decision)


def _log_stop(error: BaseException, night: str) -> None:
    """Log a night that ends without a report: it waits for answers, was stopped, or hit a bug."""
    if isinstance(error, CallPending):
        tell("night waits", night=night, because=error.message)
    elif isinstance(error, SleepError):
        tell("night stops", level=logging.WARNING, night=night, because=error.message, remedy=error.remedy)
    else:
        tell("night stops", level=logging.ERROR, night=night, because=f"{type(error).__name__}: {error}", error=error)


def _log_end(report: NightReport) -> None:
    for note in report.errors:
        event, level = ("left out", logging.INFO) if note.expected else ("trouble", logging.WARNING)
        tell(event, level=level, night=report.night, stage=note.stage, because=note.summary, remedy=note.remedy)
    tell(
        "night ends",
        level=logging.WARNING if report.verdict in CUT_SHORT else logging.INFO,
        night=report.night,
        outcome=report.verdict,
        because=report.because,
        remedy=report.remedy,
        documents=len(report.documents),
        proposals=[proposal.id for proposal in report.proposals],
        calls=report.spend.calls,
        tokens=report.spend.tokens,
        usd=report.spend.usd,
        seconds=round((report.ended - report.started).total_seconds(), 1),
    )
