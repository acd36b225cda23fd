"""Which sessions a night reads: what changed is parsed, then every unread one is used or left out for one reason."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath

import msgspec

from skillopt_sleep.protocols import Index, SessionRules, Source, Spool
from skillopt_sleep.records import (
    LeftOut,
    Note,
    Origin,
    Record,
    Session,
    SessionCounts,
    SessionLine,
    Snapshot,
    Task,
)

# A session from further ahead comes from a clock that was wrong, not from one that is being written.
_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRules:
    """What decides whether a session is read: `excluded` is asked with its project and its folder.

    `exists` tells whether a project's folder is still there. What the `spool` says of a session spares it the wait.
    """

    now: datetime
    quiet_seconds: float
    horizon: datetime | None
    include_headless: bool
    excluded: Callable[[str, str], bool]
    own_roots: tuple[str, ...]
    unread: bool = True
    exists: Callable[[str], bool] = os.path.isdir
    spool: Spool | None = None

    @classmethod
    def of(cls, rules: SessionRules, *, now: datetime, horizon: datetime | None) -> "HarvestRules":
        """The rules of a night."""
        return cls(
            now=now,
            quiet_seconds=rules.quiet_seconds,
            horizon=horizon,
            include_headless=rules.include_headless,
            excluded=rules.excluded,
            own_roots=rules.own_roots,
            spool=rules.spool,
        )


class Harvest(Record, frozen=True, kw_only=True):
    """The sessions to use, newest first, and the tasks a person wrote; `notes` tells what couldn't be read.

    `copies` are sessions that hold nothing but what another one says, `copied` counts the prompts that were left out
    as copies; `changed` counts the files read. `snapshots` are those of the sessions that have one.
    """

    sessions: tuple[Session, ...]
    counts: SessionCounts
    reviewed: tuple[Task, ...] = ()
    copies: tuple[str, ...] = ()
    copied: int = 0
    changed: int = 0
    notes: tuple[Note, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()

    def allowed(self, excluded: Callable[[str, str], bool], *, reviewed: Sequence[Task]) -> "Harvest":
        """With these tasks by hand, without what was excluded since: a night that goes on asks again."""
        sessions = tuple(session for session in self.sessions if not excluded(session.project, session.cwd))
        names = {session.id for session in sessions}
        return msgspec.structs.replace(
            self,
            sessions=sessions,
            snapshots=tuple(snapshot for snapshot in self.snapshots if snapshot.session in names),
            reviewed=tuple(task for task in reviewed if not excluded(task.project, task.project)),
        )


def harvest(sources: Sequence[Source], index: Index, rules: HarvestRules) -> Harvest:
    """Bring the index up to date with the sources and pick the sessions that a night may use."""
    unlisted: dict[str, str] = {}
    changed = sum(refresh(source, index, unlisted) for source in sources)
    names = {source.name for source in sources}
    lines = [line for line in index.lines(unread=rules.unread) if line.source in names]
    reasons = {line.id: why_left_out(line, rules) for line in lines}
    chosen = [line.id for line in lines if reasons[line.id] is None]
    snapshots = _snapshots(chosen, rules.spool)
    wanted = _at_their_commits(index.sessions(chosen), snapshots)
    earlier = index.used_in({session.project for session in wanted}) if rules.unread and wanted else ()
    found = _without_copies(wanted, earlier)
    both = zip(wanted, found, strict=True)
    copied = sum(len(before.typed) - len(now.typed) for before, now in both if before is not now)
    typed = [session for session in found if session.typed]
    empty = tuple(session.id for session in found if not session.typed) if len(typed) < len(found) else ()
    reasons.update(dict.fromkeys(empty, LeftOut.NO_USER_TURN))
    used = _in_their_places(typed, rules.exists)
    counted = Counter(reasons.values())
    return Harvest(
        sessions=used,
        counts=SessionCounts(
            seen=len(lines),
            used=len(used),
            skipped={why.value: counted[why] for why in LeftOut if counted[why]},
        ),
        reviewed=tuple(task for task in index.reviewed(names) if not rules.excluded(task.project, task.project)),
        copies=empty,
        copied=copied,
        changed=changed,
        notes=(
            *unlisted_notes(unlisted),
            *_notes(index.sessions([name for name, why in reasons.items() if why is LeftOut.UNREADABLE])),
        ),
        snapshots=tuple(snapshots[session.id] for session in used if session.id in snapshots),
    )


def _notes(unreadable: Sequence[Session]) -> tuple[Note, ...]:
    remedy = "mend the file, or take it out of harvest.tasks_files, or make it readable"
    return tuple(
        Note(stage="harvest", summary=turn.text, remedy=remedy) for session in unreadable for turn in session.turns
    )


def unlisted_notes(unlisted: Mapping[str, str]) -> Iterator[Note]:
    """What is said of folders that can't be listed."""
    for folder, reason in unlisted.items():
        said = f"{folder}: the folder can't be read, so what is new in it is missing: {reason}"
        yield Note(stage="harvest", summary=said, remedy="make it readable")


def refresh(source: Source, index: Index, unlisted: dict[str, str]) -> int:
    """Read the files with another stamp than they were read with, forget those that are gone; how many were read.

    Folders that can't be listed are added to `unlisted`, with the reason: what was read in them earlier is kept.
    """
    known = index.stamps(source.name)
    here = list(source.stamps(unlisted.setdefault))
    get = known.get
    changed = [path for path, stamp in here if get(path) != stamp]
    if changed or len(known) != len(here):
        closed = tuple(folder + os.sep for folder in unlisted)
        gone = {path for path in known.keys() - {path for path, _ in here} if not path.startswith(closed)}
        if gone:
            # What goes may bring back what it stood before.
            index.forget(source.name, gone)
            get = index.stamps(source.name).get
            changed = [path for path, stamp in here if get(path) != stamp]
        index.put(source.name, source.read(changed))
    return len(changed)


def why_left_out(line: SessionLine, rules: HarvestRules) -> LeftOut | None:
    """The first of the reasons that holds, in their order."""
    by_itself = line.left_out
    if by_itself in {LeftOut.UNREADABLE, LeftOut.SUBAGENT}:
        return by_itself
    if _is_inside(line.cwd, rules.own_roots):
        return LeftOut.OWN_REPLAY
    if by_itself is LeftOut.NO_USER_TURN or (by_itself is LeftOut.HEADLESS and not rules.include_headless):
        return by_itself
    if rules.excluded(line.project, line.cwd):
        return LeftOut.EXCLUDED
    if rules.now - timedelta(seconds=rules.quiet_seconds) < line.ended <= rules.now + _AHEAD and not _over(
        line, rules
    ):
        return LeftOut.ACTIVE
    if rules.horizon is not None and line.ended < rules.horizon:
        return LeftOut.OLDER
    return None


def _over(line: SessionLine, rules: HarvestRules) -> bool:
    """Whether its agent said that it is over, and nothing was said in it since, as in one that was taken up again."""
    said = rules.spool.ended(line.id) if rules.spool else None
    return said is not None and line.ended <= said <= rules.now


def _snapshots(sessions: Sequence[str], spool: Spool | None) -> dict[str, Snapshot]:
    if spool is None:
        return {}
    return {name: found for name in sessions if (found := spool.snapshot(name)) is not None}


def _at_their_commits(sessions: Sequence[Session], snapshots: Mapping[str, Snapshot]) -> tuple[Session, ...]:
    """The sessions, with the commit they began at where their agent doesn't write it down."""
    if not snapshots:
        return tuple(sessions)
    found = ((one, snapshots.get(one.id)) for one in sessions)
    return tuple(
        msgspec.structs.replace(one, commit=snapshot.commit) if snapshot and not one.commit else one
        for one, snapshot in found
    )


def _is_inside(folder: str, roots: tuple[str, ...]) -> bool:
    return bool(folder) and any(PurePath(folder).is_relative_to(root) for root in roots)


def _without_copies(sessions: Sequence[Session], earlier: Sequence[Session]) -> list[Session]:
    """The sessions, with what a fork copied from one before it, tonight or on an `earlier` night, taken out.

    A fork is one that repeats a prompt; then its answers that were given before are copies too.
    """
    seen = {turn.id for session in earlier for turn in session.turns if turn.id}
    kept: dict[str, Session] = {}
    for session in sorted(sessions, key=lambda session: (session.started, session.ended, session.id)):
        is_fork = any(turn.origin is Origin.USER and turn.id in seen for turn in session.turns)
        kept[session.id] = _leave_out(session, seen) if is_fork else session
        seen.update(turn.id for turn in session.turns if turn.id)
    return [kept[session.id] for session in sessions]


def _leave_out(session: Session, copied: Collection[str]) -> Session:
    """The session without these turns, and without the calls and stops that followed one of them."""
    own = [number for number, turn in enumerate(session.turns) if turn.id not in copied]
    place = {number: kept for kept, number in enumerate(own)}
    return msgspec.structs.replace(
        session,
        turns=tuple(session.turns[number] for number in own),
        tools=tuple(
            msgspec.structs.replace(event, turn=place[event.turn]) for event in session.tools if event.turn in place
        ),
        stops=tuple(place[turn] for turn in session.stops if turn in place),
    )


def moved(sessions: Sequence[Session], exists: Callable[[str], bool]) -> Mapping[str, str]:
    """Projects whose folder is gone, each with the folder where the same repository is now.

    It moved where exactly one project that exists has the same folder name and a session at a commit that a session
    of the old place was at too: only copies of one repository share a commit. A session without a commit, as Claude
    Code writes them, moves with the others of its project. What this can't see: a folder that got another name, and
    one in which no agent that notes the commit worked on the same commit before and after.
    """
    commits: defaultdict[str, set[str]] = defaultdict(set)
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for session in sessions:
        if session.commit:
            commits[session.project].add(session.commit)
    for project in {session.project for session in sessions} - {""}:
        by_name[PurePath(project).name].add(project)
    found: dict[str, str] = {}
    for alike in by_name.values():
        if len(alike) > 1:
            there = {project for project in alike if exists(project)}
            for gone in alike - there:
                places = [project for project in there if commits[project] & commits[gone]]
                if len(places) == 1:
                    found[gone] = places[0]
    return found


def _in_their_places(sessions: Sequence[Session], exists: Callable[[str], bool]) -> tuple[Session, ...]:
    """The sessions, each with the project its folder is now."""
    places = moved(sessions, exists)
    if not places:
        return tuple(sessions)
    return tuple(msgspec.structs.replace(one, project=places.get(one.project, one.project)) for one in sessions)
