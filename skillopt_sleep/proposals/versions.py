"""Number the versions of a file: each adoption or undo that changed our part of it makes the next one."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.records import Record


class Event(Record, frozen=True, kw_only=True):
    """An adoption of a proposal, or its undo if it wasn't `adopted`."""

    at: datetime
    proposal: str
    adopted: bool


class Version(NamedTuple):
    """The number of a version, what made it, and the proposals that are live in it, in the order of adoption."""

    number: int
    event: Event
    live: tuple[str, ...]


class Step(NamedTuple):
    """A proposal to adopt or to undo on the way to another version."""

    proposal: str
    adopting: bool


def keep(journal: Journal) -> None:
    """Add what the journal shows to the list of all adoptions and undos; the journal knows the last of each only.

    If the list can't be written, the next command does it.
    """
    known = events(journal)
    found = dict.fromkeys(known)
    for entry in journal.entries():
        if entry.state not in {AdoptionState.DONE, AdoptionState.UNDONE}:
            continue
        found[Event(at=entry.adopted, proposal=entry.proposal, adopted=True)] = None
        if entry.state is AdoptionState.UNDONE:
            found[Event(at=entry.changed_at, proposal=entry.proposal, adopted=False)] = None
    if len(found) > len(known):
        with suppress(OSError):
            journal.keep_events(to_json(sorted(found, key=lambda event: event.at)))


def events(journal: Journal) -> tuple[Event, ...]:
    """Return every adoption and undo that was kept, oldest first; none if the list is damaged: a new one is begun."""
    try:
        return from_json(journal.kept_events(), tuple[Event, ...])
    except (msgspec.DecodeError, OSError):
        return ()


def versions(journal: Journal, path: Path) -> tuple[Version, ...]:
    """Return the versions of the file, oldest first; before the first, nothing of ours was in it."""
    concerned = {entry.proposal for entry in journal.entries() if touches(entry, path)}
    found: list[Version] = []
    live: dict[str, None] = {}
    for event in events(journal):
        if event.proposal not in concerned:
            continue
        live.pop(event.proposal, None)
        if event.adopted:
            live[event.proposal] = None
        found.append(Version(len(found) + 1, event, tuple(live)))
    return tuple(found)


def steps(known: tuple[Version, ...], number: int) -> tuple[Step, ...]:
    """Return the undos, newest first, and the adoptions that lead from the last of these versions to another."""
    now = known[-1].live if known else ()
    wanted = known[number - 1].live if number else ()
    undos = [Step(name, adopting=False) for name in reversed(now) if name not in wanted]
    return (*undos, *(Step(name, adopting=True) for name in wanted if name not in now))


def touches(entry: Entry, path: Path) -> bool:
    """Return whether the adoption wrote this file."""
    return any(str(path) in (file.path, file.target) for file in entry.files)
