"""Define the interfaces to what is remembered from night to night."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

from skillopt_sleep.records import (
    Edit,
    Hear,
    IndexedSession,
    Lesson,
    NightReport,
    Past,
    Proposal,
    Reading,
    Session,
    SessionLine,
    SpentErrorRate,
    Stamp,
    Task,
    Trend,
)

Result = TypeVar("Result")


class Index(Protocol):
    """The parsed content of each file, and the sessions that no night has used yet."""

    def stamps(self, source: str) -> Mapping[str, Stamp]:
        """Return the stamp that each file of this source had when it was last read, by path."""
        ...

    def unpurged(self, paths: Sequence[str]) -> Sequence[str]:
        """Return these files without those of which a person purged every session."""
        ...

    def put(self, source: str, readings: Iterable[tuple[str, Stamp, Reading]]) -> None:
        """Store what was read; a session that went on becomes unread again."""
        ...

    def lines(self, *, unread: bool) -> Sequence[SessionLine]:
        """Return what is known about all sessions, or about those no night has used yet; newest first."""
        ...

    def sessions(self, ids: Sequence[str]) -> tuple[Session, ...]:
        """Return these sessions, decoded, in the given order."""
        ...

    def held(self, rules: int, *, unread: bool) -> Sequence[IndexedSession]:
        """Return all sessions, or those that no night has used yet, with what the rules of this version read in them.

        None is decoded; the newest come first.
        """
        ...

    def hear(self, hear: Hear, *, rules: int) -> None:
        """Let the rules of this version read every session that they haven't read yet, and keep what they read."""
        ...

    def used_in(self, projects: Collection[str], rules: int) -> Sequence[IndexedSession]:
        """Return the sessions of these projects that earlier nights used, in the same way."""
        ...

    def forget(self, source: str, paths: Collection[str]) -> None:
        """Drop files that are gone, with their reviewed tasks; sessions that a night has used or may use stay."""
        ...

    def gone(self) -> Mapping[str, datetime | None]:
        """Return the sessions whose file the agent deleted, each with when that was noticed, if it is known."""
        ...

    def reviewed(self, sources: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks of these sources that a person wrote or reviewed by hand."""
        ...


class Bank(Protocol):
    """Every task remembered across nights, with what a person changed about it."""

    def tasks(self, projects: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks of earlier nights in these projects, oldest first, with edits, without dropped ones."""
        ...

    def tasks_of(self, lessons: Collection[str]) -> tuple[Task, ...]:
        """Return the tasks of earlier nights for these lessons, oldest first, with edits, without dropped ones."""
        ...

    def again(self, state: str = "waiting", /) -> tuple[Proposal, ...]:
        """Return the proposals of this state, in own words that the person wanted tested again."""
        ...

    def unknown(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return the hand-written tasks no night has used yet: of these, and of those added or edited in the bank."""
        ...

    def kept(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Return these tasks with a person's edits applied and without those that they dropped."""
        ...

    def pinned(self) -> Collection[str]:
        """Return the ids of the tasks that take part in every night of their project."""
        ...

    def sides(self, sessions: Collection[str]) -> Mapping[str, str]:
        """Return the side (a Split value) of each of these sessions that already has one."""
        ...

    def live(self) -> tuple[Proposal, ...]:
        """Return the proposals that a person adopted and didn't undo, oldest first."""
        ...

    def adoptions(self) -> Mapping[str, datetime]:
        """Return when each proposal was adopted that is live, by its id."""
        ...

    def rejected(self, path: str) -> tuple[Edit, ...]:
        """Return the edits that a person rejected for the document at this path."""
        ...

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        """Return the proposals for the document at this path that are still undecided."""
        ...

    def still_waiting(self, lessons: Sequence[Lesson], *, at: datetime) -> tuple[str, ...]:
        """Return the ids of what waits for the person and isn't withdrawn because of these lessons."""
        ...


class LessonStore(Protocol):
    """Every lesson remembered across nights."""

    def of(self, projects: Collection[str]) -> tuple[Lesson, ...]:
        """Return the lessons of these projects with their state as it is now, in the order they first came up."""
        ...

    def every(self) -> tuple[Lesson, ...]:
        """Return the lessons of all projects with their state as it is now, in the order they first came up."""
        ...


class DocumentHistory(Protocol):
    """The history of each document from night to night."""

    def past(self, path: str) -> Past:
        """Return what earlier nights know about the document at this path."""
        ...

    def named(self) -> Collection[str]:
        """Return the ids of the tasks that undecided candidates were learned from."""
        ...

    def spent(self, since: datetime) -> SpentErrorRate:
        """Return what the nights since then spent of the error rate, and what was adopted since and still is."""
        ...

    def scores(self, tasks: Collection[str]) -> Mapping[str, float]:
        """Return how the unchanged document scored on each of these tasks the last time."""
        ...


class Trends(Protocol):
    """How often a person had to say the same."""

    def until(self, at: datetime, *, lessons: Sequence[Lesson] = (), models: str = "") -> Trend:
        """Return the trend of the last weeks until a time.

        `lessons` are newer than what is stored of them, and `models` those of a night that isn't stored yet.
        """
        ...


class OpenNight(Protocol):
    """One night of a store, while it is open."""

    night: str  # the night's id
    drawn: str  # the first night whose attempts count in this one: itself, or one cut short before it
    folder: Path  # the folder of the night's files
    started: datetime  # when the night began; a resumed night keeps its first start
    horizon: datetime  # the limit of the first night's look-back; sessions that ended earlier are too old
    resumed: bool  # whether this night was interrupted before and is now resumed

    @property
    def index(self) -> Index:
        """The index of what was parsed from each file."""
        ...

    @property
    def bank(self) -> Bank:
        """The tasks of earlier nights."""
        ...

    @property
    def lessons(self) -> LessonStore:
        """The lessons of earlier nights."""
        ...

    @property
    def history(self) -> DocumentHistory:
        """The history of each document."""
        ...

    @property
    def trend(self) -> Trends:
        """The corrections of the last weeks."""
        ...

    def keep(self, stage: str, kind: type[Result], compute: Callable[[], Result]) -> Result:
        """Return the stored output of a stage if this night is resumed; else compute and store it."""
        ...

    def write(self, stage: str, rows: Sequence[object]) -> None:
        """Write the rows of a stage as JSONL into the night's folder, for people to read."""
        ...

    def next_proposal(self) -> str:
        """Return a new proposal id."""
        ...

    def close(
        self,
        report: NightReport,
        *,
        found: Sequence[Session],
        tasks: Sequence[Task],
        lessons: Sequence[Lesson],
        lost: Sequence[str],
        copies: Sequence[str],
    ) -> None:
        """Close the night; unless it was cut short, store its tasks and lessons and mark its sessions as read.

        Sessions that were `lost`, or whose document has an unfinished step, stay unread; their tasks aren't stored.
        """
        ...


class Store(Protocol):
    """Everything that is remembered from night to night."""

    def open_night(self) -> AbstractContextManager[OpenNight]:
        """Take the night lock, and open a night or resume an interrupted one; raise NightLocked if it is taken."""
        ...
