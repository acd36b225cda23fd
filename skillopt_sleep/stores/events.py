"""Keep the log of a night's events in its folder, for whoever follows the night and for what tells of it later."""

import threading
import time
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Record, Spend

NAME = "events.jsonl"
EVERY = 0.5  # least seconds between two writes


class EventKind(StrEnum):
    """The kinds of events: a night begins or goes on, a stage makes calls, a document is decided on, a night ends."""

    BEGINS = "begins"
    STAGE = "stage"
    VERDICT = "verdict"
    ENDS = "ends"


class NightEvent(Record, frozen=True, kw_only=True):
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
    """Writes the events of an open night: a stage's begin and end always, its progress at most twice a second."""

    def __init__(self, folder: Path, *, spent: Callable[[], Spend], clock: Callable[[], datetime]) -> None:
        self._path = folder / NAME
        self._spent = spent
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[str, float] = {}
        self._write(NightEvent(at=clock(), kind=EventKind.BEGINS))

    def advance(self, label: str, done: int, total: int) -> None:
        """Record that so many of a stage's calls are done."""
        with self._lock:
            now = time.monotonic()
            if 0 < done < total and now - self._last.get(label, 0.0) < EVERY:
                return
            self._last[label] = now
            self._write(NightEvent(at=self._clock(), kind=EventKind.STAGE, stage=label, done=done, total=total))

    def decided(self, document: str, says: str, decision: str) -> None:
        """Record what was decided about a document."""
        event = NightEvent(
            at=self._clock(), kind=EventKind.VERDICT, document=document, says=redact(says), decision=decision
        )
        with self._lock:
            self._write(event)

    def close(self) -> None:
        """Record that the night ends."""
        self._write(NightEvent(at=self._clock(), kind=EventKind.ENDS))

    def _write(self, event: NightEvent) -> None:
        spend = self._spent()
        line = to_json(msgspec.structs.replace(event, calls=spend.calls, tokens=spend.tokens, usd=spend.usd)) + b"\n"
        try:
            if not self._path.exists():
                self._path.touch(mode=PRIVATE_FILE)
            with self._path.open("ab") as file:
                file.write(line)
        except OSError:
            return  # the night continues even if its log can't be written


def read_events(folder: Path) -> tuple[NightEvent, ...]:
    """Return the events of a night, oldest first; a line that is only half written is left out."""
    try:
        lines = (folder / NAME).read_bytes().splitlines()
    except OSError:
        return ()
    decoder = msgspec.json.Decoder(NightEvent)
    events: list[NightEvent] = []
    for line in lines:
        try:
            events.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return tuple(events)
