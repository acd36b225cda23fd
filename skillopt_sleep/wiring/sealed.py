"""Make the executor that lets the user's own agent act in a sealed copy, or say why there is none."""

import tempfile
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.line import Upstream
from skillopt_sleep.backends.metered import NightMeter, Price
from skillopt_sleep.backends.prices import price
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.leftovers import BASES, SOCKETS, prefix
from skillopt_sleep.protocols import Workshop
from skillopt_sleep.protocols.acting import Limits, Way
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import (
    Calibration,
    Command,
    Document,
    NoWorkspace,
    SealedReplay,
    Session,
    Snapshot,
    Task,
    Trajectory,
    Usage,
    Workspace,
    wants_a_tool,
)
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.sealed import Agent, SealedCopy
from skillopt_sleep.replay.seals import SEALS, Choice, chosen
from skillopt_sleep.replay.workshop import SealedWorkshop
from skillopt_sleep.replay.workspaces import Bases
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.actor import Actor


class Sealing(NamedTuple):
    """Whether sealed attempts can be made: by which agent, or why not and what helps; and in which seal."""

    agent: Agent | None = None
    choice: Choice = Choice(None, ())
    why_not: str = ""
    remedy: str = ""

    @property
    def possible(self) -> bool:
        """Return whether an agent can act in a seal here."""
        return self.agent is not None and self.choice.seal is not None

    @property
    def told(self) -> SealedReplay:
        """Return who acts in what, or why nobody does, for a report."""
        if self.agent is None or self.choice.seal is None:
            return SealedReplay(why_not=self.why_not, remedy=self.remedy)
        return SealedReplay(agent=self.agent.title, version=self.agent.version, seal=self.choice.seal.name)


def find_sealing(actor: Actor, seals: Sequence[Seal] = SEALS) -> Sealing:
    """Look whether the agent can be pointed at our relay, and for a seal that holds; no model is asked.

    The probe of the seals takes a second and leaves nothing behind.
    """
    program = actor.program
    if program is None:
        return Sealing(why_not=actor.why_not, remedy=actor.remedy)
    agent = AGENTS[program.name.partition(":")[0]]
    way = agent.acting.way(actor.login_files, actor.environ, program.setup)
    if way.problem:
        return Sealing(why_not=way.problem, remedy=way.remedy)
    try:
        installed = agent.acting.installed(Path(program.program))
        version = program.version
    except CallFailed as error:
        return Sealing(why_not=error.message, remedy=error.remedy)
    # Not below the home, whose path may be too long for the socket that the probe makes.
    with tempfile.TemporaryDirectory(prefix=prefix(SOCKETS), ignore_cleanup_errors=True) as scratch:
        choice = chosen(seals, Path(scratch))
    if choice.seal is None:
        return Sealing(choice=choice, why_not=choice.why_not, remedy=choice.remedy)
    found = Agent(
        acting=agent.acting,
        installed=installed,
        way=way,
        setup=program.setup,
        title=agent.title,
        name=program.name,
        version=version,
        home=Path.home(),
        agent_home=program.agent_home,
    )
    return Sealing(agent=found, choice=choice)


class SealedParts:
    """What sealed attempts of a night need; agent and seal are looked for only once a task needs them.

    It is an executor for tasks that can only be judged by acts, and it has the workshop in which that is prepared.
    """

    def __init__(
        self,
        actor: Callable[[], Actor],
        paths: Paths,
        *,
        price: Price,
        turns: int,
        meter: NightMeter,
        store: SqliteStore,
        seals: Sequence[Seal] = SEALS,
    ) -> None:
        self._actor = actor
        self._seals = seals
        self._paths = paths
        self._price = price
        self._limits = Limits(turns=turns)
        self._meter = meter
        self._store = store
        self._bases = Bases(paths.replays / BASES)
        self._lock = threading.Lock()
        self._found: Sealing | None = None
        self._copy: SealedCopy | None = None

    @property
    def text_only(self) -> bool:
        """Return False: the agent has its tools."""
        return False

    def reaches(self, task: Task) -> bool:
        """Return whether the task can be judged by acts, and the agent can act here."""
        return task.workspace is not None and wants_a_tool(task.reference) and self.sealing.possible

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt in a sealed copy."""
        sealing = self.sealing
        if self._copy is None:
            return Trajectory(failure=sealing.why_not)
        return self._copy.run(task, document, sample=sample)

    @property
    def sealing(self) -> Sealing:
        """Whether sealed attempts can be made here; found out once, in a second or two."""
        with self._lock:
            if self._found is None:
                self._found = find_sealing(self._actor(), self._seals)
                self._copy = self._sealed_copy(self._found)
            return self._found

    def told(self) -> SealedReplay | None:
        """Return who acts in what, or why nobody does; None as long as nothing needed that."""
        with self._lock:
            return self._found and self._found.told

    @property
    def workshop(self) -> "LateWorkshop":
        """The workshop in which tasks get what judges them."""
        return LateWorkshop(self._made_workshop)

    def _made_workshop(self) -> SealedWorkshop:
        sealing = self.sealing
        seal = sealing.choice.seal if sealing.possible else None
        return SealedWorkshop(seal, self._bases, self._paths.replays, why_not=sealing.why_not)

    def _sealed_copy(self, sealing: Sealing) -> SealedCopy | None:
        seal = sealing.choice.seal
        if sealing.agent is None or seal is None:
            return None
        way = sealing.agent.way
        upstream = Upstream(way.address, way.headers, sealing.agent.setup.model)
        relay = Relay(self._meter, upstream, price=price_of(way, self._price))
        return SealedCopy(
            sealing.agent,
            CheckRuns(seal, self._bases, self._paths.replays),
            relay,
            draws=self._store.calls.draws(),
            meter=self._meter,
            folder=self._paths.replays,
            limits=self._limits,
            night=lambda: self._store.page.drawn,
        )


class LateWorkshop:
    """A workshop that is set up once something is asked of it."""

    def __init__(self, make: Callable[[], Workshop]) -> None:
        self._make = make

    @cached_property
    def _workshop(self) -> Workshop:
        return self._make()

    @property
    def why_not(self) -> str:
        """Why nothing can be done once more here, "" if it can."""
        return self._workshop.why_not

    def stand(self, session: Session, snapshot: Snapshot | None, /) -> Workspace | NoWorkspace:
        """Return where the session's agent stood, or why that can't be had again."""
        return self._workshop.stand(session, snapshot)

    def files(self, workspace: Workspace, /) -> Path | NoWorkspace:
        """Return a folder with the files of this state, or why it can't be had."""
        return self._workshop.files(workspace)

    def calibrated(
        self, command: Command, workspace: Workspace, ended: datetime, /, *, whole: Command | None = None
    ) -> tuple[Command, Calibration]:
        """Try whether the command tells the work of a session that ended then from none."""
        return self._workshop.calibrated(command, workspace, ended, whole=whole)


def price_of(way: Way, of_target: Price) -> Price:
    """Return how a request is priced: a subscription's costs nothing more, else the target's price comes first."""

    def of(model: str, usage: Usage) -> float | None:
        if way.subscription:
            return 0.0
        own = of_target(model, usage)
        return price(way.address, model, usage) if own is None else own

    return of
