"""Survey the whole history without decoding it: what the rules read in each session is kept beside it."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.mining.forks import without_copies
from skillopt_sleep.night.harvest import (
    HarvestRules,
    allowed_tasks,
    refresh_all,
    snapshots_of,
    unlisted_notes,
    unreadable_notes,
    why_left_out,
)
from skillopt_sleep.night.heard import RULES, hear
from skillopt_sleep.night.moved import moved
from skillopt_sleep.protocols import Index, Source
from skillopt_sleep.records import Heard, Held, LeftOut, Note, Session, Task


class Surveyed(NamedTuple):
    """A session that may be used: its project as it is now, and what the rules read in its own part."""

    id: str
    source: str
    project: str
    commit: str
    ended: datetime
    night: str
    heard: Heard


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Every indexed session of some sources, and those of them that may be used, newest first.

    `held` has all of them, by id, and `left_out` why those that aren't used are left out. `copies` names sessions
    that only repeat others, `copied` counts the prompts left out as copies. `reviewed` are the tasks written by hand.
    """

    sessions: tuple[Surveyed, ...]
    held: Mapping[str, Held]
    left_out: Mapping[str, LeftOut]
    copies: tuple[str, ...]
    copied: int
    reviewed: tuple[Task, ...]
    notes: tuple[Note, ...]


def survey(sources: Sequence[Source], index: Index, rules: HarvestRules) -> Survey:
    """Bring the index up to date with the sources, and choose all sessions that may be used, read before or not."""
    _, unlisted = refresh_all(sources, index)
    found = survey_indexed({source.name for source in sources}, index, rules)
    return dataclasses.replace(found, notes=(*unlisted_notes(unlisted), *found.notes))


def survey_indexed(names: Collection[str], index: Index, rules: HarvestRules) -> Survey:
    """Choose the sessions of these sources that may be used, as the index has them: no file is looked at."""
    held = _held(index, names)
    reasons = {name: why_left_out(one.line, rules) for name, one in held.items()}
    usable = [name for name, why in reasons.items() if why is None]
    left_out = {name: why for name, why in reasons.items() if why is not None}
    unreadable = [name for name, why in left_out.items() if why is LeftOut.UNREADABLE]
    own, copied = _own_parts(usable, held, index)
    heard = {name: own.get(name, held[name].heard) for name in usable}
    empty = [name for name, read in heard.items() if read is not None and not read.turns]
    left_out |= dict.fromkeys(empty, LeftOut.NO_USER_TURN)
    copies = [name for name in empty if name in own]
    return Survey(
        sessions=_at_their_folders(_surveyed(heard, held, rules), rules),
        held=held,
        left_out=left_out,
        copies=tuple(copies),
        copied=copied,
        reviewed=allowed_tasks(index.reviewed(names), rules.excluded),
        notes=tuple(unreadable_notes(index.sessions(unreadable))),
    )


def in_full(found: Survey, index: Index) -> tuple[Session, ...]:
    """Return the sessions of a survey decoded, each without what it copied."""
    ids = [name for name in found.held if name not in found.left_out or name in found.copies]
    projects = {session.id: session.project for session in found.sessions}
    sessions: list[Session] = []
    for session in without_copies(index.sessions(ids), ()):
        if session.id in projects:
            sessions.append(replace(session, project=projects[session.id]))
    return tuple(sessions)


def _held(index: Index, sources: Collection[str]) -> dict[str, Held]:
    """Return every session of these sources, by id; what the rules haven't read yet, they read now."""
    held = index.held(RULES)
    if any(one.heard is None for one in held):
        index.hear(hear, rules=RULES)
        held = index.held(RULES)
    return {one.line.id: one for one in held if one.line.source in sources}


def _own_parts(usable: Sequence[str], held: Mapping[str, Held], index: Index) -> tuple[dict[str, Heard], int]:
    """Return what the rules read in the sessions that copied something, without it, and the number of copied prompts.

    Only sessions that share a typed turn or their first two texts with another one are decoded for that.
    """
    owners: Counter[str] = Counter()
    for name in usable:
        owners.update(_marks(held[name]))
    sharing = [name for name in usable if any(owners[mark] > 1 for mark in _marks(held[name]))]
    own: dict[str, Heard] = {}
    copied = 0
    sessions = index.sessions(sharing)
    for part, whole in zip(without_copies(sessions, ()), sessions, strict=True):
        if part is not whole:
            own[part.id] = hear(part)
            copied += len(whole.typed) - len(part.typed)
    return own, copied


def _marks(held: Held) -> set[str]:
    """Return what a copy of the session shares with it: the ids of typed turns, or its opening."""
    if held.heard is None:
        return set()
    return {held.heard.opening, *(turn.id for turn in held.heard.turns)} - {""}


def _surveyed(heard: Mapping[str, Heard | None], held: Mapping[str, Held], rules: HarvestRules) -> list[Surveyed]:
    snapshots = snapshots_of(heard, rules.spool)
    found: list[Surveyed] = []
    for name, read in heard.items():
        if read is None or not read.turns:
            continue
        commit = read.commit
        if not commit and name in snapshots:
            commit = snapshots[name].commit
        line = held[name].line
        found.append(Surveyed(name, line.source, line.project, commit, line.ended, held[name].night, read))
    return found


def _at_their_folders(found: Sequence[Surveyed], rules: HarvestRules) -> tuple[Surveyed, ...]:
    """Give each session of a project that moved the folder where the project is now."""
    places = moved(found, rules.exists)
    return tuple(session._replace(project=places.get(session.project, session.project)) for session in found)
