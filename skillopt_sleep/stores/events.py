"""Keep what happens in a night, as it happens, in a file of its folder; whoever watches or reports reads it there."""

import threading
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from skillopt_sleep.kit.codec import from_json, map_strings, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records.record import Record

NAME = "events.jsonl"
_MOST_BYTES = 16 * 1024 * 1024


class Happened(StrEnum):
    """What an event is."""

    BEGUN = "begun"
    RESUMED = "resumed"
    STAGE_BEGUN = "stage_begun"
    STAGE_ENDED = "stage_ended"
    VERDICT = "verdict"
    STOPPED = "stopped"
    ENDED = "ended"


class Event(Record, frozen=True, kw_only=True):
    """One moment of a night: `what` happened, and what had been spent by then.

    A stage is named by `name` and makes `items` calls, and so is the document of a verdict, which `says` the verdict;
    of a night that ended or stopped it says why. `result` is the outcome of a night, or the decision of a verdict.
    """

    at: datetime
    what: Happened
    name: str = ""
    says: str = ""
    result: str = ""
    items: int = 0
    calls: int = 0
    tokens: int | None = 0
    usd: float | None = 0.0


class EventLog:
    """Appends to the events of one night; a night goes on if they can't be written."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._lock = threading.Lock()

    def append(self, event: Event) -> None:
        """Write an event, redacted, as one line."""
        line = to_json(map_strings(event, redact)) + b"\n"
        with self._lock:
            try:
                if not self._path.exists():
                    self._path.touch(mode=PRIVATE_FILE)
                with self._path.open("ab") as file:
                    file.write(line)
            except OSError:
                return


def read_events(folder: Path) -> tuple[Event, ...]:
    """Return the events of the night in this folder; a line that isn't whole yet is left out."""
    try:
        with (folder / NAME).open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return ()
    events: list[Event] = []
    for line in data.split(b"\n")[:-1]:
        try:
            events.append(from_json(line, Event))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return tuple(events)
