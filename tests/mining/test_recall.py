"""Earlier tasks of tonight's lessons come back on their own side, and similar ones to learn from."""

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.mining.split import recall
from skillopt_sleep.records import RecallRules, Split, Task, TaskOrigin
from tests.builders import a_task
from tests.fakes import NOON

TONIGHT = a_task(id="new", lesson="c-a", split=Split.VAL, at=NOON)
EARLIER = a_task(id="old", lesson="c-a", split=Split.TRAIN, at=NOON)
OTHER = a_task(id="far", lesson="c-b", split=Split.TRAIN, prompt="explain the invoice totals", at=NOON)
ASKS = a_task(id="asks", lesson="c-c", split=Split.TRAIN, prompt="write the release notes for 2.1", at=NOON)
ALIKE = a_task(id="like", lesson="c-d", split=Split.TRAIN, prompt="write the release notes for 1.9", at=NOON)


def recalled(*tasks: Task, known: list[Task], **fields: Any) -> tuple[Task, ...]:
    given: dict[str, Any] = {"rules": RecallRules(), "now": NOON} | fields
    return recall(tasks, known=known, **given)


def test_earlier_tasks_of_the_same_clusters_come_first() -> None:
    assert recalled(TONIGHT, known=[EARLIER, OTHER]) == (EARLIER, TONIGHT)


def test_a_task_that_is_known_already_is_there_once() -> None:
    assert recalled(TONIGHT, known=[TONIGHT, EARLIER]) == (EARLIER, TONIGHT)


def test_without_tasks_tonight_nothing_is_recalled() -> None:
    assert recalled(known=[EARLIER, OTHER]) == ()


def test_wanted_lessons_come_back_without_tasks_tonight_but_not_when_they_are_too_old() -> None:
    assert recalled(known=[EARLIER, OTHER], wanted={"c-a"}) == (EARLIER,)
    assert recalled(known=[EARLIER], wanted={"c-a"}, now=NOON + timedelta(days=1_000)) == ()


def test_without_earlier_nights_there_is_only_tonight() -> None:
    assert recalled(TONIGHT, known=[]) == (TONIGHT,)


def test_a_recalled_task_keeps_its_side() -> None:
    assert [task.split for task in recalled(TONIGHT, known=[EARLIER])] == [Split.TRAIN, Split.VAL]


def test_a_train_task_brings_the_most_similar_ones_of_other_lessons_to_learn_from() -> None:
    like = replace(ALIKE, origin=TaskOrigin.RECALLED)

    assert recalled(ASKS, known=[OTHER, ALIKE]) == (like, ASKS)


def test_val_and_test_are_never_given_what_is_only_similar() -> None:
    known = [replace(ALIKE, split=Split.VAL), replace(ALIKE, id="like2", split=Split.TEST)]

    assert recalled(ASKS, known=known) == (ASKS,)
    assert recalled(replace(ASKS, split=Split.VAL), known=[ALIKE]) == (replace(ASKS, split=Split.VAL),)


def test_at_most_so_many_similar_ones_join_a_task_and_none_of_another_project() -> None:
    many = [replace(ALIKE, id=f"like{n}") for n in range(5)]

    assert len(recalled(ASKS, known=many, rules=RecallRules(similar=2))) == 3
    assert recalled(ASKS, known=many, rules=RecallRules(similar=0)) == (ASKS,)
    assert recalled(ASKS, known=[replace(ALIKE, project="/elsewhere")]) == (ASKS,)


def test_what_is_stale_is_retired_unless_a_person_pinned_it() -> None:
    stale = replace(EARLIER, at=NOON - timedelta(days=91))

    assert recalled(TONIGHT, known=[stale]) == (TONIGHT,)
    assert recalled(TONIGHT, known=[stale], pinned=["old"]) == (stale, TONIGHT)


def test_of_a_lesson_with_many_tasks_the_newest_of_each_side_come_back_in_their_order() -> None:
    known = [
        replace(EARLIER, id=f"{side}{n}", split=side, at=NOON - timedelta(days=9 - n))
        for n in range(4)
        for side in (Split.TRAIN, Split.VAL)
    ]

    found = recalled(TONIGHT, known=known, rules=RecallRules(per_side=2))

    assert [task.id for task in found] == ["train2", "val2", "train3", "val3", "new"]


def test_the_lessons_of_candidates_that_wait_come_along_in_a_project_that_is_asked_tonight() -> None:
    val = replace(OTHER, id="far-val", split=Split.VAL)

    assert recalled(TONIGHT, known=[OTHER, val], named=["far"]) == (OTHER, val, TONIGHT)
    elsewhere = [replace(task, project="/elsewhere") for task in (OTHER, val)]
    assert recalled(TONIGHT, known=elsewhere, named=["far"]) == (TONIGHT,)
