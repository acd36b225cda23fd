"""Choose the sessions a night reads: parse the files that changed, then use each unread session or say why not."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import PurePath

from msgspec.structs import replace

from skillopt_sleep.agents import half_read
from skillopt_sleep.kit.exclude import is_excluded
from skillopt_sleep.mining.forks import without_copies
from skillopt_sleep.night.heard import hear, load_rules
from skillopt_sleep.night.moved import at_their_folders
from skillopt_sleep.night.reach import beyond, load_of
from skillopt_sleep.protocols import Again, Index, Reach, SessionRules, Source, Spool
from skillopt_sleep.records import (
    LeftOut,
    Note,
    Record,
    Session,
    SessionCounts,
    SessionLine,
    Snapshot,
    Stamp,
    Task,
)

# A session that ended later than this after now was written by a wrong clock; it is not still being written.
_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRules:
    """The rules that decide whether a session is read.

    A session that was written to less than `quiet_seconds` ago may still be going on, so it is left for a later
    night, unless the `spool` says that it is over. The rest of the night goes ahead; whether a night starts at all
    while somebody works is the daemon's decision (`daemon.idle`). `excluded` is called with a session's project and
    working folder; `exists` says whether a project's folder is still there. What earlier nights have read is only
    read if the person wants it read `again`.
    """

    now: datetime
    quiet_seconds: float
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
            quiet_seconds=rules.quiet_seconds,
            horizon=horizon,
            include_headless=rules.include_headless,
            excluded=rules.excluded,
            own_roots=rules.own_roots,
            only=rules.only,
            spool=rules.spool,
            again=rules.again,
            reach=rules.reach,
        )


class Harvest(Record, frozen=True, kw_only=True):
    """The sessions to use, newest first, the tasks written by hand, and notes on what couldn't be read.

    `copies` names sessions that only repeat others, `copied` counts the prompts left out as copies, `changed` the
    files that were read. `snapshots` holds one for each session that has one.
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
        """Drop what has been excluded since the harvest, and take `reviewed` as the tasks written by hand.

        A resumed night calls this again, because the exclusions may have changed in between.
        """
        sessions: dict[str, Session] = {}
        for session in self.sessions:
            if not excluded(session.project, session.cwd):
                sessions[session.id] = session
        return replace(
            self,
            sessions=tuple(sessions.values()),
            snapshots=tuple(snapshot for snapshot in self.snapshots if snapshot.session in sessions),
            reviewed=allowed_tasks(reviewed, excluded),
        )


def harvest(sources: Sequence[Source], index: Index, rules: HarvestRules) -> Harvest:
    """Bring the index up to date with the sources, and choose the sessions that a night may use."""
    changed, unlisted = refresh_all(sources, index)
    names = {source.name for source in sources}
    reasons = _reasons(index, names, rules)
    seen = len(reasons)
    usable = _with_reason(None, reasons)
    unreadable = _with_reason(LeftOut.UNREADABLE, reasons)
    snapshots = snapshots_of(usable, rules.spool)
    sessions = _with_commits(index.sessions(usable), snapshots)
    half_known = _half_read_notes((*sessions, *index.sessions(_with_reason(LeftOut.NO_USER_TURN, reasons))))
    used: list[Session] = []
    copies: list[str] = []
    copied = 0
    for session, whole in zip(_own_parts(sessions, index, rules), sessions, strict=True):
        if session is not whole:
            copied += len(whole.typed) - len(session.typed)
        if session.typed:
            used.append(session)
            continue
        reasons[session.id] = LeftOut.NO_USER_TURN
        if session is not whole:
            copies.append(session.id)
    later = beyond(map(load_of, used), rules.reach)
    used = [session for session in used if session.id not in later]
    reasons |= dict.fromkeys(later, LeftOut.LATER)

    return Harvest(
        sessions=at_their_folders(used, rules.exists),
        counts=SessionCounts(seen=seen, used=len(used), skipped=_counted(reasons.values())),
        reviewed=allowed_tasks(index.reviewed(names), rules.excluded),
        copies=tuple(copies),
        copied=copied,
        changed=changed,
        notes=(
            *unlisted_notes(unlisted),
            *unreadable_notes(index.sessions(unreadable)),
            *half_known,
            *_later_notes(later),
        ),
        snapshots=tuple(snapshots[session.id] for session in used if session.id in snapshots),
    )


def _own_parts(sessions: Sequence[Session], index: Index, rules: HarvestRules) -> Sequence[Session]:
    """Take out of the sessions what they copied from one another, or from those that earlier nights have read."""
    if not sessions:
        return sessions
    earlier = index.used_in({session.project for session in sessions})
    if rules.again is None:
        return without_copies(sessions, earlier)
    # A session that is read again may be the one that those read earlier were copied from.
    ids = {session.id for session in sessions}
    others = [session for session in earlier if session.id not in ids]
    return without_copies([*sessions, *others], ())[: len(sessions)]


def allowed_tasks(tasks: Iterable[Task], excluded: Callable[[str, str], bool]) -> tuple[Task, ...]:
    """Return the tasks whose projects aren't excluded."""
    return tuple(task for task in tasks if not excluded(task.project, task.project))


def _reasons(index: Index, sources: Collection[str], rules: HarvestRules) -> dict[str, LeftOut | None]:
    """Return why each session of these sources is left out, None for those that may be used, by id."""
    reasons: dict[str, LeftOut | None] = {}
    for line in index.lines(unread=rules.again is None):
        if line.source in sources and _is_asked_for(line, rules.again):
            reasons[line.id] = why_left_out(line, rules)
    return reasons


def _is_asked_for(line: SessionLine, again: Again | None) -> bool:
    return again is None or not again.sessions or line.id in again.sessions


def _with_reason(reason: LeftOut | None, reasons: Mapping[str, LeftOut | None]) -> list[str]:
    return [session for session, why in reasons.items() if why is reason]


def _counted(reasons: Iterable[LeftOut | None]) -> dict[str, int]:
    """Count the sessions that are left out, by reason and in the order of the reasons."""
    counts = Counter(reasons)
    return {reason.value: counts[reason] for reason in LeftOut if counts[reason]}


def unreadable_notes(unreadable: Sequence[Session]) -> Iterator[Note]:
    """Turn the sessions that stand for unreadable files into notes; their turns say what is wrong."""
    remedy = "fix the file, make it readable, or remove it from harvest.tasks_files"
    for session in unreadable:
        for turn in session.turns:
            yield Note(stage="harvest", summary=turn.text, remedy=remedy)


def _half_read_notes(sessions: Iterable[Session]) -> Iterator[Note]:
    for line in half_read((session.source, session.half_read) for session in sessions):
        yield Note(stage="harvest", summary=line, remedy="what is in them isn't used", expected=True)


def _later_notes(later: Collection[str]) -> Iterator[Note]:
    if later:
        count = "1 session waits" if len(later) == 1 else f"{len(later)} sessions wait"
        summary = f"{count} for later nights: the newest were read first, as many as the night's budget can mine"
        remedy = "nothing to do; or raise budget.calls and budget.tokens to read more in a night"
        yield Note(stage="harvest", summary=summary, remedy=remedy, expected=True)


def unlisted_notes(unlisted: Mapping[str, str]) -> Iterator[Note]:
    """Return a note for each folder that can't be listed; `unlisted` holds the reason for each."""
    for folder, reason in unlisted.items():
        summary = f"{folder}: the folder can't be read, so anything new in it is missing: {reason}"
        yield Note(stage="harvest", summary=summary, remedy="make it readable")


def refresh_all(sources: Sequence[Source], index: Index) -> tuple[int, Mapping[str, str]]:
    """Read what changed; return how many files were read, and the folders that can't be listed with the reasons."""
    unlisted: dict[str, str] = {}
    changed = 0
    for source in sources:
        changed += refresh(source, index, unlisted)
    return changed, unlisted


def refresh(source: Source, index: Index, unlisted: dict[str, str]) -> int:
    """Read the files whose stamp changed, forget those that are gone, and return how many were read.

    Folders that can't be listed are added to `unlisted` with the reason; what was read in them earlier is kept.
    """
    known = index.stamps(source.name)
    stamps = list(source.stamps(unlisted.setdefault))
    changed = index.unpurged(_changed(stamps, known))
    if changed or len(known) != len(stamps):
        gone = _gone(known, (path for path, _ in stamps), unlisted)
        if gone:
            # Another file may hold a session of a file that is gone; the index asks for it again.
            index.forget(source.name, gone)
            changed = index.unpurged(_changed(stamps, index.stamps(source.name)))
        if changed:
            load_rules()
        index.put(source.name, source.read(changed, hear))
    return len(changed)


def _changed(stamps: Iterable[tuple[str, Stamp]], known: Mapping[str, Stamp]) -> list[str]:
    get = known.get  # looked up once: there may be tens of thousands of files
    return [path for path, stamp in stamps if get(path) != stamp]


def _gone(known: Collection[str], here: Iterable[str], unlisted: Collection[str]) -> set[str]:
    """Return the known files that are not here any more, but none in a folder that couldn't be listed."""
    closed = tuple(folder + os.sep for folder in unlisted)
    return {path for path in set(known).difference(here) if not path.startswith(closed)}


def why_left_out(line: SessionLine, rules: HarvestRules) -> LeftOut | None:
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
    quiet_since = rules.now - timedelta(seconds=rules.quiet_seconds)
    if not quiet_since < line.ended <= rules.now + _AHEAD:
        return False
    if rules.spool is None:
        return True
    over = rules.spool.ended(line.id)
    if over is None:
        return True
    # A record after its end means that the session was taken up again.
    return not line.ended <= over <= rules.now


def snapshots_of(sessions: Iterable[str], spool: Spool | None) -> dict[str, Snapshot]:
    """Return the snapshots that the hooks made when these sessions began."""
    snapshots: dict[str, Snapshot] = {}
    if spool is None:
        return snapshots
    for session in sessions:
        snapshot = spool.snapshot(session)
        if snapshot is not None:
            snapshots[session] = snapshot
    return snapshots


def _with_commits(sessions: Sequence[Session], snapshots: Mapping[str, Snapshot]) -> Sequence[Session]:
    """Fill in the commit a session began at from its snapshot, if its agent didn't record one."""
    if not snapshots:
        return sessions
    result: list[Session] = []
    for session in sessions:
        snapshot = snapshots.get(session.id)
        if snapshot is not None and not session.commit:
            result.append(replace(session, commit=snapshot.commit))
        else:
            result.append(session)
    return result


@lru_cache(maxsize=1_000)
def _is_inside(folder: str, roots: tuple[str, ...]) -> bool:
    return bool(folder) and any(PurePath(folder).is_relative_to(root) for root in roots)
