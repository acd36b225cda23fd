"""A step begins with its tasks counted and ends with what a verdict makes of it."""

import pytest

from skillopt_sleep.errors import CallPending
from skillopt_sleep.learning.afterwards import FRESH
from skillopt_sleep.learning.ending import ask_ahead, beginning, by_split, end_as, why_none
from skillopt_sleep.records import Document, Outcome, Split, Task
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor
from tests.nights import a_crew, a_plan

TASKS = [a_task(id=side.value, session=side.value, split=side) for side in Split]
WAITING = a_task(id="w", session="w", split=Split.TRAIN, needs_repository=True)


def test_each_task_is_on_its_own_side() -> None:
    assert [[task.id for task in side] for side in by_split(TASKS)] == [["train"], ["val"], ["test"]]


def test_a_beginning_counts_every_task_and_says_what_waits() -> None:
    outcome = beginning(a_document(), TASKS, waiting=[WAITING])

    assert (outcome.tasks.train, outcome.tasks.val, outcome.tasks.test, outcome.tasks.needs_repository) == (
        1,
        1,
        1,
        1,
    )
    assert outcome.sessions.ids == ("train", "val", "test", "w")
    (note,) = outcome.notes
    assert (note.expected, "1 task waits" in note.summary) == (True, True)
    assert beginning(a_document(), TASKS, waiting=()).notes == ()


def test_an_end_has_its_reason() -> None:
    ended = end_as(beginning(a_document(), TASKS, waiting=()), Outcome.NO_HEADROOM, "all of them do")
    assert (ended.outcome, ended.because) == (Outcome.NO_HEADROOM, "all of them do")


def test_each_reason_why_nothing_is_learned_is_named() -> None:
    assert "2 lessons have requests of one session only" in why_none(2, [], [])
    assert "needs the repository: 1 task" in why_none(0, [], [WAITING])
    assert "there to test with" in why_none(0, TASKS[1:2], [])
    assert why_none(0, [], []) == "there is no task to learn from"


def test_what_an_accepted_change_needs_is_asked_all_at_once() -> None:
    def waits(_task: Task, _document: Document, _sample: int) -> str:
        raise CallPending("1 prompt waits", waiting=1)

    test, val = (
        a_task(id=side.value, session=side.value, split=side, lesson="c") for side in (Split.TEST, Split.VAL)
    )
    executor = FakeExecutor(waits)
    outcome = beginning(a_document(), [test, val], waiting=())

    with pytest.raises(CallPending):
        ask_ahead(
            outcome, [an_edit(lessons=("c",))], [test], val=[val], crew=a_crew(executor=executor), plan=a_plan()
        )

    asked = [(task.id, sample) for task, _, sample in executor.jobs]
    assert asked == [("test", 0), ("test", 0), ("val", FRESH), ("val", CANDIDATE_SAMPLES + FRESH)]
