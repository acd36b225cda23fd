"""The store of this user, under these settings."""

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
    Settings,
    seconds,
)
from skillopt_sleep.stores.sqlite import SqliteStore


def open_store(settings: Settings, paths: Paths, *, only: str = "") -> SqliteStore:
    """The store; a night that was cut off goes on only under the same settings, limits, workers and hours aside.

    `only` is the one project a night is narrowed to, where it is.
    """
    same = replace(
        settings, budget=BudgetSettings(), night=NightSettings(), daemon=DaemonSettings(), notify=NotifySettings()
    )
    return SqliteStore(
        paths.data,
        clock=utc_now,
        lookback=timedelta(seconds=seconds(settings.harvest.lookback)),
        config=hashlib.sha256(to_json(same) + f"{only}\0{__version__}".encode()).hexdigest(),
        only=only,
    )
