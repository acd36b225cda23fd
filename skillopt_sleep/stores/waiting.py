"""Write the number of waiting proposals to a small file: session hooks read it to remind the user once a day."""

from contextlib import suppress
from datetime import datetime

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.sqlite import SqliteStore


def keep_waiting(paths: Paths, store: SqliteStore, *, at: datetime) -> None:
    """Update the file from the store, without what is snoozed at this time.

    If it can't be written, the next command tries again.
    """
    current = to_json({"schema_version": 1, "waiting": len(store.bank.to_decide(at))})
    with suppress(OSError):
        file = private_dir(paths.state) / "proposals_waiting.json"
        if not file.exists() or file.read_bytes() != current:
            write_atomic(file, current)
