"""Open the user's store under the current settings."""

import hashlib
from datetime import timedelta

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
