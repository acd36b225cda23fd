"""Change a task: its request, its side, or whether nights use it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split, Task
from skillopt_sleep.stores.bank import Banked, TaskMark
from skillopt_sleep.stores.sqlite import SqliteStore

_SHORTEST = 8


class Edited(NamedTuple):
    """A task as it was and as the person wants it; other tasks of its session `moved` to another side with it."""

    known: Task
    written: Task
    moved: tuple[str, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Return whether the person changed anything of it."""
        return editable(self.known) != editable(self.written)

    @property
    def changed_side(self) -> bool:
        """Return whether it had a side, and has another one from now on."""
        return self.known.split is not None and self.written.split is not self.known.split


def find(entries: Sequence[Banked], name: str) -> Banked:
    """Return the task with this id, or the only one whose id starts so; ConfigError if there are none or several."""
    matches: list[Banked] = []
    for entry in entries:
        if entry.task.id == name:
            return entry
        if name and entry.task.id.startswith(name):
            matches.append(entry)
    if not matches:
        raise ConfigError(f"there is no task {name!r}", remedy="see: skillopt-sleep tasks list")
    if len(matches) > 1:
        ids = ", ".join(entry.task.id for entry in matches[:4])
        raise ConfigError(f"{len(matches)} task ids start with {name!r}", remedy=f"type more of the id: {ids}")
    return matches[0]


def short_ids(entries: Iterable[Banked]) -> dict[str, str]:
    """Return the shortest beginning of each id that is unique."""
    ids = sorted({entry.task.id for entry in entries})
    lengths = dict.fromkeys(ids, _SHORTEST)
    for previous, following in pairwise(ids):
        needed = next(count for count in range(1, len(following) + 1) if previous[:count] != following[:count])
        lengths[previous] = max(lengths[previous], needed)
        lengths[following] = max(lengths[following], needed)
    return {name: name[: lengths[name]] for name in ids}


def reworded(task: Task, *, prompt: str | None, context: str | None, split: Split | None) -> Task:
    """Return a task with those of these that aren't None."""
    from msgspec.structs import replace

    from skillopt_sleep.kit.redact import redact

    if prompt is not None:
        task = replace(task, prompt=redact(prompt))
    if context is not None:
        task = replace(task, context=redact(context))
    if split is not None:
        task = replace(task, split=split)
    return task


def write(store: SqliteStore, entry: Banked, written: Task, *, among: Sequence[Banked]) -> Edited:
    """Store a person's version of a task; ConfigError if another one of its session, `among` all, is the same."""
    for other in among:
        twin = other.task
        if twin.id != entry.task.id and (twin.session, twin.prompt) == (entry.task.session, written.prompt):
            raise ConfigError(
                f"{twin.id} has the same request, in the same session",
                remedy=f"drop one: skillopt-sleep tasks drop {twin.id}",
            )
    edited = Edited(entry.task, written)
    if not edited.is_changed:
        return edited
    return edited._replace(moved=store.bank.write((written,), at=utc_now()))


def mark(store: SqliteStore, names: Sequence[str], wanted: TaskMark, *, undo: bool) -> list[Banked]:
    """Set or remove a mark on all of these tasks or none; return each as it was before."""
    entries = store.bank.entries()
    found = {entry.task.id: entry for entry in (find(entries, name) for name in names)}
    store.bank.mark(list(found), wanted, at=None if undo else utc_now())
    return list(found.values())


def editable(task: Task) -> tuple[object, ...]:
    """Return the parts of a task that a person can change."""
    return task.prompt, task.context, task.reference, task.project, task.split, task.at
