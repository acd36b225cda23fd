"""Open the user's store for one command."""

from collections.abc import Generator
from contextlib import contextmanager

from skillopt_sleep.cli.console import warn
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Settings, find_paths, load
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.stores.waiting import keep_waiting


@contextmanager
def opened(settings: Settings | None = None) -> Generator[SqliteStore]:
    """Open the store, warn if a corrupt one was set aside, and record the number of waiting proposals at the end."""
    paths = find_paths()
    store = open_store(settings or load(paths), paths)
    try:
        if store.notice:
            warn(store.notice)
        yield store
        keep_waiting(paths, store, at=utc_now())
    finally:
        store.close()
