"""A person's store, opened and settled as a surface does it before a decision."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from skillopt_sleep.deciding.stored import consistent_journal, opened
from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.command import Home


class Desk(NamedTuple):
    """The open store, the journal of adoptions, and the errors of entries that can't be read."""

    store: SqliteStore
    journal: Journal
    damaged: list[SleepError]

    def states(self) -> dict[str, str]:
        """The state of each proposal."""
        return {decided.proposal.id: decided.state for decided in self.store.bank.proposals()}


@contextmanager
def desk(home: Home, monkeypatch: pytest.MonkeyPatch) -> Generator[Desk]:
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    damaged: list[SleepError] = []
    with opened() as store, consistent_journal(store, damaged=damaged.append) as journal:
        yield Desk(store, journal, damaged)
