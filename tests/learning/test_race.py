"""Candidates race on train tasks; the better half goes on, and nothing but their grades decides."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.gate import measure
from skillopt_sleep.learning.race import Race, race
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import Edit, Fate, Rollout, Split, Task, Trajectory
from tests.builders import a_document, a_rollout, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter, SerialPool
from tests.nights import STRICT, a_crew, with_side

DOCUMENT = a_document("- Old.")
TRAIN = [with_side(a_task(id=f"t{n}", session=f"s{n}"), split=Split.TRAIN) for n in range(4)]
GRADES = {"good": 1.0, "fair": 0.6, "poor": 0.3, "bad": 0.0}


def by_word(_task: Task, trajectory: Trajectory) -> float:
    return max((grade for word, grade in GRADES.items() if word in trajectory.response), default=0.0)


def a_set(word: str) -> tuple[Edit, ...]:
    return (an_edit(f"- Be {word}."),)


class Course:
    """A race, and what was attempted in it."""

    def __init__(self, *, grade: Any = by_word, left: int = 1000, pool: Any = None) -> None:
        self.executor = FakeExecutor(lambda task, document, sample: document.body)
        self.crew = a_crew(
            executor=self.executor, judge=FakeJudge(grade), meter=FakeMeter(left=left), pool=pool or SerialPool()
        )

    def run(
        self,
        *sets: Sequence[Edit],
        train: Sequence[Task] = TRAIN,
        tried: Sequence[Rollout] = (),
        refuse: Any = lambda edit: "",
        **plan: Any,
    ) -> Race:
        return race(
            sets,
            train,
            tried,
            document=DOCUMENT,
            attempts=CrewAttempts(self.crew),
            rules=StepRules(**plan),
            measure=partial(measure, rule=STRICT),
            refuse=refuse,
        )

    def attempted(self, word: str) -> list[str]:
        """The tasks attempted under the candidate with this word."""
        return [task.id for task, document, _ in self.executor.jobs if word in document.body]


def test_a_single_candidate_wins_without_a_call() -> None:
    course = Course()
    won = course.run(a_set("bad"))
    assert won.candidate.body == "- Old.\n- Be bad."
    assert [fate.fate for fate in won.fates] == [Fate.APPLIED]
    assert (won.standings, course.executor.jobs) == ((), [])


def test_sets_that_make_the_same_text_or_none_are_no_candidates() -> None:
    course = Course()
    won = course.run(a_set("bad"), a_set("bad"), (an_edit("- Old."),))
    assert (won.candidate.body, course.executor.jobs) == ("- Old.\n- Be bad.", [])


def test_where_nothing_can_be_applied_the_first_set_says_why() -> None:
    won = Course().run(a_set("bad"), a_set("good"), refuse=lambda edit: "no")
    assert won.candidate == DOCUMENT
    assert [(fate.edit.content, fate.because) for fate in won.fates] == [("- Be bad.", "no")]


@pytest.mark.parametrize("order", [("bad", "poor", "fair", "good"), ("good", "bad", "fair", "poor")])
def test_the_better_half_goes_on_and_the_best_wins(order: tuple[str, ...]) -> None:
    course = Course()
    won = course.run(*map(a_set, order))
    assert won.candidate.body == "- Old.\n- Be good."
    assert {word: len(course.attempted(word)) for word in order} == {"good": 4, "fair": 4, "poor": 2, "bad": 2}
    fared = {one.edits[0].content: (one.rung, one.n, one.mean) for one in won.standings}
    assert fared == {
        "- Be good.": (2, 4, 1.0),
        "- Be fair.": (2, 4, 0.3),
        "- Be poor.": (1, 2, 0.15),
        "- Be bad.": (1, 2, 0.0),
    }
    assert len(won.rollouts) == 12


def test_what_went_worst_is_attempted_first() -> None:
    course = Course()
    tried = [a_rollout(grade, task=f"t{n}") for n, grade in enumerate((1.0, 0.5, 0.0, 1.0))]
    course.run(*map(a_set, GRADES), tried=tried)
    assert course.attempted("bad") == ["t2", "t1"]


def test_of_equals_the_shorter_text_wins_and_then_the_first() -> None:
    long, short = (an_edit("- Be good, whatever happens."),), a_set("good")
    assert Course().run(long, short).candidate.body == "- Old.\n- Be good."
    assert Course().run(a_set("good"), (an_edit("- so good."),)).candidate.body == "- Old.\n- Be good."


def test_only_what_could_be_graded_under_all_is_compared() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        if task.id == "t0" and "fair" in trajectory.response:
            return ItemError("can't tell")
        return 0.0 if task.id != "t0" and "bad" in trajectory.response else 0.9

    won = Course(grade=grade).run(a_set("bad"), a_set("fair"))
    assert won.candidate.body == "- Old.\n- Be fair."
    assert {one.n for one in won.standings} == {3}


def test_where_nothing_could_be_graded_the_first_wins_among_equals() -> None:
    won = Course(grade=lambda task, trajectory: ItemError("no")).run(a_set("fair"), a_set("poor"))
    assert won.candidate.body == "- Old.\n- Be fair."
    assert [one.mean for one in won.standings] == [None, None]


def test_without_the_calls_for_it_the_first_wins_and_it_is_said() -> None:
    course = Course(left=31)
    won = course.run(a_set("bad"), a_set("good"))
    assert (won.candidate.body, course.executor.jobs) == ("- Old.\n- Be bad.", [])
    assert "32 calls" in won.notes[0].summary
    assert Course(left=32).run(a_set("bad"), a_set("good")).candidate.body == "- Old.\n- Be good."


def test_more_samples_are_attempted_after_every_task_once() -> None:
    course = Course()
    course.run(a_set("bad"), a_set("good"), train=TRAIN[:2], samples=2)
    jobs = [(task.id, sample) for task, document, sample in course.executor.jobs if "bad" in document.body]
    assert jobs == [("t0", 0), ("t1", 0), ("t0", 1), ("t1", 1)]


def test_the_winner_does_not_depend_on_who_is_ready_first() -> None:
    serial = Course().run(*map(a_set, GRADES))
    threads = Course(pool=ThreadPool(4, lambda label, done, total: None)).run(*map(a_set, GRADES))
    assert serial == threads


@pytest.mark.parametrize(
    ("lost", "winner"), [(("t0",), "short"), ((), "long")], ids=["by no more than chance", "by more than chance"]
)
def test_a_longer_text_wins_only_if_train_can_tell_it_from_the_shorter(lost: tuple[str, ...], winner: str) -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        does_long = task.id not in lost
        return float(does_long if "long" in trajectory.response else task.id in {*lost, "t3"})

    long, short = (an_edit("- Be long, whatever happens."),), (an_edit("- Be short."),)
    won = Course(grade=grade).run(long, short)

    means = {one.edits[0].content: one.mean for one in won.standings}
    assert (means["- Be long, whatever happens."] or 0) > (means["- Be short."] or 0)
    assert winner in won.candidate.body
