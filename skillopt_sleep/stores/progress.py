"""Write a running night's progress to a small file that another terminal can read."""

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
EVERY = 0.5  # least seconds between two writes


class Stage(Record, frozen=True, kw_only=True):
    """The progress of a stage: how many of its calls are done."""

    label: str
    done: int
    total: int


class Progress(Record, frozen=True, kw_only=True):
    """A running night at one moment; its unfinished stages are in the order they began."""

    night: str
    process: int
    started: datetime
    stages: tuple[Stage, ...] = ()
    calls: int = 0
    tokens: int | None = 0
    usd: float | None = 0.0
    most_calls: int = 0
    most_minutes: int = 0


class ProgressFile:
    """Writes the progress of an open night at most every `every` seconds, and removes the file at the end."""

    def __init__(
        self,
        data: Path,
        *,
        night: str,
        started: datetime,
        most_calls: int,
        most_minutes: int,
        spent: Callable[[], Spend],
        every: float = EVERY,
    ) -> None:
        self._path = data / NAME
        self._every = every
        self._spent = spent
        self._now = Progress(
            night=night, process=os.getpid(), started=started, most_calls=most_calls, most_minutes=most_minutes
        )
        self._stages: dict[str, Stage] = {}
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._ended = threading.Event()
        self._changed.set()
        self._writer = threading.Thread(target=self._keep_writing, name="sleep-progress", daemon=True)
        self._writer.start()

    def advance(self, label: str, done: int, total: int) -> None:
        """Record that so many of a stage's calls are done; a finished stage is left out."""
        with self._lock:
            if done < total:
                self._stages[label] = Stage(label=label, done=done, total=total)
            else:
                self._stages.pop(label, None)
        self._changed.set()

    def close(self) -> None:
        """Stop writing, and remove the file."""
        self._ended.set()
        self._writer.join()
        self._path.unlink(missing_ok=True)

    def _keep_writing(self) -> None:
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
        now = msgspec.structs.replace(self._now, stages=stages, calls=spend.calls, tokens=spend.tokens, usd=spend.usd)
        try:
            write_atomic(self._path, to_json(now))
        except OSError:
            return  # the night continues even if its progress can't be written


def read_progress(data: Path) -> Progress | None:
    """Read the running night's progress; return None if none runs, even if a killed one left its file."""
    try:
        progress = from_json((data / NAME).read_bytes(), Progress)
    except (OSError, msgspec.DecodeError):
        return None
    if progress.process != living_holder(data):
        return None
    return progress
