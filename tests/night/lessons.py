"""Documents with several lessons, and a night of fakes that learns them: its model follows each rule it reads."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.learning.begin import Begun, begin
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import (
    Decision,
    Document,
    GateRule,
    Judged,
    Metric,
    Past,
    Prompt,
    Purpose,
    Split,
    StepOutcome,
    Task,
    Trajectory,
)
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend, FakeExecutor, FakeJudge, FakeMeter, SerialPool
from tests.nights import a_crew, a_plan
from tests.stores.opening import open_at

SHOP = a_document(id="shop", path="/shop.md")
GATE = GateRule(metric=Metric.SOFT)


def a_lesson(name: str, *, val: int = 4, train: int = 1, document: str = "shop", **fields: Any) -> list[Task]:
    """The tasks of one lesson, each of a session of its own."""
    tasks: list[Task] = []
    for split, count in ((Split.TRAIN, train), (Split.VAL, val)):
        for number in range(count):
            where = f"{document} {name} {split}{number}"
            tasks.append(
                a_task(
                    id=where,
                    session=where,
                    prompt=f"request of {name}, {split} {number}",
                    lesson=name,
                    wording=f"do {name}",
                    document=document,
                    split=split,
                    **fields,
                )
            )
    return tasks


def begun_on(*tasks: Task, document: Document = SHOP, past: Past | None = None, **plan: Any) -> Begun:
    """What a step on these tasks could take on."""
    return begin(document, tasks, crew=a_crew(), plan=a_plan(gate=GATE, **plan), past=past or Past())


def a_rule(lesson: str) -> str:
    """The rule that a night writes for a lesson."""
    return f"- Do {lesson}."


def follows(task: Task, trajectory: Trajectory) -> float:
    """The grade of a model that does what its rules say, and nothing else."""
    return float(a_rule(task.lesson) in trajectory.response)


class CountingMeter(FakeMeter):
    """Ends the night once its calls are spent."""

    def spend_one(self) -> None:
        if self.calls_left <= 0:
            raise BudgetExhausted("the limit of calls is reached", remedy="raise it")
        self.calls_left -= 1


@dataclass
class Night:
    """A night of fakes on these tasks; `silent` lessons get no edit, `breaks` may raise instead of an attempt."""

    tasks: Sequence[Task]
    documents: Sequence[Document] = (SHOP,)
    left: int = 10_000
    width: int = 1
    by_hand: bool = False
    grade: Callable[[Task, Trajectory], float] = follows
    silent: Sequence[str] = ()
    ended: Collection[str] = ()
    breaks: Callable[[Task, Document], None] = lambda _task, _document: None
    plan: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.meter = CountingMeter(left=self.left)
        self.jobs: list[Task] = []
        self.known: set[str] = set()
        self.asked: set[str] = set()
        pool = SerialPool()
        pool.width = self.width
        self.crew: Crew = a_crew(
            optimizer=FakeBackend({Purpose.REFLECT: self._reflect}),
            executor=FakeExecutor(self._attempt),
            judge=FakeJudge(self.grade),
            meter=self.meter,
            pool=pool,
            by_hand=self.by_hand,
        )

    def run(self, page: OpenNight) -> list[StepOutcome]:
        """One night, or one life of it; what was decided before it raised is in `outcomes`."""
        routing = Routing(tasks=tuple(self.tasks), documents=tuple(self.documents))
        plan = a_plan(**({"gate": GATE, "minibatch": 20} | self.plan))
        self.outcomes: list[StepOutcome] = []
        judge = NightJudge(self.crew.judge)
        for outcome in learn(routing, crew=self.crew, plan=plan, page=page, judge=judge, ended=self.ended):
            self.outcomes.append(outcome)
        return self.outcomes

    def alone(self, folder: Path) -> list[StepOutcome]:
        """The outcomes of a night in a store of its own."""
        store = open_at(folder)
        with store.open_night() as page:
            outcomes = self.run(page)
        store.close()
        return outcomes

    def answer_all(self) -> int:
        """Answer what was asked by hand, as a person would between two runs; return how much that was."""
        new = self.asked - self.known
        self.known |= new
        return len(new)

    @property
    def tried(self) -> list[str]:
        """The lessons whose val tasks were attempted, in order, each as often as it was turned to."""
        order: list[str] = []
        for task in self.jobs:
            if task.split is Split.VAL and order[-1:] != [task.lesson]:
                order.append(task.lesson)
        return order

    def _attempt(self, task: Task, document: Document, sample: int) -> str:
        self._wait_for(f"{task.id} {document.sha} {sample}")
        self.breaks(task, document)
        self.meter.spend_one()
        self.jobs.append(task)
        return f"{document.body}|{sample}"

    def _reflect(self, prompt: Prompt) -> dict[str, object]:
        self._wait_for(prompt.text)
        self.meter.spend_one()
        lessons = dict.fromkeys(re.findall(r"request of (\w+), train", prompt.text))
        edits = [{"op": "append", "content": a_rule(name)} for name in lessons if name not in self.silent]
        return {"edits": edits}

    def _wait_for(self, question: str) -> None:
        """Raise CallPending for what nobody has answered by hand yet."""
        if self.by_hand and question not in self.known:
            self.asked.add(question)
            raise CallPending("it waits for an answer")


BLOG = a_document(id="blog", path="/blog.md")
LARGE, MIDDLE, SMALL = a_lesson("large", val=6), a_lesson("middle", val=4), a_lesson("small", val=2)
THREE = (*SMALL, *LARGE, *MIDDLE)


def of_val(outcome: StepOutcome) -> dict[str, Judged]:
    """What was tried, by lesson."""
    return {one.edits[0].lessons[0]: one for one in outcome.tried.tested}


def accepted(outcome: StepOutcome) -> list[str]:
    return [name for name, one in of_val(outcome).items() if one.verdict.decision is Decision.ACCEPT]


def slightly(name: str, grade: float) -> Callable[[Task, Trajectory], float]:
    """As a model that follows each rule, but that of this lesson only so well."""
    return lambda task, made: follows(task, made) * (grade if task.lesson == name else 1.0)


def lives(night: Night, page: OpenNight) -> int:
    """Run the night again and again, each time with all that was asked answered; return the stops."""
    for stops in range(100):
        try:
            night.run(page)
        except CallPending:
            assert night.answer_all()
        else:
            return stops
    raise AssertionError("it never ended")
