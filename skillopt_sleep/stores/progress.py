"""Find the night that runs now, and tell how far it is by the log of its events."""

import os
from datetime import datetime
from pathlib import Path

import msgspec

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records.record import Record
from skillopt_sleep.stores.events import EventKind, read_events
from skillopt_sleep.stores.holder import living_holder

NAME = "progress.json"


class Stage(Record, frozen=True, kw_only=True):
    """The progress of a stage: how many of its calls are done."""

    label: str
    done: int
    total: int


class RunningNight(Record, frozen=True, kw_only=True):
    """The night that a process runs, since when it began or went on, where its files are, and its limits."""

    night: str
    process: int
    started: datetime
    folder: str
    most_calls: int = 0
    most_minutes: int = 0


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


def name_running(
    data: Path, *, night: str, started: datetime, folder: Path, most_calls: int, most_minutes: int
) -> None:
    """Write down that this process runs the night; without it the night goes on, and can't be followed."""
    running = RunningNight(
        night=night,
        process=os.getpid(),
        started=started,
        folder=str(folder),
        most_calls=most_calls,
        most_minutes=most_minutes,
    )
    try:
        write_atomic(data / NAME, to_json(running), durable=False)
    except OSError:
        return


def name_none(data: Path) -> None:
    """Take back that a night runs."""
    (data / NAME).unlink(missing_ok=True)


def read_progress(data: Path) -> Progress | None:
    """Return how far the running night is; None if none runs, even if a killed one left its files."""
    try:
        running = from_json((data / NAME).read_bytes(), RunningNight)
    except (OSError, msgspec.DecodeError):
        return None
    if running.process != living_holder(data):
        return None
    return _progress(running)


def _progress(running: RunningNight) -> Progress:
    """Go through the events since the night began or went on."""
    stages: dict[str, Stage] = {}
    calls, tokens, usd = 0, None, None
    for event in read_events(Path(running.folder)):
        calls, tokens, usd = event.calls, event.tokens, event.usd
        if event.kind is EventKind.BEGINS:
            stages.clear()
        elif event.kind is EventKind.STAGE and event.done < event.total:
            stages[event.stage] = Stage(label=event.stage, done=event.done, total=event.total)
        else:
            stages.pop(event.stage, None)
    return Progress(
        night=running.night,
        process=running.process,
        started=running.started,
        stages=tuple(stages.values()),
        calls=calls,
        tokens=tokens,
        usd=usd,
        most_calls=running.most_calls,
        most_minutes=running.most_minutes,
    )
