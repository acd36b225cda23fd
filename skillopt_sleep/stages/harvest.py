"""Which sessions a night reads: what changed is parsed, then every unread one is used or left out for one reason."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath

import msgspec

from skillopt_sleep.protocols import Index, SessionLine, Source
from skillopt_sleep.records import LeftOut, Note, Origin, Record, Session, SessionCounts, Turn

# A session from further ahead comes from a clock that was wrong, not from one that is being written.
_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRules:
    """What decides whether a session is read: `excluded` is asked with its project and its folder."""

    now: datetime
    quiet_seconds: float
    horizon: datetime | None
    include_headless: bool
    excluded: Callable[[str, str], bool]
    own_roots: tuple[str, ...]
    unread: bool = True


class Harvest(Record, frozen=True, kw_only=True):
    """The sessions to use, newest first; `changed` counts the files read, `notes` tells what couldn't be read.

    `older` names the sessions that later nights needn't look at either: those left out as older, and mere copies.
    """

    sessions: tuple[Session, ...]
    counts: SessionCounts
    older: tuple[str, ...] = ()
    changed: int = 0
    notes: tuple[Note, ...] = ()


def harvest(sources: Sequence[Source], index: Index, rules: HarvestRules) -> Harvest:
    """Bring the index up to date with the sources and pick the sessions that a night may use."""
    changed = sum(_refresh(source, index) for source in sources)
    lines = index.lines(unread=rules.unread)
    reasons = {line.id: _why_left_out(line, rules) for line in lines}
    wanted = index.sessions([line.id for line in lines if reasons[line.id] is None])
    found = _without_copies(wanted)
    used = tuple(session for session in found if session.typed)
    empty = [session.id for session in found if not session.typed]
    reasons.update(dict.fromkeys(empty, LeftOut.NO_USER_TURN))
    counted = Counter(reasons.values())
    return Harvest(
        sessions=used,
        counts=SessionCounts(
            seen=len(lines),
            used=len(used),
            skipped={why.value: counted[why] for why in LeftOut if counted[why]},
        ),
        older=(*(name for name, why in reasons.items() if why is LeftOut.OLDER), *empty),
        changed=changed,
        notes=_notes(index.sessions([name for name, why in reasons.items() if why is LeftOut.UNREADABLE])),
    )


def _notes(unreadable: Sequence[Session]) -> tuple[Note, ...]:
    remedy = "mend the file, or take it out of harvest.tasks_files, or make it readable"
    return tuple(
        Note(stage="harvest", summary=turn.text, remedy=remedy) for session in unreadable for turn in session.turns
    )


def _refresh(source: Source, index: Index) -> int:
    """Read the files whose stamp isn't the one they were read with; how many these were."""
    known = index.stamps(source.name).get
    changed = [path for path, stamp in source.stamps() if known(path) != stamp]
    if changed:
        index.put(source.name, source.read(changed))
    return len(changed)


def _why_left_out(line: SessionLine, rules: HarvestRules) -> LeftOut | None:
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
    if rules.now - timedelta(seconds=rules.quiet_seconds) < line.ended <= rules.now + _AHEAD:
        return LeftOut.ACTIVE
    if rules.horizon is not None and line.ended < rules.horizon:
        return LeftOut.OLDER
    return None


def _is_inside(folder: str, roots: tuple[str, ...]) -> bool:
    return bool(folder) and any(PurePath(folder).is_relative_to(root) for root in roots)


def _without_copies(sessions: Sequence[Session]) -> list[Session]:
    """The sessions, with what a fork copied from an earlier one taken out of the later one."""
    seen: set[str] = set()
    kept: dict[str, Session] = {}
    for session in sorted(sessions, key=lambda session: (session.started, session.ended, session.id)):
        copied = [turn.origin is Origin.USER and turn.id in seen for turn in session.turns]
        seen.update(turn.id for turn in session.turns if turn.origin is Origin.USER and turn.id)
        kept[session.id] = _leave_out(session, copied) if any(copied) else session
    return [kept[session.id] for session in sessions]


def _leave_out(session: Session, copied: Sequence[bool]) -> Session:
    """The session without these turns; its tool events follow the turns that are left."""
    turns: list[Turn] = []
    last: list[int] = []
    for turn, gone in zip(session.turns, copied, strict=True):
        if not gone:
            turns.append(turn)
        last.append(max(len(turns) - 1, 0))
    tools = tuple(msgspec.structs.replace(event, turn=last[event.turn]) for event in session.tools)
    return msgspec.structs.replace(session, turns=tuple(turns), tools=tools)
