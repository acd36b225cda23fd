"""A month of simulated nights on one document: what is learned of the lessons that recur, and at how many calls."""

import random
import re
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.step import step
from skillopt_sleep.mining.recall import recall
from skillopt_sleep.mining.split import split
from skillopt_sleep.records import (
    Decision,
    Document,
    GateRule,
    Metric,
    Past,
    PastEdit,
    Prompt,
    Purpose,
    RecallRules,
    Score,
    Split,
    Task,
    Trajectory,
)
from tests.builders import a_document, a_task
from tests.fakes import NOON, FakeBackend, FakeJudge, SerialPool
from tests.nights import a_crew, a_plan

NIGHTS = 30
PER_NIGHT = 3
LESSONS = 6
BEFORE, AFTER = 0.2, 0.9  # the chance of a success without and with the lesson's rule
RIGHT = 0.7  # the chance that reflection finds the rule and not a useless one
EDIT_BUDGET = 3

_LESSON = re.compile(r"lesson (\d+)")


class Month(NamedTuple):
    """What a month amounts to: lessons learned, useless rules taken in, all calls of target and optimizer."""

    learned: int
    useless: int
    calls: int


class _World:
    """Requests of some lessons; an attempt succeeds by chance, more often under the lesson's rule."""

    text_only = True

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(f"month {seed}")
        self.calls = 0
        self._useless = 0

    def asked(self, night: int) -> list[Task]:
        """The requests of a day, each of a session of its own."""
        tasks: list[Task] = []
        for number in range(PER_NIGHT):
            lesson = self.draw.randrange(LESSONS)
            name = f"{night}-{number}"
            at = NOON + timedelta(days=night, hours=number)
            words = f"lesson {lesson}: request {name}"
            tasks.append(a_task(id=name, session=name, prompt=words, lesson=f"c{lesson}", at=at, evidence=()))
        return tasks

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        self.calls += 1
        chance = AFTER if f"- Rule {task.lesson[1:]}." in document.body else BEFORE
        return Trajectory(response=str(float(self.draw.random() < chance)))

    def grade(self, task: Task, trajectory: Trajectory) -> Score | ItemError:
        return Score(hard=float(trajectory.response), soft=float(trajectory.response))

    def reflect(self, prompt: Prompt) -> dict[str, object]:
        """A rule for each lesson that is shown, the right one or a useless one."""
        self.calls += 1
        shown = prompt.text.partition("\n# Attempts\n")[2]
        edits: list[dict[str, str]] = []
        for lesson in dict.fromkeys(_LESSON.findall(shown)):
            self._useless += 1
            right = self.draw.random() < RIGHT
            content = f"- Rule {lesson}." if right else f"- Be careful about the matter numbered {self._useless}."
            edits.append({"op": "append", "content": content, "reason": "said"})
        return {"edits": edits}

    def select(self, prompt: Prompt) -> dict[str, object]:
        self.calls += 1
        return {"selected_indices": list(range(EDIT_BUDGET))}


def month(seed: int) -> Month:
    """Nights on the real step with the real split and recall; what is accepted is adopted in the morning."""
    world = _World(seed)
    optimizer = FakeBackend({Purpose.REFLECT: world.reflect, Purpose.SELECT: world.select})
    crew = a_crew(optimizer=optimizer, executor=world, judge=FakeJudge(world.grade), pool=SerialPool())
    plan = a_plan(gate=GateRule(metric=Metric.HARD), edit_budget=EDIT_BUDGET, minibatch=20)
    document, past = a_document(""), Past()
    known: tuple[Task, ...] = ()
    for number in range(NIGHTS):
        sides = {task.session: Split(task.split).value for task in known if task.split}
        tonight = split(world.asked(number), known=known, sides=sides)
        named = {task for wait in past.waiting for edit in wait.tested.edits for task in edit.tasks}
        now = NOON + timedelta(days=number + 1)
        asked = recall(tonight, known=known, rules=RecallRules(similar=0), now=now, named=named)
        tasks = [replace(task, document=document.id) for task in asked]
        done = step(document, tasks, crew=crew, plan=plan, past=past, night=str(number), log=lambda stage, rows: None)
        tried = tuple(PastEdit(night=str(number), edit=told.edit, effect=told.effect) for told in done.tried.effects)
        past = replace(past, waiting=done.tried.undecided, tried=(*tried, *past.tried)[:30])
        if done.verdict.decision is Decision.ACCEPT and done.candidate is not None:
            document = done.candidate
        known = (*known, *tonight)
    rules = document.body.splitlines()
    learned = len({rule for rule in rules if rule.startswith("- Rule")})
    return Month(learned, sum(rule.startswith("- Be careful") for rule in rules), world.calls)
