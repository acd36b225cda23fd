"""What a step ends as doesn't depend on which call ends first."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from hypothesis import given, settings, strategies as st

from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import (
    CandidateKind,
    Document,
    GateRule,
    Judged,
    Metric,
    Past,
    Purpose,
    Split,
    StepOutcome,
    Task,
    Trajectory,
    WaitingCandidate,
)
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeBackend, FakeExecutor, FakeJudge, SerialPool
from tests.nights import a_crew, a_plan
from tests.steps import a_side, step

Item = TypeVar("Item")
Result = TypeVar("Result")

DOCUMENT = a_document("- Old.")
EDITS = ("- Good.", "- Idle.", "- Bad.")
TASKS = [
    task
    for place, lesson in enumerate(EDITS)
    for task in (
        *a_side(Split.TRAIN, place, lesson=lesson),
        *a_side(Split.VAL, *range(10 * place, 10 * place + 3), lesson=lesson),
        *a_side(Split.TEST, place, lesson=lesson),
    )
]
RULE = GateRule(metric=Metric.HARD, rounds=3)


class ShuffledPool:
    """Runs what it is given in an order of its own, and hands the results back in theirs."""

    width = 4

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        order = list(range(len(items)))
        self._draw.shuffle(order)
        done = {place: function(items[place]) for place in order}
        return tuple(done[place] for place in range(len(items)))

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        yield from self.map(chain, items, label="")


def graded(chances: dict[str, float]) -> Callable[[Task, Trajectory], float]:
    """A grade that hangs on the attempt alone: its task, its document, its sample."""

    def grade(task: Task, trajectory: Trajectory) -> float:
        number = int.from_bytes(hashlib.blake2b(trajectory.response.encode(), digest_size=4).digest()) / 2**32
        body = trajectory.response.partition("|")[2]
        chance = 0.2 + sum(gain for edit, gain in chances.items() if edit in body)
        return float(task.split is not Split.TRAIN and number < chance)

    return grade


def ended(pool: object, chances: dict[str, float], past: Past) -> StepOutcome:
    proposed = {
        "edits": [
            {"op": "append", "content": edit, "reason": "said", "attempts": [place + 1]}
            for place, edit in enumerate(EDITS)
        ]
    }
    crew = a_crew(
        optimizer=FakeBackend({Purpose.REFLECT: proposed}),
        executor=FakeExecutor(lambda task, document, sample: f"{task.id} {sample}|{document.body}"),
        judge=FakeJudge(graded(chances)),
        pool=pool,
    )
    plan = a_plan(gate=RULE)
    return step(DOCUMENT, TASKS, crew=crew, plan=plan, past=past, night="n2")


def waiting(document: Document, chances: dict[str, float]) -> Past:
    """A candidate that an earlier night tried on two of the tasks."""
    changed = a_document(f"{document.body}\n- Waits.")
    crew = a_crew(
        executor=FakeExecutor(lambda task, version, sample: f"{task.id} {sample}|{version.body}"),
        judge=FakeJudge(graded(chances)),
    )
    val = [task for task in TASKS if task.split is Split.VAL][:2]
    trial, verdict, _ = run_trial(document, changed, val, attempts=CrewAttempts(crew), rule=RULE)
    edits = (an_edit("- Waits.", tasks=("train1",)),)
    judged = Judged(kind=CandidateKind.RULE, edits=edits, trial=trial, verdict=verdict)
    return Past(waiting=(WaitingCandidate(night="n1", path=document.path, crew="m v", tested=judged),))


@settings(max_examples=30, deadline=None)
@given(
    st.integers(),
    st.fixed_dictionaries({edit: st.sampled_from([-0.2, 0.0, 0.3, 0.8]) for edit in (*EDITS, "- Waits.")}),
    st.booleans(),
)
def test_a_step_ends_alike_in_whatever_order_its_calls_end(seed: int, chances: dict[str, float], waits: bool) -> None:
    past = waiting(DOCUMENT, chances) if waits else Past()

    assert ended(ShuffledPool(seed), chances, past) == ended(SerialPool(), chances, past)


def test_the_same_tasks_in_another_order_are_the_same_evidence() -> None:
    chances = {"- Good.": 0.8}
    val = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL) for n in range(6)]
    changed = a_document("- Old.\n- Good.")

    def run(tasks: Sequence[Task]) -> tuple[object, ...]:
        executor = FakeExecutor(lambda task, document, sample: f"{task.id} {sample}|{document.body}")
        crew = a_crew(executor=executor, judge=FakeJudge(graded(chances)))
        trial, verdict, _ = run_trial(DOCUMENT, changed, tasks, attempts=CrewAttempts(crew), rule=RULE)
        return verdict, trial.rounds, trial.before, trial.after, set(trial.pairs)

    assert run(val) == run(list(reversed(val)))
