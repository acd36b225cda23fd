"""Keep the session index fresh during the day: notice what the agents write, and index it in a short process.

Events are only a hint: every refresh, and every night, checks all files again.
"""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from watchdog.events import (
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch
from watchdog.observers.polling import PollingObserver

from skillopt_sleep.kit.log import tell

MOST_FOLDERS = 4096  # one watch each; Linux allows a user 8,192 or more
POLL_SECONDS = 600
QUIET_SECONDS = 120.0
EVERY_SECONDS = 1800.0
_EVENTS: list[type[FileSystemEvent]] = [FileCreatedEvent, FileModifiedEvent, FileMovedEvent]
# On these, changes made by another machine, or by Windows, aren't reported.
_REMOTE = ("nfs", "cifs", "smb", "9p", "drvfs", "afs", "fuse.sshfs", "virtiofs", "vboxsf")


class Changes(FileSystemEventHandler):
    """Remember that sessions changed, and decide when to index them: once writing rests, or after a long time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_change: float | None = None
        self._last_read = clock()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note a change of a session file."""
        if str(event.src_path).endswith(".jsonl") or str(event.dest_path).endswith(".jsonl"):
            self._last_change = self._clock()

    def take(self) -> bool:
        """Return whether to index now; if so, forget the changes seen so far."""
        now = self._clock()
        if self._last_change is None:
            return False
        since_read = now - self._last_read
        if since_read < EVERY_SECONDS:
            return False
        still_writing = now - self._last_change < QUIET_SECONDS
        if still_writing and since_read < 2 * EVERY_SECONDS:
            return False
        self._last_change = None
        self._last_read = now
        return True


class Watcher:
    """Watch folders that may appear, vanish and come back; call `look` from time to time."""

    def __init__(self, folders: Iterable[Path], changes: Changes, *, most_folders: int = MOST_FOLDERS) -> None:
        self._folders = tuple(folders)
        self._changes = changes
        self._most_folders = most_folders
        self._watched: dict[Path, tuple[int, BaseObserver, ObservedWatch]] = {}
        self._native: BaseObserver | None = None
        self._polling: BaseObserver | None = None

    def look(self) -> None:
        """Watch new folders, and stop watching those that are gone or were replaced."""
        for folder in self._folders:
            inode = _inode(folder)
            if folder in self._watched:
                known, observer, watch = self._watched[folder]
                if known == inode:
                    continue
                observer.unschedule(watch)
                del self._watched[folder]
            if inode:
                self._watch(folder, inode)

    def stop(self) -> None:
        """Stop watching."""
        for observer in (self._native, self._polling):
            if observer:
                observer.stop()
                observer.join()

    def _watch(self, folder: Path, inode: int) -> None:
        if not is_remote(folder, mounts()) and _count(folder, self._most_folders) <= self._most_folders:
            if self._native is None:
                self._native = Observer()
                self._native.start()
            try:
                watch = self._native.schedule(self._changes, str(folder), recursive=True, event_filter=_EVENTS)
            except OSError as error:
                tell(
                    "folder can't be watched; it is polled", level=logging.WARNING, folder=str(folder), why=str(error)
                )
            else:
                self._watched[folder] = (inode, self._native, watch)
                return
        self._poll(folder, inode)

    def _poll(self, folder: Path, inode: int) -> None:
        if self._polling is None:
            self._polling = PollingObserver(timeout=POLL_SECONDS)
            self._polling.start()
        watch = self._polling.schedule(self._changes, str(folder), recursive=True, event_filter=_EVENTS)
        self._watched[folder] = (inode, self._polling, watch)


class Refresh:
    """Index what changed, in a process of its own that nobody waits for."""

    def __init__(self, folder: Path, environ: Mapping[str, str], command: Sequence[str] = ()) -> None:
        self._folder = folder
        self._environ = environ
        self._command = command or (sys.executable, "-P", "-m", "skillopt_sleep.daemon.warm")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start a refresh unless one is running."""
        if self.runs():
            return
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._command, stdin=null, stdout=null, stderr=None, cwd=self._folder, env=dict(self._environ)
        )

    def runs(self) -> bool:
        """Return whether a refresh is running."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Terminate a running refresh; each file is indexed as a whole or not at all."""
        if self._process is not None and self.runs():
            self._process.terminate()
            self._process.wait()


def mounts() -> Sequence[tuple[str, str]]:
    """Return the mount points with the types of their file systems; empty if they can't be listed."""
    import psutil

    try:
        return [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]
    except (OSError, RuntimeError):
        return []


def is_remote(folder: Path, mounted: Sequence[tuple[str, str]]) -> bool:
    """Return whether a folder's file system doesn't report all changes."""
    real = folder.resolve()
    above = [(len(point), kind) for point, kind in mounted if real.is_relative_to(point)]
    if not above:
        return False
    _, kind = max(above)
    return kind.lower().startswith(_REMOTE)


def _count(folder: Path, most: int) -> int:
    """Count the folders of a tree, stopping once there are more than `most`."""
    count = 0
    for _ in os.walk(folder):
        count += 1
        if count > most:
            break
    return count


def _inode(folder: Path) -> int:
    try:
        return folder.stat().st_ino if folder.is_dir() else 0
    except OSError:
        return 0
