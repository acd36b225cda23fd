"""Let one night run at a time; tell which process runs it, and how far it is by the log of its events."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from skillopt_sleep.errors import NightLocked
from skillopt_sleep.kit.clock import to_the_minute, utc_now
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import is_locked, locked, write_atomic
from skillopt_sleep.kit.process import is_alive
from skillopt_sleep.records import Record
from skillopt_sleep.stores.events import EventKind, read_events

HOLDER = "night.holder"
_LOCK = "night.lock"
_HOLDER_SECONDS = 1.0  # how long to wait for the lock before saying who holds it


class StageProgress(Record, frozen=True, kw_only=True):
    """The progress of a stage: how many of its calls are done."""

    label: str
    done: int
    total: int


class Holder(Record, frozen=True, kw_only=True):
    """The process that holds the lock of nights; while it runs one, that night, its folder and its limits."""

    pid: int
    since: datetime
    night: str = ""
    started: datetime | None = None
    folder: str = ""
    most_calls: int = 0
    most_minutes: int = 0


class Progress(Record, frozen=True, kw_only=True):
    """A running night at one moment; its unfinished stages are in the order they began."""

    night: str
    process: int
    started: datetime
    stages: tuple[StageProgress, ...] = ()
    calls: int = 0
    tokens: int | None = 0
    usd: float | None = 0.0
    most_calls: int = 0
    most_minutes: int = 0


@contextmanager
def alone(data: Path, clock: Callable[[], datetime]) -> Generator[None]:
    """Hold the lock of nights, so that none runs meanwhile; raise NightLocked, naming its holder, if one does."""

    def taken() -> NightLocked:
        holder = _read_holder(data)
        name = f" (process {holder.pid}, since {to_the_minute(holder.since)})" if holder else ""
        return NightLocked(
            f"a night is already running{name}",
            remedy="see how far it is: skillopt-sleep status, or stop it: skillopt-sleep pause --now",
        )

    # `is_running` in another process holds the lock for a moment too.
    with locked(data / _LOCK, taken, seconds=_HOLDER_SECONDS):
        try:
            write_atomic(data / HOLDER, to_json(Holder(pid=os.getpid(), since=clock())))
            yield
        finally:
            (data / HOLDER).unlink(missing_ok=True)


def is_running(data: Path) -> bool:
    """Return whether a night holds the lock right now, without creating the lock file."""
    return is_locked(data / _LOCK)


def held_by(data: Path) -> int | None:
    """Return the process id of the running night, or None if no night runs or its process can't be verified."""
    if not is_running(data):
        return None
    return living_holder(data)


def living_holder(data: Path) -> int | None:
    """Return the id of the process that holds the night's lock, or None unless it verifiably still runs."""
    holder = _read_holder(data)
    return holder.pid if holder and is_alive(holder.pid, holder.since) else None


def name_running(
    data: Path, *, night: str, started: datetime, folder: Path, most_calls: int, most_minutes: int
) -> None:
    """Write down that this process runs the night; without it the night goes on, and can't be followed."""
    holder = Holder(
        pid=os.getpid(),
        since=utc_now(),
        night=night,
        started=started,
        folder=str(folder),
        most_calls=most_calls,
        most_minutes=most_minutes,
    )
    with suppress(OSError):
        write_atomic(data / HOLDER, to_json(holder), durable=False)


def read_progress(data: Path) -> Progress | None:
    """Return how far the running night is; None if none runs, even if a killed one left its files."""
    holder = _read_holder(data)
    if holder is None or holder.started is None or living_holder(data) is None:
        return None
    stages: dict[str, StageProgress] = {}
    calls, tokens, usd = 0, None, None
    for event in read_events(Path(holder.folder)):
        calls, tokens, usd = event.calls, event.tokens, event.usd
        if event.kind is EventKind.BEGINS:
            stages.clear()
        elif event.kind is EventKind.STAGE and event.done < event.total:
            stages[event.stage] = StageProgress(label=event.stage, done=event.done, total=event.total)
        else:
            stages.pop(event.stage, None)
    return Progress(
        night=holder.night,
        process=holder.pid,
        started=holder.started,
        stages=tuple(stages.values()),
        calls=calls,
        tokens=tokens,
        usd=usd,
        most_calls=holder.most_calls,
        most_minutes=holder.most_minutes,
    )


def _read_holder(data: Path) -> Holder | None:
    try:
        return from_json((data / HOLDER).read_bytes(), Holder)
    except (OSError, msgspec.DecodeError):
        return None
