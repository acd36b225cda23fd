"""Share answers among trainings over the same data and models, but for those by which a skill was chosen."""

import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import filelock

from skillopt_sleep.kit.files import PRIVATE_FILE, write_atomic
from skillopt_sleep.protocols import Calls
from skillopt_sleep.records import Record
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.env import Item

NAME = "run.id"


class Sharing(Record, frozen=True, kw_only=True):
    """Which attempts of a run are its own: those on `val`, but for the first `passes` of its `initial` skill.

    A val answer of another skill may have chosen that skill, so no other run may see it. `run` is the run's own name.
    """

    run: str = ""
    val: frozenset[str] = frozenset()
    initial: str = ""
    passes: int = 0

    def own(self, item: str, sha: str, sample: int) -> str:
        """Return the run's name if this attempt is its own, else ""."""
        if item not in self.val or (sha == self.initial and sample < self.passes):
            return ""
        return self.run


NOTHING_SHARED = Sharing()


def sharing(folder: Path, items: Sequence[Item], *, initial: str, passes: int) -> Sharing:
    """Return which attempts of the run in this folder are its own; it gets a name that it keeps."""
    path = folder / NAME
    if not path.exists():
        write_atomic(path, uuid.uuid4().hex.encode())
    run = path.read_text(encoding="utf-8")
    return Sharing(run=run, val=frozenset(item.id for item in items), initial=initial, passes=passes)


def open_shared(file: Path, clock: Callable[[], datetime]) -> CallStore:
    """Open a file of answers that others may be opening at the same moment: one makes it, the others wait."""
    with filelock.FileLock(f"{file}.lock", mode=PRIVATE_FILE):
        return CallStore(file, clock)


@contextmanager
def shared_calls(folder: Path, shared: str, own: Calls, clock: Callable[[], datetime]) -> Generator[Calls]:
    """Open the file of answers that is shared beside a run's folder, or give the run's own if none is."""
    if not shared:
        yield own
        return
    store = open_shared(folder.absolute().parent / shared, clock)
    try:
        yield store.calls
    finally:
        store.close()
