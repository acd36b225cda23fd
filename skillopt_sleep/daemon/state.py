"""Exchange state between the daemon and the commands: small JSON files in one folder, each replaced atomically."""

import logging
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from skillopt_sleep.daemon.backlog import Backlog
from skillopt_sleep.errors import NightLocked
from skillopt_sleep.kit.clock import to_the_minute
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import is_locked, locked, private_dir, write_atomic
from skillopt_sleep.records import Record

Kind = TypeVar("Kind", bound=Record)
_LOCK_SECONDS = 1.0
LOCK = "daemon.lock"


class Pause(Record, frozen=True, kw_only=True):
    """A pause: no night starts by itself before `until`, or before `resume` if that is None."""

    since: datetime
    until: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Return whether the pause is still in force."""
        return self.until is None or now < self.until


class Cancel(Record, frozen=True, kw_only=True):
    """A note that the user stopped the night of this process."""

    pid: int


class DaemonStatus(Record, frozen=True, kw_only=True):
    """The daemon's own status: its next night, and what the settings lack for one."""

    pid: int
    since: datetime
    version: str
    next: datetime
    settings: str = ""


class DaemonState:
    """The folder of state files; an unreadable file is renamed to `.corrupt` and counts as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def pause(self) -> Pause | None:
        """Return the pause the user asked for, also one that is over."""
        return self.read("pause", Pause)

    def standing(self) -> DaemonStatus | None:
        """Return the status of the last daemon, whether it is still running or not."""
        return self.read("daemon", DaemonStatus)

    def backlog(self) -> Backlog:
        """Return the daemon's backlog of nights."""
        return self.read("schedule", Backlog) or Backlog()

    def read(self, name: str, kind: type[Kind]) -> Kind | None:
        """Read one file, or return None if it is missing or unreadable."""
        file = self.folder / f"{name}.json"
        try:
            return from_json(file.read_bytes(), kind)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            from skillopt_sleep.kit.log import tell

            tell("a file can't be read; it was set aside", level=logging.WARNING, file=str(file), because=str(error))
            file.replace(file.with_name(f"{file.name}.corrupt"))
            return None

    def write(self, name: str, value: Record) -> None:
        """Replace one file."""
        write_atomic(private_dir(self.folder) / f"{name}.json", to_json(value))

    def forget(self, name: str) -> bool:
        """Remove one file; return whether there was one."""
        try:
            (self.folder / f"{name}.json").unlink()
        except FileNotFoundError:
            return False
        return True

    @contextmanager
    def only_daemon(self) -> Generator[None]:
        """Hold the daemon's lock; raises NightLocked, naming the other daemon, if one is running."""

        def taken() -> NightLocked:
            other = self.standing()
            who = f" (process {other.pid}, since {to_the_minute(other.since)})" if other else ""
            return NightLocked(f"another daemon is already running{who}", remedy="one daemon serves all projects")

        # `daemon_runs` in another process holds the lock for a moment too.
        with locked(private_dir(self.folder) / LOCK, taken, seconds=_LOCK_SECONDS):
            yield

    def daemon_runs(self) -> bool:
        """Return whether a daemon is running, without creating its lock file."""
        return is_locked(self.folder / LOCK)


def end(pid: int, number: signal.Signals) -> None:
    """Send this signal to one of our processes, which keeps on disk what it has; does nothing if it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
