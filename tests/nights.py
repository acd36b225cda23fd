"""A user's machine to run nights on: real files, the real store, targets, stager and reporters, a chosen model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.agents.transcripts.files import ignore
from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.night.night import run_night
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.crew import Crew, MineRules, NightPlan, SessionRules, StepRules
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Exclusion, Executor, Unlisted
from skillopt_sleep.records import (
    Completion,
    Document,
    GateRule,
    Limit,
    NightReport,
    Note,
    Packed,
    Prompt,
    Purpose,
    Reading,
    RecallRules,
    Session,
    Stamp,
    Task,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot, TextOrSealed
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_document, a_session, changed
from tests.fakes import FakeBackend, FakeClock, FakeExecutor, FakeJudge, FakeMeter, SerialPool, asked_first

NOBODY: Any = object()
ASKS = (
    "create a run script for the api",
    "add lodash to the project",
    "how do I start the dev server?",
    "write the release steps down",
    "update the lock file after my change",
    "set up the ci job that runs the tests",
)
USEFUL = "no - we always use pnpm here, never npm"
USELESS = "that is not good enough, you should be more careful with this data"
HARMFUL = "too long - always name the ticket and the owner, at most 200 characters"
NOTE = "write the stand-up note for the ticket of the owner Mara, number"
RULE = "- Use pnpm, never npm."
# One round decides: for tests of the flow, where what the gate is sure of doesn't matter.
STRICT = GateRule(name="strict", rounds=1)


class NothingExcluded:
    """Reads every project; `notes` are passed on."""

    def __init__(self, *notes: Note) -> None:
        self.notes: Sequence[Note] = notes

    def __call__(self, project: str, cwd: str) -> bool:
        return False


def a_plan(**fields: Any) -> NightPlan:
    """How a night works, by the heuristic miner and without limits on anything; `fields` may be those of a part."""
    excluded: Exclusion = fields.pop("excluded", NothingExcluded())
    mine: dict[str, Any] = {"miner": "heuristic" if fields.pop("heuristic", True) else "model"}
    mine |= {name: fields.pop(name) for name in MineRules.__struct_fields__ if name in fields}
    step: dict[str, Any] = {"slow_every": 0}
    step |= {name: fields.pop(name) for name in StepRules.__struct_fields__ if name in fields}
    values: dict[str, Any] = {
        "sessions": SessionRules(include_headless=False, excluded=excluded, own_roots=()),
        "mine": MineRules(**mine),
        "step": StepRules(**step),
        "gate": STRICT,
        "recall": RecallRules(),
        "removal": GateRule(margin=0.1),
        "limits": {"calls": 300.0, "minutes": 60.0},
        "model": "simulated",
    }
    return NightPlan(**(values | fields))


def a_crew(**fields: Any) -> Crew:
    """A crew of fakes that takes no step beyond what its test names."""
    values: dict[str, Any] = {
        "sources": (),
        "preflights": (),
        "optimizer": FakeBackend(),
        "grader": FakeBackend(),
        "executor": FakeExecutor(),
        "judge": FakeJudge(),
        "pool": SerialPool(),
        "meter": FakeMeter(),
        "store": NOBODY,
        "targets": NOBODY,
        "stager": NOBODY,
        "reporters": (),
        "clock": FakeClock(),
        "identity": lambda: "m v",
    }
    return Crew(**(values | fields))


def an_optimizer(backend: Backend | None = None, document: Document | None = None, **fields: Any) -> Optimizer:
    """The optimizer, asked about this document or a default one."""
    return replace(
        Optimizer(backend=backend or FakeBackend(), pool=SerialPool(), document=document or a_document()), **fields
    )


class Shelf:
    """A source whose sessions and reviewed tasks lie ready, one in each file."""

    name = "claude_code"

    def __init__(self, sessions: Sequence[Session] = (), tasks: Sequence[Task] = ()) -> None:
        self.sessions, self.tasks = list(sessions), list(tasks)

    def stamps(self, _unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        yield from ((path, stamp) for path, stamp, _ in self._files())

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        yield from (file for file in self._files() if file[0] in paths)

    def _files(self) -> Iterator[tuple[str, Stamp, Reading]]:
        for session in self.sessions:
            yield session.id, Stamp(1, len(session.turns), 0), Reading(sessions=(Packed.of(session),))
        if self.tasks:
            yield "tasks.toml", Stamp(2, len(self.tasks), 0), Reading(tasks=tuple(self.tasks))


class Watcher:
    """A model that remembers its prompts; `fails` says which of them raise what."""

    def __init__(self, inner: Backend, fails: Callable[[Prompt], BaseException | None] = lambda prompt: None) -> None:
        self.inner, self.fails = inner, fails
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        error = self.fails(prompt)
        if error is not None:
            raise error
        return self.inner.complete(prompt)

    def asked(self, *purposes: Purpose) -> list[Prompt]:
        """The prompts of these purposes, in order."""
        return [prompt for prompt in self.prompts if prompt.purpose in purposes]


def corrected(project: Path, number: int, said: str = USEFUL, *, ask: str = "", at: datetime) -> Session:
    """A session in this project whose request was corrected with these words."""
    return a_session(
        ask or ASKS[number % len(ASKS)] + " as well" * (number // len(ASKS)),
        "Done.",
        said,
        id=f"claude_code:{project.name}-{number}",
        project=str(project),
        cwd=str(project),
        started=at,
        ended=at,
    )


@dataclass
class Machine:
    """A folder with projects, a store and a model; nights run on it one after the other."""

    folder: Path
    model: Watcher = field(default_factory=lambda: Watcher(SimulatedBackend(forgets=0.0)))
    clock: FakeClock = field(default_factory=FakeClock)
    shelf: Shelf = field(default_factory=Shelf)

    def project(self, name: str = "shop", text: str = "# Shop\n") -> Path:
        """A project that has a CLAUDE.md."""
        project = self.folder / "work" / name
        if not project.exists():
            project.mkdir(parents=True)
            (project / "CLAUDE.md").write_text(text, encoding="utf-8")
        return project

    def had(self, *numbers: int, said: str = USEFUL, name: str = "shop", ask: str = "") -> None:
        """Yesterday's sessions in this project, an hour apart, each corrected with these words."""
        project = self.project(name)
        first = self.clock() - timedelta(days=1)
        self.shelf.sessions += [
            corrected(project, n, said, ask=ask and f"{ask} {n}", at=first + timedelta(hours=n)) for n in numbers
        ]

    def store(self, config: str = "one") -> SqliteStore:
        """The store, as the next night opens it."""
        return SqliteStore(self.folder / "data", clock=self.clock, lookback=timedelta(days=7), config=config)

    def night(
        self,
        *,
        calls: int = 300,
        config: str = "one",
        pool: Any = None,
        reporters: Any = REPORTERS,
        copies: Callable[[SqliteStore, NightMeter], Executor] | None = None,
        **plan: Any,
    ) -> NightReport:
        """One night; whatever it raises is raised. `copies` makes the executor of what words can't show."""
        store = self.store(config)
        limits = Limits(night=Limit(calls, 10_000_000), minutes=60)
        meter = NightMeter(store.ledger, limits, clock=self.clock)
        asked = Cached(
            Retried(Repaired(Metered(self.model, meter, model="m"))), store.calls, model="m", version=lambda: "v"
        )
        backend = Recorded(Watched(Redacted(asked), meter), lambda: store.page.folder)
        words = SingleShot(backend, night=lambda: store.page.drawn)
        crew = a_crew(
            sources=(self.shelf,),
            preflights=asked_first(backend),
            optimizer=backend,
            grader=backend,
            executor=words if copies is None else TextOrSealed(words, copies(store, meter)),
            judge=ReferenceJudge(backend),
            pool=pool or SerialPool(),
            meter=meter,
            store=store,
            targets=FileTargets(private_dir(self.folder / "home")),
            stager=FolderStager(),
            reporters=reporters,
            clock=self.clock,
        )
        try:
            return run_night(crew, a_plan(**plan))
        finally:
            store.close()

    def unread(self) -> list[str]:
        """The sessions no night has used."""
        store = self.store()
        lines = sorted(line.id for line in store.index.lines(unread=True))
        store.close()
        return lines


def first_time(error: CallFailed, purpose: Purpose, holding: str = "") -> Callable[[Prompt], CallFailed | None]:
    """Fails the first prompt of this purpose that holds these words."""
    left = [error]

    def fails(prompt: Prompt) -> CallFailed | None:
        return left.pop() if left and prompt.purpose is purpose and holding in prompt.text else None

    return fails


def with_side(task: Task, **fields: Any) -> Task:
    """The task after cluster and split."""
    return changed(task, **({"lesson": "c", "document": "shop:CLAUDE.md"} | fields))
