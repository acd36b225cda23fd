"""Bring the session index up to date and exit: python -m skillopt_sleep.daemon.warm."""

import sys

from skillopt_sleep.errors import SleepError
from skillopt_sleep.night.harvest import refresh
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.wiring import agent_sources


def warm() -> None:
    """Index what changed since the last time, without marking any session as used."""
    paths = find_paths()
    settings = load(paths)
    store = open_store(settings, paths)
    try:
        for source in agent_sources(settings):
            refresh(source, store.index, {})
    finally:
        store.close()


def main() -> None:
    """Run, and report a failure in one line: the next night reads the same files and says more."""
    try:
        warm()
    except (SleepError, OSError) as error:
        sys.exit(f"skillopt-sleep: the index was not refreshed: {error}")


if __name__ == "__main__":
    main()
