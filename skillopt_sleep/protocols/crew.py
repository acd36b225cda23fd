"""Define the plan of a night and the crew that does its work."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from skillopt_sleep.protocols.models import Backend, Meter, Preflight
from skillopt_sleep.protocols.stores import Store
from skillopt_sleep.protocols.work import (
    Clock,
    Exclusion,
    Executor,
    Judge,
    Pool,
    Reporter,
    SessionSource,
    Spool,
    Stager,
    Targets,
    Workshop,
)
from skillopt_sleep.records import READ_AGAIN, GateRule, RecallRules, SealedReplay, StepOutcome
from skillopt_sleep.settings import MineSettings, StepSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The sessions that a person wants read again, whether earlier nights have read them or not.

    They ended at `since` or later, if that is given, and are these `sessions`, if any are named. `asked` is how the
    person asked for them, which tells such a night from others.
    """

    since: datetime | None
    sessions: frozenset[str] = frozenset()
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How much of a history a night mines at most: so many calls of `per_call` sessions each, and so many tokens."""

    calls: int
    tokens: int
    per_call: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRules:
    """The rules by which every night leaves sessions out; `own_roots` are this program's own folders.

    `only` is the one project that a person asked for, "" for all.

    If `again` is given, a night reads those sessions, else those that no night has read yet: the newest first, as
    many as `reach` says.
    """

    include_headless: bool
    excluded: Exclusion
    own_roots: tuple[str, ...]
    only: str = ""
    spool: Spool | None = None
    again: Again | None = None
    reach: Reach | None = None


class MineRules(MineSettings, frozen=True, kw_only=True):
    """The user's settings of mining, and what no user needs to set."""

    # Enough to be worth a call, few enough that the model overlooks none.
    sessions_per_call: int = 15


class StepRules(StepSettings, frozen=True, kw_only=True):
    """The user's settings of a step, and what no user needs to set: how much goes into one call.

    With `successes`, as in a training, patches come from what went well too.
    """

    successes: bool = False
    # Failures in one reflection: a night has few tasks, and more of them at once make the patch too general.
    minibatch: int = 6
    # Patches in one merge: with more of them, what only one patch says gets lost.
    merge_batch: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPlan:
    """The plan of a night, as plain values made from the settings.

    `step` holds the edit budget of this night; `removal` is the gate's rule for an edit that takes a standing rule
    away; `limits` is shown in the report; `allowed` names what the static guard lets through although it would refuse
    it; `read_again` is the command of a night like it that reads again what was read.
    """

    sessions: SessionRules
    mine: MineRules
    step: StepRules
    gate: GateRule
    removal: GateRule
    recall: RecallRules
    limits: dict[str, float]
    model: str
    allowed: frozenset[str] = frozenset()
    preferences: str = ""
    read_again: str = READ_AGAIN

    @property
    def longest(self) -> timedelta:
        """Return how long the night may last."""
        return timedelta(minutes=self.limits["minutes"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """The parts that do the work of a night; wiring chooses them.

    `identity` names the models and programs that attempt and grade: a trial can't be resumed by another crew. Without
    a `workshop` nothing is tried in a repository. `sealed` says who acts in a sealed copy, or why nobody can; None as
    long as nothing needed that. If answers are given `by_hand`, all that can be asked is asked at
    once. `decided` is told what became of each document, as soon as it is known.
    """

    sources: tuple[SessionSource, ...]
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
    workshop: Workshop | None = None
    by_hand: bool = False
    sealed: Callable[[], SealedReplay | None] = lambda: None
    decided: Callable[[StepOutcome], None] = lambda _outcome: None
