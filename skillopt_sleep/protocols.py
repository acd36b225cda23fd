"""The seams: what night, step and stages need of the world, and Crew, who fills them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from skillopt_sleep.records import (
    Completion,
    Document,
    Edit,
    GateRule,
    NightReport,
    Note,
    Prompt,
    Proposal,
    Purpose,
    Reading,
    Score,
    Session,
    SessionLine,
    Spend,
    Stamp,
    StepOutcome,
    Task,
    Trajectory,
    Usage,
)

Item = TypeVar("Item")
Result = TypeVar("Result")


class Source(Protocol):
    """Where sessions or reviewed tasks come from."""

    @property
    def name(self) -> str:
        """The source's name, as in a session's id."""
        ...

    def stamps(self) -> Iterator[tuple[str, Stamp]]:
        """Path and stamp of every file of this source, by stat calls only."""
        ...

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files; each is answered once, with the stamp it had when it was read."""
        ...


class Index(Protocol):
    """What was parsed from which file, and which sessions no night has used yet."""

    def stamps(self, source: str) -> Mapping[str, Stamp]:
        """The stamp every file of this source had when it was last read."""
        ...

    def put(self, source: str, readings: Iterable[tuple[str, Stamp, Reading]]) -> None:
        """Keep what was read; a session whose content changed is unread again."""
        ...

    def lines(self, *, unread: bool) -> Sequence[SessionLine]:
        """What is known of all sessions, or of those no night has used yet; newest first."""
        ...

    def sessions(self, ids: Sequence[str]) -> tuple[Session, ...]:
        """These sessions, decoded, in this order."""
        ...

    def used_in(self, projects: Collection[str]) -> tuple[Session, ...]:
        """The sessions of these projects that earlier nights used."""
        ...

    def forget(self, source: str, paths: Collection[str]) -> None:
        """Let go of files that are gone, with their unread sessions and reviewed tasks."""
        ...

    def reviewed(self, sources: Collection[str]) -> tuple[Task, ...]:
        """The tasks that a person wrote or reviewed by hand, of these sources."""
        ...


class Backend(Protocol):
    """A model that answers one prompt."""

    def complete(self, prompt: Prompt) -> Completion:
        """Answer, or raise CallFailed (this call), BackendUnavailable or BudgetExhausted (the night)."""
        ...


class Executor(Protocol):
    """Lets the target attempt one task under one document."""

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """One attempt; an attempt that could not be made has a `failure` and is never scored."""
        ...


class Judge(Protocol):
    """Grades an attempt."""

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """The grade, or raise ItemError where it can't be told."""
        ...


class Pool(Protocol):
    """Runs independent calls side by side."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Results in the order of the items; a NightError of one ends all."""
        ...


class Meter(Protocol):
    """Counts what is spent in a night and how its calls fare."""

    def spend(self) -> Spend:
        """What was spent so far in this night, calls of earlier lives of it included."""
        ...

    def check(self) -> None:
        """Raise BackendUnavailable if structured replies were asked for all night and none was decoded."""
        ...


class Tally(NamedTuple):
    """Calls by purpose, the tokens that were named, dollars (None where unknown), calls that named no usage."""

    purposes: Mapping[str, int]
    usage: Usage = Usage()
    usd: float | None = 0.0
    unnamed: int = 0

    @property
    def calls(self) -> int:
        """All calls together."""
        return sum(self.purposes.values())


class Ledger(Protocol):
    """The durable side of the meter: a reservation survives a crash as spent."""

    def reserve(self, *, purpose: Purpose, model: str) -> int:
        """Write down that a call is about to be made."""
        ...

    def reconcile(self, entry: int, *, usage: Usage | None, usd: float | None, failed: bool) -> None:
        """Write down what the call took."""
        ...

    def spent(self) -> Tally:
        """What this night spent, by all its lives."""
        ...


class Calls(Protocol):
    """Completed calls by content, so that no question is paid twice."""

    def get(self, key: str) -> Completion | None:
        """The stored answer, undecoded, or None."""
        ...

    def put(self, key: str, *, purpose: Purpose, completion: Completion) -> None:
        """Keep an answer before it is used."""
        ...


class Bank(Protocol):
    """Every task remembered across nights, and what a person made of it."""

    def tasks(self, projects: Collection[str]) -> tuple[Task, ...]:
        """The tasks of earlier nights in these projects, oldest first, as they are now; dropped ones are left out."""
        ...

    def unknown(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """What a person wrote and no night used as it is: of these tasks, and of those added or edited here."""
        ...

    def kept(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """These tasks as a person left them: their edits in place of what was found again, nothing they dropped."""
        ...

    def pinned(self) -> Collection[str]:
        """The ids of the tasks that take part in every night of their project."""
        ...

    def sides(self, sessions: Collection[str]) -> Mapping[str, str]:
        """Which of these sessions already have a side (a Split value)."""
        ...

    def rejected(self, path: str) -> tuple[Edit, ...]:
        """The edits a person refused for the document at this path."""
        ...

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        """The proposals for the document at this path that nobody has decided on."""
        ...


class Page(Protocol):
    """One night of a store, while it is open."""

    @property
    def night(self) -> str:
        """The night's id."""
        ...

    @property
    def folder(self) -> Path:
        """Where the night's files are."""
        ...

    @property
    def started(self) -> datetime:
        """When the night began, in its first life."""
        ...

    @property
    def horizon(self) -> datetime:
        """Sessions that ended before are older than the first night looked back."""
        ...

    @property
    def resumed(self) -> bool:
        """Whether an earlier life of this night was cut off."""
        ...

    @property
    def index(self) -> Index:
        """What was parsed from which file."""
        ...

    @property
    def bank(self) -> Bank:
        """What earlier nights remember."""
        ...

    def keep(self, stage: str, kind: type[Result], compute: Callable[[], Result]) -> Result:
        """The stage's output: from an earlier life of this night if it was kept, else computed and kept."""
        ...

    def write(self, stage: str, rows: Sequence[object]) -> None:
        """Write a stage's rows as JSONL into the night's folder, for people to read."""
        ...

    def next_proposal(self) -> str:
        """A fresh proposal id."""
        ...

    def close(
        self,
        report: NightReport,
        *,
        found: Sequence[Session],
        tasks: Sequence[Task],
        lost: Sequence[str],
        copies: Sequence[str],
    ) -> None:
        """Seal the night; unless it was cut short, bank the tasks and mark the sessions and the mere copies read.

        Sessions that were `lost` on the way or whose document's step is unfinished stay unread, their tasks unbanked.
        """
        ...


class Store(Protocol):
    """What is remembered from night to night."""

    def open_night(self) -> AbstractContextManager[Page]:
        """Take the night lock, open a night or go on with one that was cut off; NightLocked if taken."""
        ...


class Reporter(Protocol):
    """The report in one form."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write the file and return its path."""
        ...


class Routing(NamedTuple):
    """The tasks with their document's id, those documents as they are on disk, and what couldn't be used."""

    tasks: tuple[Task, ...] = ()
    documents: tuple[Document, ...] = ()
    notes: tuple[Note, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a night goes about it; plain values, made from the settings."""

    quiet_seconds: float
    include_headless: bool
    excluded: Exclusion
    own_roots: tuple[str, ...]
    heuristic: bool
    sessions_per_call: int
    max_tasks: int
    minibatch: int
    merge_batch: int
    samples: int
    edit_budget: int
    gate: GateRule
    limits: dict[str, float]
    model: str
    preferences: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Who does the work of a night; wiring chooses them."""

    sources: tuple[Source, ...]
    optimizer: Backend
    executor: Executor
    judge: Judge
    pool: Pool
    meter: Meter
    store: Store
    targets: Targets
    stager: Stager
    reporters: tuple[Reporter, ...]
    clock: Clock
