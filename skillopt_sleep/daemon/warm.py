"""python -m skillopt_sleep.daemon.warm: bring the index up to date, and be gone."""

import sys

from skillopt_sleep.errors import SleepError
from skillopt_sleep.night.harvest import refresh
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.wiring import agent_sources


def warm() -> None:
    """Read what changed since the index last saw it; nothing is marked as read."""
    paths = find_paths()
    settings = load(paths)
    store = open_store(settings, paths)
    try:
        for source in agent_sources(settings):
            refresh(source, store.index, {})
    finally:
        store.close()


def main() -> None:
    """Complain in one line: a night will read the same files, and say what is wrong with them."""
    try:
        warm()
    except (SleepError, OSError) as error:
        sys.exit(f"skillopt-sleep: the index was not refreshed: {error}")


if __name__ == "__main__":
    main()
