"""How far a running night is, in a small file that another terminal reads."""

import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records import Spend
from skillopt_sleep.records.record import Record
from skillopt_sleep.stores.holder import living_holder

NAME = "progress.json"
EVERY = 0.5  # seconds between two writes at least


class Stage(Record, frozen=True, kw_only=True):
    """Calls of one kind on their way."""

    label: str
    done: int
    total: int


class Progress(Record, frozen=True, kw_only=True):
    """A running night at one moment: the stages on their way, in the order in which they began."""

    night: str
    process: int
    started: datetime
    stages: tuple[Stage, ...] = ()
    calls: int = 0
    tokens: int | None = 0
    most_calls: int = 0


class ProgressFile:
    """Writes the file while a night is open, at most every `every` seconds, and removes it at the end."""

    def __init__(
        self,
        data: Path,
        *,
        night: str,
        started: datetime,
        most_calls: int,
        spent: Callable[[], Spend],
        every: float = EVERY,
    ) -> None:
        self._path = data / NAME
        self._every, self._spent = every, spent
        self._now = Progress(night=night, process=os.getpid(), started=started, most_calls=most_calls)
        self._stages: dict[str, Stage] = {}
        self._lock = threading.Lock()
        self._changed, self._ended = threading.Event(), threading.Event()
        self._changed.set()
        self._writer = threading.Thread(target=self._write_on, name="sleep-progress", daemon=True)
        self._writer.start()

    def advance(self, label: str, done: int, total: int) -> None:
        """So many of these calls are done; those of which all are done are told no more."""
        with self._lock:
            if done < total:
                self._stages[label] = Stage(label=label, done=done, total=total)
            else:
                self._stages.pop(label, None)
        self._changed.set()

    def close(self) -> None:
        """Write no more, and remove the file."""
        self._ended.set()
        self._writer.join()
        self._path.unlink(missing_ok=True)

    def _write_on(self) -> None:
        while True:
            if self._changed.is_set():
                self._changed.clear()
                self._write()
            if self._ended.wait(self._every):
                return

    def _write(self) -> None:
        with self._lock:
            stages = tuple(self._stages.values())
        spend = self._spent()
        now = msgspec.structs.replace(self._now, stages=stages, calls=spend.calls, tokens=spend.tokens)
        try:
            write_atomic(self._path, to_json(now))
        except OSError:
            return  # a night goes on whether or not it can be watched


def read_progress(data: Path) -> Progress | None:
    """How far the night is that runs now; None where none does, whatever a killed one left behind."""
    try:
        found = from_json((data / NAME).read_bytes(), Progress)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.process == living_holder(data) else None
