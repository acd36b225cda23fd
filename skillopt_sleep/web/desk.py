"""Open the store for a decision, and read what a form says."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from starlette.requests import Request

from skillopt_sleep.deciding.settled import settled
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.stores.waiting import keep_waiting
from skillopt_sleep.web.forms import sent
from skillopt_sleep.web.site import site_of, store_of


class Desk(NamedTuple):
    """The store, the journal that agrees with it, and the entries of that which can't be read."""

    store: SqliteStore
    journal: Journal
    damaged: list[SleepError]


@contextmanager
def desk_of(request: Request) -> Generator[Desk]:
    """Open the store and settle it with the journal, which nobody else writes in the meantime."""
    damaged: list[SleepError] = []
    with store_of(request) as store, settled(store, damaged=damaged.append) as journal:
        yield Desk(store, journal, damaged)
        if request.method == "POST":
            keep_waiting(site_of(request).paths, store, at=utc_now())


def field(request: Request, name: str) -> str:
    """Return a field of the form, its lines ended as in a file; "" if it isn't there."""
    return sent(request).one(name).replace("\r\n", "\n")
