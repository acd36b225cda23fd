"""Exchange state between the daemon and the commands: small JSON files in one folder, each replaced atomically."""

import logging
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import filelock
import msgspec

from skillopt_sleep.daemon.backlog import Backlog
from skillopt_sleep.errors import NightLocked
from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir, write_atomic
from skillopt_sleep.records import Record

Kind = TypeVar("Kind", bound=Record)
_LOCK_SECONDS = 1.0
_LOCK_POLL_SECONDS = 0.05


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
    at: datetime


class Standing(Record, frozen=True, kw_only=True):
    """The daemon's own status: its next night, and what the settings lack for one."""

    pid: int
    since: datetime
    version: str
    next: datetime
    settings: str = ""


class State:
    """The folder of state files; an unreadable file is renamed to `.corrupt` and counts as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def pause(self) -> Pause | None:
        """Return the pause the user asked for, also one that is over."""
        return self.read("pause", Pause)

    def standing(self) -> Standing | None:
        """Return the status of the last daemon, whether it is still running or not."""
        return self.read("daemon", Standing)

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
        lock = self._lock()
        try:
            # `daemon_runs` in another process holds the lock for a moment too.
            lock.acquire(timeout=_LOCK_SECONDS, poll_interval=_LOCK_POLL_SECONDS)
        except filelock.Timeout as error:
            other = self.standing()
            who = f" (process {other.pid}, since {shown(other.since)})" if other else ""
            raise NightLocked(
                f"another daemon is already running{who}", remedy="one daemon serves all projects"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def daemon_runs(self) -> bool:
        """Return whether a daemon is running, without creating its lock file."""
        if not (self.folder / "daemon.lock").exists():
            return False
        lock = self._lock()
        try:
            lock.acquire()
        except filelock.Timeout:
            return True
        lock.release()
        return False

    def _lock(self) -> filelock.BaseFileLock:
        private_dir(self.folder)
        return filelock.FileLock(self.folder / "daemon.lock", timeout=0, mode=PRIVATE_FILE)


def ask_to_end(pid: int) -> None:
    """Ask one of our processes to end; does nothing if it is gone."""
    _signal(pid, signal.SIGTERM)


def end_now(pid: int) -> None:
    """Kill one of our processes; what it keeps is on disk already. Does nothing if it is gone."""
    _signal(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
