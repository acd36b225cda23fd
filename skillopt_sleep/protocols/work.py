"""What reads, attempts, grades, lays beside and reports."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from skillopt_sleep.errors import ItemError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.stores import Page
from skillopt_sleep.records import (
    Document,
    NightReport,
    Note,
    Proposal,
    Reading,
    Score,
    Snapshot,
    Stamp,
    StepOutcome,
    Task,
    Trajectory,
)

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)

Unlisted = Callable[[str, str], object]


class Source(Protocol):
    """Where sessions or reviewed tasks come from."""

    @property
    def name(self) -> str:
        """The source's name, as in a session's id."""
        ...

    def stamps(self, unlisted: Unlisted = ..., /) -> Iterator[tuple[str, Stamp]]:
        """Path and stamp of every file of this source, by stat calls only.

        `unlisted` hears of each folder that is there but can't be listed, with the reason, at least once.
        """
        ...

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files; each is answered once, with the stamp it had when it was read."""
        ...


class Executor(Protocol):
    """Lets the target attempt one task under one document."""

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """One attempt; an attempt that could not be made has a `failure` and is never scored."""
        ...


class Judge(Protocol):
    """Grades attempts."""

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """The grade, or raise ItemError where it can't be told."""
        ...

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: "Pool", label: str
    ) -> Sequence[Score | ItemError]:
        """The grade of each in their order, or the ItemError that says why it has none; a NightError ends all."""
        ...


class Pool(Protocol):
    """Runs independent calls side by side, and chains of them."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Results in the order of the items; a NightError of one ends all. The function calls no pool itself."""
        ...

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Results of chains, each of which maps its own calls, in the order of the items; a NightError ends all.

        What ended well comes before the error is raised.
        """
        ...


@runtime_checkable
class Portable(Protocol[Item_contra, Result_co]):
    """A function that a pool may run in another process: the backend that it asks is all that ties it to this one."""

    @property
    def target(self) -> Backend:
        """The backend that it asks."""
        ...

    def asking(self, target: Backend, /) -> "Portable[Item_contra, Result_co]":
        """The same function, asking this backend; it can be pickled where the backend can."""
        ...

    def __call__(self, item: Item_contra, /) -> Result_co:
        """The result, the same wherever it is made."""
        ...


class Reporter(Protocol):
    """The report in one form."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write the file and return its path."""
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
    """Which document a lesson belongs to."""

    def route(self, tasks: Sequence[Task]) -> Routing:
        """Give every task its document."""
        ...


class Stager(Protocol):
    """Lays accepted candidates beside the live files."""

    def stage(self, outcomes: Sequence[StepOutcome], page: Page) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
        """One proposal in the night's folder for every accepted candidate, and what couldn't be staged."""
        ...


class Clock(Protocol):
    """What time it is, in UTC."""

    def __call__(self) -> datetime:
        """Now."""
        ...


class Exclusion(Protocol):
    """Which projects are never read."""

    @property
    def notes(self) -> Sequence[Note]:
        """Projects whose own settings can't be read; they are excluded."""
        ...

    def __call__(self, project: str, cwd: str) -> bool:
        """Whether a session in this folder is left out."""
        ...


class Spool(Protocol):
    """What the agents' hooks noted of sessions; a session may have no note, whether it ran without hooks or not."""

    def ended(self, session: str) -> datetime | None:
        """When its agent said that it is over."""
        ...

    def snapshot(self, session: str) -> Snapshot | None:
        """The project as it found it."""
        ...
