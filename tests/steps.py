"""One step on one document, through the night's own engine, with everything around it in memory."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

from skillopt_sleep.learning.learn import Log
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import Document, Past, Split, StepOutcome, Task
from tests.builders import a_task
from tests.fakes import NOON
from tests.nights import with_side

Result = TypeVar("Result")


class NightPage:
    """The page of one night on one document: keeps nothing, and logs what is written."""

    drawn = "tonight"

    def __init__(self, past: Past, known: Sequence[Task], log: Log, *, night: str, started: datetime = NOON) -> None:
        self.night = night
        self.started = started
        self.history = self
        self.bank = self
        self._past = past
        self._known = known
        self._log = log

    def past(self, _path: str) -> Past:
        return self._past

    def scores(self, _tasks: Collection[str]) -> dict[str, float]:
        return {}

    def tasks(self, _projects: Collection[str]) -> list[Task]:
        return list(self._known)

    def keep(self, _stage: str, _kind: Any, compute: Callable[[], Result]) -> Result:
        return compute()

    def write(self, stage: str, rows: Sequence[object]) -> None:
        self._log(stage, rows)


def nothing_logged(_stage: str, _rows: Sequence[object]) -> None:
    """Log nothing."""


def step(
    document: Document,
    tasks: Sequence[Task],
    *,
    crew: Crew,
    plan: NightPlan,
    past: Past | None = None,
    known: Sequence[Task] = (),
    night: str = "tonight",
    log: Log = nothing_logged,
) -> StepOutcome:
    """What the night makes of this document; `known` tasks are those of earlier nights."""
    page: Any = NightPage(past or Past(), known, log, night=night)
    routing = Routing(tuple(tasks), (document,))
    (outcome,) = learn(routing, crew=crew, plan=plan, page=page, judge=NightJudge(crew.judge))
    return outcome


def a_side(split: Split, *numbers: int, lesson: str = "c", **fields: Any) -> list[Task]:
    """Tasks of this side, each of a session of its own."""
    made: list[Task] = []
    for n in numbers:
        task = a_task(id=f"{split}{n}", session=f"{split}{n}", prompt=f"request {split} {n}")
        made.append(with_side(task, **({"split": split, "lesson": lesson} | fields)))
    return made
