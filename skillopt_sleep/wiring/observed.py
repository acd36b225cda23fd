"""Wrap the store of a night: log when it starts and ends, and tell those who watch how far it is."""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.errors import CallPending, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import tell
from skillopt_sleep.protocols import Meter, Page
from skillopt_sleep.records import CUT_SHORT, NightReport, StepOutcome
from skillopt_sleep.reporters.tried import in_short
from skillopt_sleep.stores.events import Event, EventLog, Happened
from skillopt_sleep.stores.progress import ProgressFile
from skillopt_sleep.stores.sqlite import SqliteStore


class Observed:
    """Opens the store's night, logs it, and writes its progress and its events to files for those who watch.

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
        self._file: ProgressFile | None = None
        self._events: EventLog | None = None
        self._began: dict[str, float] = {}

    @contextmanager
    def open_night(self) -> Generator[Page]:
        """Open the store's night; its progress can be watched until it is over."""
        with self._store.open_night() as page:
            tell("night begins", night=page.night, resumed=page.resumed)
            self._file = ProgressFile(
                self._data,
                night=page.night,
                started=page.started,
                most_calls=self._most_calls,
                most_minutes=self._most_minutes,
                spent=self._meter.spend,
            )
            self._events = EventLog(page.folder)
            self._tell(Happened.RESUMED if page.resumed else Happened.BEGUN)
            try:
                yield page
            except BaseException as error:
                _log_stop(error, page.night)
                self._tell(Happened.STOPPED, says=error.message if isinstance(error, SleepError) else "")
                raise
            finally:
                self._file.close()
                self._file = None
            report = self._store.report(page.night)
            if report:
                _log_end(report)
                self._tell(Happened.ENDED, says=report.because, result=report.verdict)
            self._events = None
            self._afterwards()

    def advance(self, label: str, done: int, total: int) -> None:
        """Note that `done` of `total` calls of this stage are done."""
        if self._file:
            self._file.advance(label, done, total)
        if not done:
            self._began[label] = time.monotonic()
            self._tell(Happened.STAGE_BEGUN, name=label, items=total)
        elif done == total:
            self._tell(Happened.STAGE_ENDED, name=label, items=total)
            now = time.monotonic()
            elapsed = now - self._began.pop(label, now)
            tell("stage ends", night=self._store.page.night, stage=label, items=total, seconds=round(elapsed, 1))

    def decided(self, outcome: StepOutcome) -> None:
        """Tell what became of a document."""
        name, result = outcome.document.id, outcome.verdict.decision
        self._tell(Happened.VERDICT, name=name, says=in_short(outcome), result=result)

    def _tell(self, what: Happened, *, name: str = "", says: str = "", result: str = "", items: int = 0) -> None:
        """Write an event with what is spent by now."""
        if self._events is None:
            return
        spend = self._meter.spend()
        event = Event(
            at=utc_now(),
            what=what,
            name=name,
            says=says,
            result=result,
            items=items,
            calls=spend.calls,
            tokens=spend.tokens,
            usd=spend.usd,
        )
        self._events.append(event)


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
