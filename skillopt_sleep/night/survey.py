"""Choose the sessions that may be used, without decoding them: what the rules read in each is kept beside it."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import PurePath

from msgspec.structs import replace

from skillopt_sleep.kit.projects import is_excluded
from skillopt_sleep.mining.forks import without_copies
from skillopt_sleep.night.reading import RULES, Surveyed, heard_or_why_not, read_by_rules
from skillopt_sleep.protocols.crew import Again, Reach, SessionRules
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.protocols.work import Spool
from skillopt_sleep.records import IndexedSession, LeftOut, Note, Session, SessionLine, Task

# A session that ended later than this after now was written by a wrong clock; it is not still being written.
_AHEAD = timedelta(days=1)
# A session whose last record is younger may still be going on.
QUIET = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRules:
    """The rules that decide whether a session is read; the `spool` says whether one is over.

    `excluded` is called with a session's project and working folder; `exists` says whether a project's folder is
    still there. What earlier nights have read is only read if the person wants it read `again`.
    """

    now: datetime
    horizon: datetime | None
    include_headless: bool
    excluded: Callable[[str, str], bool]
    own_roots: tuple[str, ...]
    only: str = ""
    again: Again | None = None
    reach: Reach | None = None
    exists: Callable[[str], bool] = os.path.isdir
    spool: Spool | None = None

    @classmethod
    def of(cls, rules: SessionRules, *, now: datetime, horizon: datetime | None) -> "HarvestRules":
        """Return the rules of a harvest at this time."""
        if rules.again is not None:
            horizon = rules.again.since
        return cls(
            now=now,
            horizon=horizon,
            include_headless=rules.include_headless,
            excluded=rules.excluded,
            own_roots=rules.own_roots,
            only=rules.only,
            spool=rules.spool,
            again=rules.again,
            reach=rules.reach,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The indexed sessions that were asked for, and those of them that may be used, newest first.

    `held` has all of them, by id, and `left_out` why those that aren't used are left out. `copies` names sessions
    that only repeat others, `copied` counts the prompts left out as copies. `reviewed` are the tasks written by hand.
    """

    sessions: tuple[Surveyed, ...]
    held: Mapping[str, IndexedSession]
    left_out: Mapping[str, LeftOut]
    copies: tuple[str, ...]
    copied: int
    reviewed: tuple[Task, ...]
    notes: tuple[Note, ...]


def survey(sources: Collection[str], index: Index, rules: HarvestRules) -> Survey:
    """Choose the sessions of these sources that may be used, as the index has them: no file is looked at."""
    unread = rules.again is None
    every = _heard(lambda: index.held(RULES, unread=unread), index)
    named = rules.again.sessions if rules.again else None
    held: dict[str, IndexedSession] = {}
    usable: dict[str, IndexedSession] = {}
    left_out: dict[str, LeftOut] = {}
    for one in every:
        line = one.line
        if line.source not in sources or (named and line.id not in named):
            continue
        held[line.id] = one
        why = _why_left_out(line, rules)
        if why is None:
            usable[line.id] = one
        else:
            left_out[line.id] = why
    parts, copied = _own_parts(usable, _earlier(usable, every, index, rules), index, rules)
    sessions: list[Surveyed] = []
    for name, one in usable.items():
        part, heard = parts.get(name), one.heard
        if part is not None:
            heard = read_by_rules(part) if part.typed else None
        if heard is None or not heard.typed:
            left_out[name] = LeftOut.NO_USER_TURN
            continue
        line = one.line
        snapshot = rules.spool.snapshot(name) if rules.spool else None
        commit = heard.commit or (snapshot.commit if snapshot else "")
        surveyed = Surveyed(name, line.source, line.project, commit, line.ended, one.night, heard, snapshot, part)
        sessions.append(surveyed)
    places = moved(sessions, rules.exists)
    return Survey(
        sessions=tuple(one._replace(project=places.get(one.project, one.project)) for one in sessions),
        held=held,
        left_out=left_out,
        copies=tuple(name for name in parts if name in left_out),
        copied=copied,
        reviewed=allowed_tasks(index.reviewed(sources), rules.excluded),
        notes=tuple(_unreadable_notes(left_out, index)),
    )


def in_full(chosen: Sequence[Surveyed], index: Index) -> tuple[Session, ...]:
    """Return these sessions decoded, each without what it copied."""
    whole = index.sessions([one.id for one in chosen if one.part is None])
    decoded = {session.id: session for session in whole}
    sessions: list[Session] = []
    for one in chosen:
        session = one.part or decoded.get(one.id)
        if session is not None:
            sessions.append(replace(session, project=one.project, commit=one.commit))
    return tuple(sessions)


def allowed_tasks(tasks: Iterable[Task], excluded: Callable[[str, str], bool]) -> tuple[Task, ...]:
    """Return the tasks whose projects aren't excluded."""
    return tuple(task for task in tasks if not excluded(task.project, task.project))


def _heard(held: Callable[[], Sequence[IndexedSession]], index: Index) -> Sequence[IndexedSession]:
    """Return these sessions of the index; if the rules haven't read one of them yet, they read it now."""
    found = held()
    if any(one.heard is None for one in found):
        index.hear(heard_or_why_not, rules=RULES)
        found = held()
    return found


def _earlier(
    usable: Mapping[str, IndexedSession], every: Sequence[IndexedSession], index: Index, rules: HarvestRules
) -> Sequence[IndexedSession]:
    """Return the other sessions of the same projects that earlier nights have read."""
    projects = {one.line.project for one in usable.values()}
    if rules.again is None:
        return _heard(lambda: index.used_in(projects, RULES), index)
    return [one for one in every if one.night and one.line.project in projects and one.line.id not in usable]


def _own_parts(
    usable: Mapping[str, IndexedSession], earlier: Sequence[IndexedSession], index: Index, rules: HarvestRules
) -> tuple[dict[str, Session], int]:
    """Return the sessions that copied something, decoded and without it, and the number of copied prompts.

    Only sessions that share a typed turn or their first two texts with another one are decoded for that.
    """
    owners: Counter[str] = Counter()
    for one in usable.values():
        owners.update(_marks(one))
    read: set[str] = set()
    origins: list[str] = []
    for one in earlier:
        marks = _marks(one)
        if not owners.keys().isdisjoint(marks):
            origins.append(one.line.id)
            read |= marks
    sharing: list[str] = []
    for name, one in usable.items():
        if any(owners[mark] > 1 or mark in read for mark in _marks(one)):
            sharing.append(name)
    whole, before = index.sessions(sharing), index.sessions(origins)
    # A session that is read again may be the one that those read earlier were copied from.
    if rules.again is None:
        found = without_copies(whole, before)
    else:
        found = without_copies([*whole, *before], ())[: len(whole)]
    parts: dict[str, Session] = {}
    copied = 0
    for part, session in zip(found, whole, strict=True):
        if part is not session:
            parts[part.id] = part
            copied += len(session.typed) - len(part.typed)
    return parts, copied


def _marks(held: IndexedSession) -> set[str]:
    """Return what a copy of the session shares with it: the ids of typed turns, or its opening."""
    if held.heard is None:
        return set()
    return {held.heard.opening, *held.heard.typed} - {""}


def _why_left_out(line: SessionLine, rules: HarvestRules) -> LeftOut | None:
    """Return the first reason to leave a session out, in the order of `LeftOut`; None if it may be used."""
    if line.left_out in {LeftOut.UNREADABLE, LeftOut.SUBAGENT}:
        return line.left_out
    if _is_inside(line.cwd, rules.own_roots):
        return LeftOut.OWN_REPLAY
    if line.left_out is LeftOut.HEADLESS and not rules.include_headless:
        return LeftOut.HEADLESS
    if line.left_out is LeftOut.NO_USER_TURN:
        return LeftOut.NO_USER_TURN
    if rules.only and not (is_excluded(line.project, (rules.only,)) or is_excluded(line.cwd, (rules.only,))):
        return LeftOut.OTHER_PROJECT
    if rules.excluded(line.project, line.cwd):
        return LeftOut.EXCLUDED
    if _is_active(line, rules):
        return LeftOut.ACTIVE
    if rules.horizon is not None and line.ended < rules.horizon:
        return LeftOut.OLDER
    return None


def _is_active(line: SessionLine, rules: HarvestRules) -> bool:
    """Return whether a session may still be going on: its last record is recent and no hook said that it is over."""
    quiet_since = rules.now - QUIET
    if not quiet_since < line.ended <= rules.now + _AHEAD:
        return False
    if rules.spool is None:
        return True
    over = rules.spool.ended(line.id)
    if over is None:
        return True
    # A record after its end means that the session was taken up again.
    return not line.ended <= over <= rules.now


def _unreadable_notes(left_out: Mapping[str, LeftOut], index: Index) -> Iterator[Note]:
    """Turn the sessions that stand for unreadable files into notes; their turns say what is wrong."""
    remedy = "fix the file, make it readable, or remove it from harvest.tasks_files"
    unreadable = [name for name, why in left_out.items() if why is LeftOut.UNREADABLE]
    for session in index.sessions(unreadable):
        for turn in session.turns:
            yield Note(stage="harvest", summary=turn.text, remedy=remedy)


def moved(sessions: Sequence[Surveyed], exists: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each project whose folder is gone to the folder where the same repository is now.

    A project moved if exactly one existing project has the same folder name and shares a commit with it: only copies
    of one repository share a commit.
    """
    commits: defaultdict[str, set[str]] = defaultdict(set)
    for session in sessions:
        if session.commit:
            commits[session.project].add(session.commit)
    places: dict[str, str] = {}
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for project in {session.project for session in sessions} - {""}:
        by_name[PurePath(project).name].add(project)
    for namesakes in by_name.values():
        existing = set(filter(exists, namesakes))
        for gone in namesakes - existing:
            candidates = [project for project in existing if commits[project] & commits[gone]]
            if len(candidates) == 1:
                places[gone] = candidates[0]
    return places


@lru_cache(maxsize=1_000)
def _is_inside(folder: str, roots: tuple[str, ...]) -> bool:
    return bool(folder) and any(PurePath(folder).is_relative_to(root) for root in roots)
