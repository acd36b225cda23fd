"""A machine with a night behind it that holds a marker in one session, an adopted rule, and a look at every byte."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from skillopt_sleep.keeping.purge import Purge, carry_out, of_words, plan
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED
from tests.nights import Machine

MARKER = "zanzibar"
RULE_WORDS = "use pnpm, never npm"  # what the adopted rule says
_OTHER = "no - always name the ticket in the commit, never only the file"


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


def with_another_rule(machine: Machine) -> str:
    """Let a second night propose a rule for the same file from other sessions; the id of the proposal that waits."""
    machine.clock.pass_by(days=1)
    machine.had(7, 8, 9, 10, 11, said=_OTHER, ask="commit it")
    machine.night()
    store = machine.store()
    (entry,) = store.bank.proposals("waiting")
    store.close()
    return entry.proposal.id


def adopt_all(machine: Machine) -> None:
    """Adopt every proposal that waits."""
    paths = paths_of(machine)
    store = machine.store()
    for entry in store.bank.proposals("waiting"):
        folder = store.folder(entry.proposal.night) / "proposals" / entry.proposal.id
        adopt(folder, journal=Journal(paths.adoptions), at=machine.clock())
        store.bank.decide(entry.proposal.id, ADOPTED, at=machine.clock())
    store.close()


def calibrated(machine: Machine, *, days_ago: float = 0) -> Path:
    """Keep what sealed replays leave: what a project's own command did in a copy of its repository."""
    paths = paths_of(machine)
    result = paths.replays / "calibrations" / "1.json"
    result.parent.mkdir(parents=True)
    result.write_text(f"{machine.project()} {MARKER}", encoding="utf-8")
    moment = (machine.clock() - timedelta(days=days_ago)).timestamp()
    os.utime(result, (moment, moment))
    return result


def purge_words(machine: Machine, words: str = MARKER, *, traced: Callable[[str], None] | None = None) -> Purge:
    """Purge these words; return what that took. Each statement of the store may be `traced`."""
    store = machine.store()
    store._connection.set_trace_callback(traced)  # pyright: ignore[reportPrivateUsage]
    try:
        purge = plan(store, paths_of(machine), lambda rows: of_words(rows, words))
        carry_out(purge, store, paths_of(machine), now=machine.clock())
        return purge
    finally:
        store.close()


def holding(machine: Machine, words: str = MARKER) -> list[str]:
    """Every file of ours that holds these bytes, the store's own files too."""
    data = paths_of(machine).data
    files = [file for file in sorted(data.rglob("*")) if file.is_file()]
    return [str(file.relative_to(data)) for file in files if words.encode() in file.read_bytes().lower()]
