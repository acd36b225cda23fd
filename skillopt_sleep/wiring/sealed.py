"""Make the executor that lets the user's own agent act in a sealed copy, or say why there is none."""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.backends.prices import price
from skillopt_sleep.backends.relay import Relay, Upstream
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.protocols import Calls, Executor, Model
from skillopt_sleep.protocols.acting import Limits, Way
from skillopt_sleep.records import Document, Task, Trajectory, Usage, wants_a_tool
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.either import Either
from skillopt_sleep.replay.sealed import Agent, SealedCopy
from skillopt_sleep.replay.seals import SEALS, Choice, chosen
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.replay.workspaces import Bases
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore


def executor_of(
    settings: Settings,
    paths: Paths,
    environ: Mapping[str, str],
    *,
    target: Model,
    words: SingleShot,
    meter: NightMeter,
    store: SqliteStore,
) -> Executor:
    """Return what makes the attempts: in words, and in sealed copies where words show nothing, unless that is off."""
    if not settings.replay.sealed:
        return words

    def find() -> SealedCopy | None:
        return sealed_copy(
            find_sealing(target, paths, environ),
            target,
            paths,
            meter=meter,
            draws=store.calls.draws(),
            limits=Limits(turns=settings.replay.turns),
            night=lambda: store.page.drawn,
        )

    return Either(words, WhenNeeded(find))


class WhenNeeded:
    """An executor for sealed copies that looks for agent and seal only once a task needs them."""

    def __init__(self, find: Callable[[], SealedCopy | None]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._found: list[SealedCopy | None] = []

    @property
    def text_only(self) -> bool:
        """Return False: the agent has its tools."""
        return False

    def reaches(self, task: Task) -> bool:
        """Return whether the task can be judged by acts, and the agent can act here."""
        return task.workspace is not None and wants_a_tool(task.reference) and self._copy() is not None

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt in a sealed copy."""
        copy = self._copy()
        if copy is None:
            return Trajectory(failure="no agent can act in a seal here")
        return copy.run(task, document, sample=sample)

    def _copy(self) -> SealedCopy | None:
        with self._lock:
            if not self._found:
                self._found.append(self._find())
            return self._found[0]


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


def find_sealing(target: Model, paths: Paths, environ: Mapping[str, str] = os.environ) -> Sealing:
    """Look for an agent that can be pointed at our relay and for a seal that holds; no model is asked.

    The probe of the seals takes a second and leaves nothing behind.
    """
    if not isinstance(target, CliBackend):
        return Sealing(
            why_not=f"the target {target.name} is no agent's program", remedy="set target.name to claude or codex"
        )
    agent = AGENTS[target.name.partition(":")[0]]
    way = agent.acting.way(target.login_files, environ, target.setup)
    if way.problem:
        return Sealing(why_not=way.problem, remedy=way.remedy)
    try:
        installed = agent.acting.installed(Path(target.program))
        version = target.version
    except CallFailed as error:
        return Sealing(why_not=error.message, remedy=error.remedy)
    choice = chosen(SEALS, private_dir(paths.replays / "probe"))
    if choice.seal is None:
        return Sealing(choice=choice, why_not=choice.why_not, remedy=choice.remedy)
    found = Agent(
        acting=agent.acting,
        installed=installed,
        way=way,
        setup=target.setup,
        name=target.name,
        version=version,
        home=Path.home(),
        agent_home=target.agent_home,
    )
    return Sealing(agent=found, choice=choice)


def sealed_copy(
    sealing: Sealing,
    target: Model,
    paths: Paths,
    *,
    meter: NightMeter,
    draws: Calls,
    limits: Limits,
    night: Callable[[], str],
) -> SealedCopy | None:
    """Return the executor for attempts in sealed copies, None if there is no agent or no seal."""
    seal = sealing.choice.seal
    if sealing.agent is None or seal is None:
        return None
    way = sealing.agent.way
    upstream = Upstream(way.address, way.headers, sealing.agent.setup.model)
    relay = Relay(meter, upstream, price=_price_of(way, target))
    return SealedCopy(
        sealing.agent,
        CheckRuns(seal, Bases(paths.replays / "bases"), paths.replays),
        relay,
        draws=draws,
        meter=meter,
        folder=paths.replays,
        limits=limits,
        night=night,
    )


def _price_of(way: Way, target: Model) -> Callable[[str, Usage], float | None]:
    """Return how a request is priced: a subscription's costs nothing more, else the user's tariff counts first."""

    def of(model: str, usage: Usage) -> float | None:
        if way.subscription:
            return 0.0
        own = target.price(model, usage)
        return price(way.address, model, usage) if own is None else own

    return of
