"""A machine with a night behind it that holds a marker in one session, an adopted rule, and a look at every byte."""

import os
from datetime import timedelta
from pathlib import Path

from skillopt_sleep.keeping.choose import of_words
from skillopt_sleep.keeping.purge import Purge, carry_out, plan
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.records import Workspace
from skillopt_sleep.replay.workspaces import Bases
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED
from tests.nights import Machine
from tests.replay.workspaces.repositories import commit, git

MARKER = "zanzibar"


def paths_of(machine: Machine) -> Paths:
    """The paths of everything on this machine."""
    return Paths(config=machine.folder, data=machine.folder / "data")


def a_machine(folder: Path) -> Machine:
    """A machine whose first night proposed a rule, which was adopted; one of its five sessions holds the marker."""
    machine = Machine(folder)
    machine.had(0, ask=f"create a run script for {MARKER}")
    machine.had(1, 2, 3, 4)
    machine.night()
    adopt_all(machine)
    return machine


def adopt_all(machine: Machine) -> None:
    """Adopt every proposal that waits."""
    paths = paths_of(machine)
    store = machine.store()
    for entry in store.bank.proposals("waiting"):
        folder = store.folder(entry.proposal.night) / "proposals" / entry.proposal.id
        adopt(folder, journal=Journal(paths.adoptions), at=machine.clock())
        store.bank.decide(entry.proposal.id, ADOPTED, at=machine.clock())
    store.close()


def copied(machine: Machine, *, days_ago: float = 0) -> tuple[Path, ...]:
    """Keep what sealed replays leave: a whole copy of the project's repository, and what a command did in it."""
    root = machine.project()
    paths = paths_of(machine)
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    state = Workspace(root=str(root), commit=commit(root, {f"{MARKER}.md": MARKER}))
    place = Bases(paths.replays / "bases").of(state).path.parent
    result = paths.replays / "calibrations" / "1.json"
    result.parent.mkdir()
    result.write_text(MARKER, encoding="utf-8")
    moment = (machine.clock() - timedelta(days=days_ago)).timestamp()
    for path in (place, result):
        os.utime(path, (moment, moment))
    return place, result


def purge_words(machine: Machine, words: str = MARKER) -> Purge:
    """Purge these words; return what that took."""
    store = machine.store()
    try:
        purge = plan(store, paths_of(machine), lambda rows: of_words(rows, words))
        carry_out(purge, store, now=machine.clock())
        return purge
    finally:
        store.close()


def holding(machine: Machine, words: str = MARKER) -> list[str]:
    """Every file of ours that holds these bytes, the store's own files too."""
    data = paths_of(machine).data
    files = [file for file in sorted(data.rglob("*")) if file.is_file()]
    return [str(file.relative_to(data)) for file in files if words.encode() in file.read_bytes().lower()]
