"""Harvest the sessions a night reads: parse the files that changed, choose, and decode what is used."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from skillopt_sleep.agents import half_read
from skillopt_sleep.kit.words import counted
from skillopt_sleep.night.reading import RULES, heard_or_why_not, left_for_later
from skillopt_sleep.night.survey import HarvestRules, Survey, allowed_tasks, in_full, survey
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import (
    LeftOut,
    Note,
    Record,
    Session,
    SessionCounts,
    Snapshot,
    Stamp,
    Task,
)


class Harvest(Record, frozen=True, kw_only=True):
    """The sessions to use, newest first, the tasks written by hand, and notes on what couldn't be read.

    `copies` names sessions that only repeat others. `snapshots` holds one for each session that has one.
    """

    sessions: tuple[Session, ...]
    counts: SessionCounts
    reviewed: tuple[Task, ...] = ()
    copies: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()

    @property
    def has_work(self) -> bool:
        """Whether there is anything new to learn from."""
        return bool(self.sessions or self.reviewed)

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


def harvest(sources: Sequence[SessionSource], index: Index, rules: HarvestRules) -> Harvest:
    """Bring the index up to date with the sources, and choose the sessions that a night may use."""
    unlisted = refresh_all(sources, index)
    found = survey({source.name for source in sources}, index, rules)
    later = left_for_later(found.sessions, rules.reach)
    chosen = [session for session in found.sessions if session.id not in later]
    left_out = Counter(found.left_out.values())
    left_out[LeftOut.LATER] = len(later)
    return Harvest(
        sessions=in_full(chosen, index),
        counts=SessionCounts(
            seen=len(found.held),
            used=len(chosen),
            skipped={reason.value: left_out[reason] for reason in LeftOut if left_out[reason]},
        ),
        reviewed=found.reviewed,
        copies=found.copies,
        notes=(*unlisted_notes(unlisted), *found.notes, *_half_read_notes(found), *_later_notes(later)),
        snapshots=tuple(session.snapshot for session in chosen if session.snapshot),
    )


def _half_read_notes(found: Survey) -> Iterator[Note]:
    """Yield what couldn't be read in the sessions that are used, and in those in which nothing was typed."""
    heard = [one for name, one in found.held.items() if found.left_out.get(name) in {None, LeftOut.NO_USER_TURN}]
    for line in half_read((one.line.source, one.heard.gaps.half_read) for one in heard if one.heard):
        yield Note(stage="harvest", summary=line, remedy="what is in them isn't used", expected=True)


def _later_notes(later: Collection[str]) -> Iterator[Note]:
    if later:
        count = counted(len(later), "session waits", "sessions wait")
        summary = f"{count} for later nights: the newest were read first, as many as the night's budget can mine"
        remedy = "nothing to do; or raise budget.calls and budget.tokens to read more in a night"
        yield Note(stage="harvest", summary=summary, remedy=remedy, expected=True)


def unlisted_notes(unlisted: Mapping[str, str]) -> Iterator[Note]:
    """Return a note for each folder that can't be listed; `unlisted` holds the reason for each."""
    for folder, reason in unlisted.items():
        summary = f"{folder}: the folder can't be read, so anything new in it is missing: {reason}"
        yield Note(stage="harvest", summary=summary, remedy="make it readable")


def refresh_all(sources: Sequence[SessionSource], index: Index) -> Mapping[str, str]:
    """Read what changed, and return the folders that can't be listed with the reasons."""
    unlisted: dict[str, str] = {}
    for source in sources:
        refresh(source, index, unlisted)
    return unlisted


def refresh(source: SessionSource, index: Index, unlisted: dict[str, str]) -> int:
    """Read the files whose stamp changed, forget those that are gone, and return how many were read.

    Folders that can't be listed are added to `unlisted` with the reason; what was read in them earlier is kept.
    """
    known = index.stamps(source.name)
    stamps = list(source.stamps(unlisted.setdefault))
    changed = index.unpurged(_changed(stamps, known))
    if changed or len(known) != len(stamps):
        closed = tuple(folder + os.sep for folder in unlisted)
        lacking = set(known).difference(path for path, _ in stamps)
        gone = {path for path in lacking if not path.startswith(closed)}
        if gone:
            # Another file may hold a session of a file that is gone; the index asks for it again.
            index.forget(source.name, gone)
            changed = index.unpurged(_changed(stamps, index.stamps(source.name)))
        index.put(source.name, source.read(changed))
        index.hear(heard_or_why_not, rules=RULES)
    return len(changed)


def _changed(stamps: Iterable[tuple[str, Stamp]], known: Mapping[str, Stamp]) -> list[str]:
    get = known.get  # looked up once: there may be tens of thousands of files
    return [path for path, stamp in stamps if get(path) != stamp]
