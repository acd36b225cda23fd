"""Open the user's store for one command or one request."""

from collections.abc import Generator
from contextlib import contextmanager

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Settings, find_paths, load
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.stores.user import open_store, read_store
from skillopt_sleep.stores.waiting import keep_waiting


@contextmanager
def opened(settings: Settings | None = None) -> Generator[SqliteStore]:
    """Open the store, and record the number of waiting proposals at the end."""
    paths = find_paths()
    store = open_store(settings or load(paths), paths)
    try:
        yield store
        keep_waiting(paths, store, at=utc_now())
    finally:
        store.close()


@contextmanager
def opened_to_read(settings: Settings | None = None) -> Generator[SqliteStore]:
    """Open the store for a command that only reads: where there is none, none is created."""
    paths = find_paths()
    if paths.database.exists():
        with opened(settings) as store:
            yield store
        return
    with read_store(settings or load(paths), paths) as store:
        yield store
