"""Keep the log of a night's events in its folder, for whoever follows the night and for what tells of it later."""

import itertools
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Spend
from skillopt_sleep.records.record import Record

NAME = "events.jsonl"
EVERY = 0.5  # least seconds between two writes


class EventKind(StrEnum):
    """The kinds of events: a night begins or goes on, a stage makes calls, a document is decided on, a night ends."""

    BEGINS = "begins"
    STAGE = "stage"
    VERDICT = "verdict"
    ENDS = "ends"


class Event(Record, frozen=True, kw_only=True):
    """One event of a night, and what had been spent by then; of a stage so many of its calls are done.

    A verdict is about a `document`: it `says` it in words, and `decision` is accept, reject, undecided or abstain.
    """

    at: datetime
    kind: EventKind
    stage: str = ""
    done: int = 0
    total: int = 0
    document: str = ""
    says: str = ""
    decision: str = ""
    calls: int = 0
    tokens: int | None = 0
    usd: float | None = 0.0


class EventLog:
    """Writes the events of an open night, at most every `every` seconds.

    Of a stage's calls that are done in between only the last is an event; where a stage begins and ends always is.
    """

    def __init__(
        self,
        folder: Path,
        *,
        spent: Callable[[], Spend],
        clock: Callable[[], datetime],
        every: float = EVERY,
    ) -> None:
        self._path = folder / NAME
        self._every = every
        self._spent = spent
        self._clock = clock
        self._waiting: dict[tuple[str, int], Event] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._write([self._event(EventKind.BEGINS)])
        self._writer = threading.Thread(target=self._keep_writing, name="sleep-events", daemon=True)
        self._writer.start()

    def advance(self, label: str, done: int, total: int) -> None:
        """Record that so many of a stage's calls are done."""
        event = Event(at=self._clock(), kind=EventKind.STAGE, stage=label, done=done, total=total)
        is_between = 0 < done < total
        with self._lock:
            key = (label, 0 if is_between else next(self._numbers))
            self._waiting.pop(key, None)
            self._waiting[key] = event

    def decided(self, document: str, says: str, decision: str) -> None:
        """Record what was decided about a document."""
        event = Event(
            at=self._clock(), kind=EventKind.VERDICT, document=document, says=redact(says), decision=decision
        )
        with self._lock:
            self._waiting[document, -1] = event

    def close(self) -> None:
        """Write what is left, and that the night ends."""
        self._ended.set()
        self._writer.join()
        self._write([*self._taken(), self._event(EventKind.ENDS)])

    def _keep_writing(self) -> None:
        while not self._ended.wait(self._every):
            events = self._taken()
            if events:
                self._write(events)

    def _taken(self) -> list[Event]:
        with self._lock:
            events = list(self._waiting.values())
            self._waiting.clear()
        if not events:
            return []
        spend = self._spent()
        return [_with(event, spend) for event in events]

    def _event(self, kind: EventKind) -> Event:
        return _with(Event(at=self._clock(), kind=kind), self._spent())

    def _write(self, events: Iterable[Event]) -> None:
        lines = b"".join(to_json(event) + b"\n" for event in events)
        try:
            if not self._path.exists():
                self._path.touch(mode=PRIVATE_FILE)
            with self._path.open("ab") as file:
                file.write(lines)
        except OSError:
            return  # the night continues even if its log can't be written


def read_events(folder: Path) -> tuple[Event, ...]:
    """Return the events of a night, oldest first; a line that is only half written is left out."""
    try:
        lines = (folder / NAME).read_bytes().splitlines()
    except OSError:
        return ()
    decoder = msgspec.json.Decoder(Event)
    events: list[Event] = []
    for line in lines:
        try:
            events.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return tuple(events)


def _with(event: Event, spend: Spend) -> Event:
    return msgspec.structs.replace(event, calls=spend.calls, tokens=spend.tokens, usd=spend.usd)
