"""Keep the session index fresh during the day: notice what the agents write, and index it in a short process.

Events are only a hint: every refresh, and every night, checks all files again.
"""

import logging
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
from watchdog.observers.api import ObservedWatch

from skillopt_sleep.kit.log import tell

EVERY_SECONDS = 1800.0
_EVENTS: list[type[FileSystemEvent]] = [FileCreatedEvent, FileModifiedEvent, FileMovedEvent]


class FolderChanges(FileSystemEventHandler):
    """Remember that sessions changed, and decide when to index them: at most every half hour."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = False
        self._last_read = clock()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note a change of a session file."""
        if str(event.src_path).endswith(".jsonl") or str(event.dest_path).endswith(".jsonl"):
            self._changed = True

    def take(self) -> bool:
        """Return whether to index now; if so, forget the changes seen so far."""
        now = self._clock()
        if not self._changed or now - self._last_read < EVERY_SECONDS:
            return False
        self._changed = False
        self._last_read = now
        return True


class Watcher:
    """Watch folders that may appear, vanish and come back; call `look` from time to time."""

    def __init__(self, folders: Iterable[Path], changes: FolderChanges) -> None:
        self._changes = changes
        self._inodes = dict.fromkeys(folders, 0)  # of each folder as it was when it was last looked at
        self._watches: dict[Path, ObservedWatch] = {}
        self._observer = Observer()
        self._observer.start()

    def look(self) -> None:
        """Watch new folders, and stop watching those that are gone or were replaced."""
        for folder, known in self._inodes.items():
            inode = _inode(folder)
            if inode == known:
                continue
            self._inodes[folder] = inode
            if folder in self._watches:
                self._observer.unschedule(self._watches.pop(folder))
            if inode:
                self._watch(folder)

    def stop(self) -> None:
        """Stop watching."""
        self._observer.stop()
        self._observer.join()

    def _watch(self, folder: Path) -> None:
        """Watch a folder; if the system can't, as with too many folders in it, the night reads what is new."""
        try:
            watch = self._observer.schedule(self._changes, str(folder), recursive=True, event_filter=_EVENTS)
        except OSError as error:
            tell("folder can't be watched", level=logging.WARNING, folder=str(folder), why=str(error))
        else:
            self._watches[folder] = watch


class Refresh:
    """Index what changed, in a process of its own that nobody waits for."""

    def __init__(self, folder: Path, environ: Mapping[str, str], command: Sequence[str] = ()) -> None:
        self._folder = folder
        self._environ = environ
        self._command = command or (sys.executable, "-P", "-m", "skillopt_sleep", "harvest")
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


def _inode(folder: Path) -> int:
    try:
        return folder.stat().st_ino if folder.is_dir() else 0
    except OSError:
        return 0
