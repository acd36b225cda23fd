"""A step begins with its tasks counted and ends with what a verdict makes of it."""

from skillopt_sleep.learning.ending import beginning, by_split, end_as, why_none
from skillopt_sleep.records import Outcome, Split
from tests.builders import a_document, a_task

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
    assert "2 lessons were seen in one session only" in why_none(2, [], [])
    assert "needs the repository: 1 task" in why_none(0, [], [WAITING])
    assert "there to test with" in why_none(0, TASKS[1:2], [])
    assert why_none(0, [], []) == "there is no task to learn from"
