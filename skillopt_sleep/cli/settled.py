"""Bring the bank in line with the journal of adoptions, and warn of what can't be read."""

from contextlib import AbstractContextManager

from skillopt_sleep.cli.console import warn
from skillopt_sleep.deciding import settled as settling
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.stores.sqlite import SqliteStore


def settled(store: SqliteStore) -> AbstractContextManager[Journal]:
    """Lock the journal, finish what a crash left half done, update the bank, and yield the journal."""
    return settling.settled(store, damaged=_warn)


def _warn(error: SleepError) -> None:
    warn(visible(f"skillopt-sleep: {error.message} → {error.remedy}"))
