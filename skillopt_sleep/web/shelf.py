"""Keep the store open between pages: opening one checks the whole file, which takes long once it is large."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.stores.user import open_store, read_store


class Shelf:
    """The store at these paths; another file there, or other settings, are noticed."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._open: SqliteStore | None = None
        self._as: tuple[int, int, Settings] | None = None

    @contextmanager
    def store(self, settings: Settings) -> Generator[SqliteStore]:
        """Yield the store, which several pages read at the same time; where there is none, none is created."""
        if not self._paths.database.exists():
            with read_store(settings, self._paths) as store:
                yield store
            return
        yield self._current(settings)

    def _current(self, settings: Settings) -> SqliteStore:
        with self._lock:
            found = self._paths.database.stat()
            wanted = found.st_dev, found.st_ino, settings
            if self._open is None or self._as != wanted:
                self._open = open_store(settings, self._paths)  # whoever still reads the old one keeps it
                self._as = wanted
            return self._open
