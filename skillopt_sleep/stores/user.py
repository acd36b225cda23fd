"""Open the user's store under the current settings."""

import hashlib
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from skillopt_sleep import __version__
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.settings import (
    BudgetSettings,
    DaemonSettings,
    NightSettings,
    NotifySettings,
    Paths,
    PriceSettings,
    Settings,
    seconds,
)
from skillopt_sleep.stores.sqlite import SqliteStore


def open_store(
    settings: Settings, paths: Paths, *, only: str = "", asked: str = "", mend: bool = False
) -> SqliteStore:
    """Open the user's store; `only` is the project a night is limited to, "" for all.

    `asked` is how the person asked for sessions to be read again, "" if they didn't. To `mend` a corrupt store is to
    set it aside and begin a new one, which is for nights only.

    An interrupted night is resumed only under the same settings. Limits, prices, workers, hours and notifications
    may differ.
    """
    relevant = replace(
        settings,
        budget=BudgetSettings(),
        prices=PriceSettings(),
        night=NightSettings(),
        daemon=DaemonSettings(),
        notify=NotifySettings(),
    )
    return SqliteStore(
        paths.data,
        clock=utc_now,
        lookback=timedelta(seconds=seconds(settings.harvest.lookback)),
        config=hashlib.sha256(to_json(relevant) + f"{only}\0{__version__}{asked}".encode()).hexdigest(),
        only=only,
        mend=mend,
    )


@contextmanager
def read_store(settings: Settings, paths: Paths) -> Generator[SqliteStore]:
    """Open the user's store to read it; where there is none, an empty one stands in, and none is created."""
    if paths.database.exists():
        with closing(open_store(settings, paths)) as store:
            yield store
        return
    with (
        TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as folder,
        closing(open_store(settings, replace(paths, data=Path(folder)))) as store,
    ):
        yield store
