"""Make the executor that lets the user's own agent act in a sealed copy."""

import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.attempt_socket import Upstream
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.metered import NightMeter, Price
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.backends.replies import price
from skillopt_sleep.errors import CallFailed, ConfigError
from skillopt_sleep.kit.scratch import SOCKETS, prefix
from skillopt_sleep.protocols.acting import RelayRoute
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import (
    Document,
    SealedReplay,
    Task,
    Trajectory,
    Usage,
    wants_a_tool,
)
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.sealed import SealedAgent, SealedCopy
from skillopt_sleep.replay.seals import SEALS, chosen
from skillopt_sleep.replay.workshop import SealedWorkshop
from skillopt_sleep.replay.workspaces import Bases
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.models import KEYS, make_program, of_roles

# For an address of the user's own that needs no key.
_NO_KEY = "not-needed"


@dataclass(frozen=True, kw_only=True)
class AgentProgram:
    """An agent's program, and where its login is looked for: in these files and variables."""

    program: CliBackend
    login_files: Mapping[str, bytes] = field(default_factory=dict[str, bytes], repr=False)
    environ: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def find_actor(
    settings: Settings, target: Model, paths: Paths, environ: Mapping[str, str] = os.environ
) -> AgentProgram:
    """Return the target's own program, or the one that can be pointed at the target's API with the target's key.

    Raises ConfigError if there is none.
    """
    if isinstance(target, CliBackend):
        return AgentProgram(program=target, login_files=target.login_files, environ=environ)
    _, wanted, _ = of_roles(settings)
    speaking = [name for name, agent in AGENTS.items() if agent.api == wanted.name]
    if not speaking:
        raise ConfigError(
            f"the target {target.name} is no agent's program, and no agent speaks its API",
            remedy="set target.name to claude or codex",
        )
    if wanted.name == "openai" and wanted.base_url and wanted.api != "responses":
        raise ConfigError(
            f"{speaking[0]} speaks the Responses API alone, and {wanted.base_url} is asked by the older one",
            remedy='set backend.api to "responses" if that server has it, or target.name to claude or codex',
        )
    # The agent's own login isn't used.
    key_env = wanted.api_key_env or KEYS[wanted.name]
    key = environ.get(key_env) or (_NO_KEY if wanted.base_url else "")
    program = make_program(replace(wanted, name=speaking[0], api_key_env=key_env), paths, environ)
    return AgentProgram(program=program, environ={key_env: key})


# An attempt in a sealed copy makes at most this many calls; one that needs more shows nothing.
TURNS = 30


class Sealing(NamedTuple):
    """The agent that makes sealed attempts, and the seal that it acts in."""

    agent: SealedAgent
    seal: Seal

    @property
    def told(self) -> SealedReplay:
        """Return who acts in what, for a report."""
        return SealedReplay(agent=self.agent.title, version=self.agent.version, seal=self.seal.name)


def find_sealing(actor: AgentProgram, seals: Sequence[Seal] = SEALS) -> Sealing:
    """Return the agent, if it can be pointed at our relay, and a seal that holds; no model is asked.

    The probe of the seals takes a second and leaves nothing behind. Raises ConfigError or CallFailed without them.
    """
    program = actor.program
    agent = AGENTS[program.name.partition(":")[0]]
    way = agent.acting.way(actor.login_files, actor.environ, program.setup)
    if way.problem:
        raise ConfigError(way.problem, remedy=way.remedy)
    installed = agent.acting.installed(Path(program.program))
    version = program.version
    # Not below the home, whose path may be too long for the socket that the probe makes.
    with tempfile.TemporaryDirectory(prefix=prefix(SOCKETS), ignore_cleanup_errors=True) as scratch:
        choice = chosen(seals, Path(scratch))
    if choice.seal is None:
        raise ConfigError(choice.why_not, remedy=choice.remedy)
    found = SealedAgent(
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
    return Sealing(found, choice.seal)


class SealedParts:
    """What sealed attempts of a night need; agent and seal are looked for only once a task needs them.

    It is an executor for tasks that can only be judged by acts, and it has the workshop in which that is prepared.
    """

    def __init__(
        self,
        actor: Callable[[], AgentProgram],
        paths: Paths,
        *,
        price: Price,
        meter: NightMeter,
        store: SqliteStore,
        seals: Sequence[Seal] = SEALS,
    ) -> None:
        self._actor = actor
        self._seals = seals
        self._paths = paths
        self._price = price
        self._meter = meter
        self._store = store
        self._bases = Bases(paths.replays)
        self._lock = threading.Lock()
        self._found: SealedReplay | None = None
        self._seal: Seal | None = None
        self._copy: SealedCopy | None = None

    def reaches(self, task: Task) -> bool:
        """Return whether the task can be judged by acts, and the agent can act here."""
        return task.setting.workspace is not None and wants_a_tool(task.reference) and not self.sealing.why_not

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt in a sealed copy."""
        found = self.sealing
        if self._copy is None:
            return Trajectory(failure=found.why_not)
        return self._copy.run(task, document, sample=sample)

    @property
    def sealing(self) -> SealedReplay:
        """Who acts in what here, or why nobody does; found out once, in a second or two."""
        with self._lock:
            if self._found is None:
                try:
                    sealing = find_sealing(self._actor(), self._seals)
                except (ConfigError, CallFailed) as error:
                    self._found = SealedReplay(why_not=error.message, remedy=error.remedy)
                else:
                    self._found = sealing.told
                    self._seal = sealing.seal
                    self._copy = self._sealed_copy(sealing)
            return self._found

    def told(self) -> SealedReplay | None:
        """Return who acts in what, or why nobody does; None as long as nothing needed that."""
        with self._lock:
            return self._found

    @property
    def workshop(self) -> SealedWorkshop:
        """The workshop in which tasks get what judges them."""
        return SealedWorkshop(self._find, self._bases, self._paths.replays)

    def _find(self) -> tuple[Seal | None, str]:
        why_not = self.sealing.why_not
        return self._seal, why_not

    def _sealed_copy(self, sealing: Sealing) -> SealedCopy:
        way = sealing.agent.way
        upstream = Upstream(way.address, way.headers, sealing.agent.setup.model)
        relay = Relay(self._meter, upstream, price=price_of(way, self._price))
        return SealedCopy(
            sealing.agent,
            CheckRuns(sealing.seal, self._bases, self._paths.replays),
            relay,
            draws=self._store.calls.draws(),
            meter=self._meter,
            folder=self._paths.replays,
            turns=TURNS,
            night=lambda: self._store.page.drawn,
        )


def price_of(way: RelayRoute, of_target: Price) -> Price:
    """Return how a request is priced: a subscription's costs nothing more, else the target's price comes first."""

    def of(model: str, usage: Usage) -> float | None:
        if way.subscription:
            return 0.0
        own = of_target(model, usage)
        return price(way.address, model, usage) if own is None else own

    return of
