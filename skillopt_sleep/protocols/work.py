"""Define who reads sessions, attempts and grades tasks, stages changes and reports."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from skillopt_sleep.errors import ItemError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    Calibration,
    Command,
    Document,
    Lesson,
    NightReport,
    Note,
    NoWorkspace,
    Proposal,
    Reading,
    Score,
    Session,
    Snapshot,
    Stamp,
    StepOutcome,
    Task,
    Trajectory,
    Workspace,
)

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)

Unlisted = Callable[[str, str], object]

Clock = Callable[[], datetime]  # returns the current time, in UTC


class SessionSource(Protocol):
    """A place that sessions or reviewed tasks come from."""

    name: str  # as in a session's id

    def stamps(self, unlisted: Unlisted = ..., /) -> Iterator[tuple[str, Stamp]]:
        """Return the path and stamp of every file of this source, using only stat calls.

        `unlisted` is called, at least once, with each existing folder that can't be listed and the reason.
        """
        ...

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files; return one reading for each, with the stamp the file had when it was read."""
        ...


class Executor(Protocol):
    """Lets the target model attempt a task under a document."""

    def reaches(self, task: Task) -> bool:
        """Return whether an attempt can show what this task is about."""
        ...

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt; an attempt that could not be made has a `failure` and is never scored."""
        ...


class Judge(Protocol):
    """Grades attempts."""

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Return the grade; raise ItemError if the attempt can't be graded."""
        ...

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: "Pool", label: str
    ) -> Sequence[Score | ItemError]:
        """Return the grade of each, in order, or the ItemError that says why it has none; a NightError ends all."""
        ...


class Pool(Protocol):
    """Runs independent calls, or chains of calls, in parallel."""

    @property
    def width(self) -> int:
        """How many calls it makes at once."""
        ...

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Return the results in the order of the items; a NightError ends all. The function must not use a pool."""
        ...

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Run a chain for each item and return the results in the order of the items; a NightError ends all.

        A chain may use the pool for its own calls. Results that are complete come before the error is raised.
        """
        ...


@runtime_checkable
class Portable(Protocol[Item_contra, Result_co]):
    """A function that a pool may run in another process, because only its backend ties it to this one."""

    @property
    def target(self) -> Backend:
        """The backend that the function asks."""
        ...

    def asking(self, target: Backend, /) -> "Portable[Item_contra, Result_co]":
        """Return the same function with this backend; it can be pickled if the backend can."""
        ...

    def __call__(self, item: Item_contra, /) -> Result_co:
        """Return the result, which is the same in every process."""
        ...

    def lost(self, item: Item_contra, why: str, /) -> Result_co:
        """Return the result of an item that couldn't be tried, as every process that did so died."""
        ...


class Reporter(Protocol):
    """Writes the report in one form."""

    def write(self, report: NightReport, folder: Path) -> Path | None:
        """Write the file and return its path, or None if there is nothing to tell in this form."""
        ...


class Routing(NamedTuple):
    """The tasks, each with the id of its document or "", the documents as they are on disk, and notes on problems."""

    tasks: tuple[Task, ...] = ()
    documents: tuple[Document, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def lost(self) -> tuple[str, ...]:
        """The sessions of tasks that belong to no document."""
        return tuple(task.session for task in self.tasks if not task.document)


class Targets(Protocol):
    """Decides which document a task belongs to."""

    def route(
        self, tasks: Sequence[Task], used: Mapping[str, Collection[str]], adopted: Sequence[Proposal] = ()
    ) -> Routing:
        """Give each task its document; `used` are the sources of each project's sessions, `adopted` live rules."""
        ...


class Stager(Protocol):
    """Writes accepted candidates beside the live files."""

    def stage(
        self, outcomes: Sequence[StepOutcome], page: OpenNight, lessons: Iterable[Lesson] = ()
    ) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
        """Write a proposal into the night's folder for each accepted candidate; return notes on those that failed.

        Each shows all that the person said and did for its lessons.
        """
        ...


class Workshop(Protocol):
    """Has repositories as they were when requests were made, and tries commands in sealed copies of them."""

    @property
    def why_not(self) -> str:
        """Why nothing can be sealed on this machine, "" if it can."""
        ...

    def stand(self, session: Session, snapshot: Snapshot | None, /) -> Workspace | NoWorkspace:
        """Return where the session's agent stood, or why that can't be had again."""
        ...

    def files(self, workspace: Workspace, /) -> Path | NoWorkspace:
        """Return a folder with the files of this state, which nobody may write to, or why it can't be had."""
        ...

    def calibrated(
        self, command: Command, workspace: Workspace, ended: datetime, /, *, whole: Command | None = None
    ) -> tuple[Command, Calibration]:
        """Try whether the command tells the work of a session that ended then from none, and return it to be used."""
        ...


class Exclusion(Protocol):
    """Decides which projects are never read."""

    @property
    def notes(self) -> Sequence[Note]:
        """Notes on projects whose own settings can't be read; they are excluded."""
        ...

    def __call__(self, project: str, cwd: str) -> bool:
        """Return whether a session in this folder is excluded."""
        ...


class Spool(Protocol):
    """The notes of the agents' hooks on sessions; any session may be without a note."""

    def ended(self, session: str) -> datetime | None:
        """Return when the agent said that the session is over, or None."""
        ...

    def snapshot(self, session: str) -> Snapshot | None:
        """Return the state of the project when the session began, or None."""
        ...
