"""Nights of the gate's worlds: the product's own `learn` over documents, with everything around it in memory."""

import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any, NamedTuple

from msgspec.structs import replace

from bench.gate_page import MemoryPage, Rates, proven, remembered
from bench.gate_worlds import Night, Request, Rules, World
from skillopt_sleep.errors import FailureKind, ItemError
from skillopt_sleep.learning.confirm import FRESH
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.error_rate import with_nights_rate
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.prompts.grading import PASSES_FROM
from skillopt_sleep.protocols.crew import NightPlan
from skillopt_sleep.protocols.work import Pool, Routing
from skillopt_sleep.records import (
    Document,
    GateRule,
    Past,
    Prompt,
    Purpose,
    Rubric,
    Score,
    Split,
    StepOutcome,
    Task,
    Trajectory,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task
from tests.fakes import NOON, FakeBackend, FakeMeter, SerialPool
from tests.nights import a_crew, a_plan

GATE = GateRule()
WORDS = (
    "- Use pnpm for packages, never npm.",
    "- Keep a calm and friendly tone towards the reader.",
    "- Think about the weather of the day before you begin.",
    "- Numbers below twelve are better written out in full.",
)
BY_DAY = "went wrong by day"
MUCH = 1_000_000  # calls a night: here nothing is left for want of them
_ATTEMPT = re.compile(r"^## Attempt (\d+)$", re.MULTILINE)
_LESSON = re.compile(r"request \d+ of (\w+)")
_LOST = {"timeout": FailureKind.TIMED_OUT, "outage": FailureKind.OVERLOADED}


class Staged(NamedTuple):
    """How the nights of one history ended: the rules staged for each document, the attempts, the gains told.

    The `attempts` are those that decide: at unseen requests, but for the fresh round.
    """

    rules: tuple[Rules, ...]
    attempts: int
    gains: tuple[float, ...]

    @property
    def any_rule(self) -> bool:
        """Whether any rule is staged."""
        return any(self.rules)


def history(world: World, seed: int) -> Staged:
    """Run the nights of one history until something is staged or they are over."""
    models = Models(world, seed)
    documents = [_document(number) for number in range(world.documents)]
    past = {document.path: Past() for document in documents}
    rates = Rates()
    outcomes: list[StepOutcome] = []
    for night in range(world.nights):
        models.begin_night(night)
        outcomes = _night(models, documents, past, rates, night)
        if any(proven(outcome) for outcome in outcomes):
            break
        for outcome in outcomes:
            path = outcome.document.path
            past[path] = remembered(past[path], outcome, f"night {night}")
    changes = [proven(outcome) for outcome in outcomes]
    gains = [_told(outcome) for outcome, change in zip(outcomes, changes, strict=True) if change is not None]
    staged = tuple(rules_in(change.body) if change is not None else Rules() for change in changes)
    return Staged(staged, models.attempts, tuple(gain for gain in gains if gain is not None))


def _night(
    models: "Models",
    documents: Sequence[Document],
    past: dict[str, Past],
    rates: Rates,
    night: int,
) -> list[StepOutcome]:
    """Run one night and return what became of each document."""
    crew = a_crew(
        optimizer=FakeBackend(models.replies()),
        executor=models,
        judge=models,
        meter=FakeMeter(left=MUCH),
        pool=SerialPool(),
    )
    tasks = tuple(models.tasks.values())
    page: Any = MemoryPage(f"night {night}", past, tasks, started=_day(night), rates=rates)
    plan = with_nights_rate(a_gate_plan(GATE), page)
    routing = Routing(tasks, tuple(documents))
    outcomes = list(learn(routing, crew=crew, plan=plan, page=page, judge=NightJudge(models)))
    rates.close(plan, outcomes, at=page.started, adopted=None)
    return outcomes


def a_gate_plan(gate: GateRule) -> NightPlan:
    """A night as it is by default, without look-backs, that takes up to four edits without asking how many."""
    return a_plan(gate=gate, removal=replace(gate, margin=0.05), edit_budget=4)


def rules_in(text: str) -> Rules:
    """Return the world's rules whose words stand in a text."""
    return frozenset(number for number, words in enumerate(WORDS) if words in text)


def _told(outcome: StepOutcome) -> float | None:
    """Return the gain that a person reads beside the accepted change, which is that of its fresh round."""
    fresh = outcome.fresh
    if fresh.before is None or fresh.after is None:
        return outcome.trial.gain
    return fresh.after - fresh.before


class Models:
    """The target, the judge and the optimizer of one history: they answer as its world draws."""

    def __init__(self, world: World, seed: int) -> None:
        self._world, self._drawn, self._rng = world, Night(world, seed), random.Random(f"{world.name}|{seed}|fresh")
        self._kept: dict[tuple[str, str, int], Trajectory] = {}
        self._requests: dict[str, Request] = {}
        self.tasks: dict[str, Task] = {}
        self.attempts = 0

    def begin_night(self, night: int) -> None:
        """Forget the answers of the night before, and add what is asked now."""
        self._kept.clear()
        lessons = dict.fromkeys(rule.lesson for rule in self._world.rules)
        for document in range(self._world.documents):
            asked: list[Request] = []
            for lesson in lessons:
                asked += self._world.requests(document, lesson, train=True)
                asked += self._world.requests(document, lesson, night)
            for lesson, _ in self._world.others:
                asked += self._world.requests(document, lesson, night)
            for request in asked:
                task = _task(request, night)
                self.tasks.setdefault(task.id, task)
                self._requests[task.id] = request

    def reaches(self, _task: Task, /) -> bool:
        """Every request can be tried in words."""
        return True

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Attempt a request; the same question is asked once a night, and what is lost is drawn anew."""
        key = (task.id, document.text, sample)
        if key not in self._kept:
            made = self._attempt(self._requests[task.id], document, sample)
            if made.failure:
                return made
            self._kept[key] = made
        return self._kept[key]

    def _attempt(self, request: Request, document: Document, sample: int) -> Trajectory:
        if request.train and sample == 0:
            # The day's request went wrong: that is why it is a task.
            return Trajectory(response=f"{BY_DAY} {self._rng.getrandbits(64):x}", text_only=True)
        self.attempts += not request.train and sample % CANDIDATE_SAMPLES < FRESH
        arm = "new" if sample >= CANDIDATE_SAMPLES else "old"
        made = self._drawn.attempt(request.document, rules_in(document.text), request, arm, self._rng)
        if made.lost:
            return Trajectory(failure=f"{_LOST[made.lost]}: no answer", text_only=True)
        words = f"{'right' if made.right else 'wrong'} {self._rng.getrandbits(64):x} "
        return Trajectory(response=words.ljust(made.length, "."), text_only=True)

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Grade an answer by its worth and its length, as the world's judge does."""
        grade = 0.0
        if not trajectory.response.startswith(BY_DAY):
            right = trajectory.response.startswith("right")
            grade = self._drawn.graded(right, len(trajectory.response), self._rng)
        why = "" if grade >= PASSES_FROM else "it isn't what was asked for"
        return Score(hard=float(grade >= PASSES_FROM), soft=grade, why=why)

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Grade each answer."""
        return [self.score(task, trajectory) for task, trajectory in answers]

    def replies(self) -> dict[Purpose, Any]:
        """Return what the optimizer says: the world's rules, each learned from the requests of its lesson."""
        return {Purpose.REFLECT: self._reflect, Purpose.AGGREGATE: _merge, Purpose.SELECT: self._select}

    def _reflect(self, prompt: Prompt) -> dict[str, object]:
        pieces = _ATTEMPT.split(prompt.text)[1:]
        shown: dict[str, list[int]] = {}
        for number, text in zip(pieces[::2], pieces[1::2], strict=True):
            for lesson in dict.fromkeys(_LESSON.findall(text)):
                shown.setdefault(lesson, []).append(int(number))
        edits: list[dict[str, object]] = []
        for number, rule in enumerate(self._world.rules):
            if rule.lesson in shown:
                edits.append(_append(WORDS[number]) | {"attempts": shown[rule.lesson]})
        return {"edits": edits}

    def _select(self, _prompt: Prompt) -> dict[str, object]:
        return {"selected_indices": self._rng.sample(range(len(WORDS)), len(WORDS))}


def _merge(prompt: Prompt) -> dict[str, object]:
    return {"edits": [_append(words) for words in WORDS if words in prompt.text]}


def _append(words: str) -> dict[str, object]:
    return {"op": "append", "content": words, "reason": "said"}


def _day(night: int) -> datetime:
    return NOON + timedelta(days=night + 1)


def _project(document: int) -> str:
    return f"/home/ada/shop{document}"


def _document(number: int) -> Document:
    project = _project(number)
    return a_document("- Old.", id=f"shop{number}:CLAUDE.md", path=f"{project}/CLAUDE.md", project=project)


def _task(request: Request, night: int) -> Task:
    number = request.document
    side = "train" if request.train else "val"
    session = f"{number}-{request.lesson}-{side}{request.session}"
    return a_task(
        id=session,
        prompt=f"Please do request {request.session} of {request.lesson} in project {number}, for {side}.",
        reference=Rubric(text="It is done as the project does it."),
        session=f"claude_code:{session}",
        project=_project(number),
        at=_day(night) - timedelta(hours=12) + timedelta(minutes=request.session),
        lesson=f"{number}-{request.lesson}",
        split=Split.TRAIN if request.train else Split.VAL,
        document=f"shop{number}:CLAUDE.md",
        evidence=(),
    )


def mean_gain(ends: Sequence[Staged]) -> float | None:
    """Return the mean of the gains that were told; None if nothing was staged."""
    gains = [gain for end in ends for gain in end.gains]
    return fmean(gains) if gains else None
