"""How a night goes about it, and who does its work."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from skillopt_sleep.protocols.models import Backend, Meter, Preflight
from skillopt_sleep.protocols.stores import Store
from skillopt_sleep.protocols.work import (
    Clock,
    Exclusion,
    Executor,
    Judge,
    Pool,
    Reporter,
    Source,
    Spool,
    Stager,
    Targets,
)
from skillopt_sleep.records import GateRule, RecallRules, ReflectMode, UpdateMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a night goes about it; plain values, made from the settings.

    Where `min_edit_budget` is below `edit_budget`, a model chooses between them. `removal` is
    the gate of an edit that takes a standing rule away; `max_chars` how long a document's editable part may get;
    `allowed` the classes of what the static guard would refuse.
    """

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
    reflection: ReflectMode
    successes: bool
    mode: UpdateMode
    candidates: int
    augment: int
    edit_budget: int
    slow_every: int
    min_edit_budget: int
    max_chars: int
    gate: GateRule
    removal: GateRule
    recall: RecallRules
    limits: dict[str, float]
    model: str
    allowed: frozenset[str] = frozenset()
    preferences: str = ""
    spool: Spool | None = None

    @property
    def longest(self) -> timedelta:
        """How long the night may last."""
        return timedelta(minutes=self.limits["minutes"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Who does the work of a night; wiring chooses them.

    `identity` names the models and programs that attempt and grade: evidence of another crew can't be gone on with.
    """

    sources: tuple[Source, ...]
    preflights: tuple[Preflight, ...]
    optimizer: Backend
    executor: Executor
    judge: Judge
    grader: Backend
    pool: Pool
    meter: Meter
    store: Store
    targets: Targets
    stager: Stager
    reporters: tuple[Reporter, ...]
    clock: Clock
    identity: Callable[[], str]
